import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { callApi } from '../../data/api.ts'
import type { Message } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Drawer, Facts, type Fact } from '../../ui/drawer.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Load } from '../../ui/load.tsx'
import { titleOf } from '../../data/chats.ts'
import { StepList } from '../../ui/step-list.tsx'
import { Time } from '../../ui/time.tsx'
import { usePanel } from '../../shell/page.tsx'
import { summaryOf } from './message-content.tsx'
import { MessageState, TONES } from './message-state.tsx'

/** What became of one message: a summary, its status changes and its JSON. */
export function MessageDetail(props: { instanceId: string; id: string; onClose: () => void }) {
  const { instanceId, id, onClose } = props
  const { mode, modo } = usePanel()
  const query = useQuery({
    queryKey: [mode, 'messages', instanceId, 'one', id],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/messages/{messageId}', {
        params: [instanceId, id],
      }),
  })
  const detail = query.data
  return (
    <Drawer
      title={t.messages.detail}
      onClose={onClose}
      actions={
        detail && (
          <>
            <Link
              className="button"
              to="/$modo/conversas"
              params={{ modo }}
              search={{ instancia: instanceId, conversa: detail.conversationId }}
            >
              {t.groups.talk}
            </Link>
            <CopyButton text={detail.id} label={t.requests.copyId} />
          </>
        )
      }
    >
      <Load query={query}>
        {(message) => (
          <>
            <Facts facts={factsOf(message)} />
            <section aria-labelledby="caminho">
              <h3 id="caminho">{t.messages.path}</h3>
              <StepList
                label={t.messages.path}
                steps={message.events.map(({ status, at, party }) => ({
                  key: `${status} ${at} ${party?.phone ?? ''}`,
                  tone: TONES[status] ?? 'neutral',
                  title: t.messages[status],
                  text: <Time at={at} />,
                }))}
              />
            </section>
            <section aria-labelledby="json">
              <h3 id="json">JSON</h3>
              <JsonTree value={message} />
            </section>
          </>
        )}
      </Load>
    </Drawer>
  )
}

/** Who wrote what to whom, and why it failed. */
function factsOf(message: Message): Fact[] {
  const { direction, chat, type, status, error, origin, createdAt, clientReference } = message
  const name = titleOf(chat)
  return [
    [direction === 'outbound' ? t.messages.to : t.messages.contact, name],
    [t.messages.text, summaryOf(message)],
    [t.messages.kind, t.kinds[type]],
    [t.common.status, <MessageState key="status" status={status} />],
    [t.requests.result, error?.message],
    [t.messages.origin, t.messages[`origin_${origin}`]],
    [t.messages.when, <Time key="when" at={createdAt} />],
    ['clientReference', clientReference],
  ]
}
