import { useParams } from '@tanstack/react-router'
import { ArrowDownLeft, ArrowUpRight } from 'lucide-react'
import { Suspense } from 'react'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { callApi, firstSendCommand } from '../../data/api.ts'
import type { Message } from '../../data/api-types.ts'
import { KINDS } from './compose.tsx'
import { t } from '../../phrases/phrases.ts'
import { useInstance } from '../../data/queries.ts'
import { Choice, Empty } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { Load } from '../../ui/load.tsx'
import { summaryOf } from './message-content.tsx'
import { Missing } from '../../shell/missing.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Page, PhoneLink, usePanel } from '../../shell/page.tsx'
import { titleOf } from '../../data/chats.ts'
import { SavedViews } from '../../shell/saved-views.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { Composer } from './composer.tsx'
import { InstanceNav } from '../instances/instance-nav.tsx'
import { MessageState } from './message-state.tsx'
import { Schedules } from './schedules.tsx'
import { MESSAGE_STATUSES } from '../../../../src/model/vocabulary.ts'

const FILTERS = ['direcao', 'tipo', 'estado', 'estrela', 'q'] as const
/** The messages of an instance, newest first, and a form to send one. */
export function Messages() {
  const { id = '' } = useParams({ strict: false })
  const query = useInstance(id)
  const { data, error, refetch } = query
  if (!data && error) {
    return (
      <Missing
        error={error}
        retry={() => void refetch()}
        fetchIn={(mode) => callApi(mode, 'GET /v1/instances/{id}', { params: [id] })}
        path={`/instancias/${id}/mensagens`}
      />
    )
  }
  return (
    <Load query={query}>
      {(instance) => (
        <Page
          title={`${instance.name}: ${t.messages.title}`}
          act={<InstanceNav instance={instance} />}
        >
          <Composer instance={instance} />
          <Schedules id={id} />
          <Log id={id} />
        </Page>
      )}
    </Load>
  )
}

const MessageDetail = lazyPart(async () => (await import('./message-detail.tsx')).MessageDetail)

type Filter = (typeof FILTERS)[number] | 'mensagem'

function Log({ id }: { id: string }) {
  const { mode } = usePanel()
  const { values, set } = useFilters<Filter>()
  const asked = {
    direction: values.direcao as Message['direction'] | undefined,
    type: values.tipo as Message['type'] | undefined,
    status: values.estado as Message['status'] | undefined,
    starred: values.estrela ? true : undefined,
    q: values.q,
  }
  const query = usePages([mode, 'messages', id, asked], (page) =>
    callApi(mode, 'GET /v1/instances/{id}/messages', {
      params: [id],
      query: { ...asked, ...page } as { limit: number },
    }),
  )
  const filtered = Object.values(asked).some(Boolean)
  return (
    <section className="stack-small" aria-labelledby="mensagens">
      <h2 id="mensagens" className="visually-hidden">
        {t.messages.log}
      </h2>
      <div className="filters">
        <Choice
          label={t.messages.direction}
          value={values.direcao ?? ''}
          onChange={(event) => set({ direcao: event.target.value })}
          options={[
            ['', t.common.allFeminine],
            ['inbound', t.messages.inbound],
            ['outbound', t.messages.outbound],
          ]}
        />
        <Choice
          label={t.messages.kind}
          value={values.tipo ?? ''}
          onChange={(event) => set({ tipo: event.target.value })}
          options={[
            ['', t.common.all],
            ...KINDS.map((kind) => [kind, t.kinds[kind]] as const),
            ['pollVote', t.kinds.pollVote],
          ]}
        />
        <Choice
          label={t.common.status}
          value={values.estado ?? ''}
          onChange={(event) => set({ estado: event.target.value })}
          options={[
            ['', t.common.all],
            ...MESSAGE_STATUSES.map((status) => [status, t.messages[status]] as const),
          ]}
        />
        <Choice
          label={t.messages.star}
          value={values.estrela ?? ''}
          onChange={(event) => set({ estrela: event.target.value })}
          options={[
            ['', t.messages.starredOrNot],
            ['sim', t.messages.onlyStarred],
          ]}
        />
        <SearchField
          label={t.messages.search}
          value={values.q}
          onSearch={(q) => set({ q }, { replace: true })}
        />
        <SavedViews page="mensagens" names={FILTERS} />
      </div>
      <Load query={query}>
        {(items) => {
          if (items.length === 0) {
            return filtered ? (
              <Empty text={t.messages.noneFound} />
            ) : (
              <Empty text={t.messages.empty} curl={firstSendCommand(mode, id, t.phone.greeting)}>
                {mode === 'test' && <PhoneLink />}
              </Empty>
            )
          }
          return (
            <>
              <LogTable
                items={items}
                open={values.mensagem}
                onShow={(message) => set({ mensagem: message.id }, { replace: true })}
              />
              <MoreButton query={query} found={items.length} />
            </>
          )
        }}
      </Load>
      {values.mensagem && (
        <Suspense>
          <MessageDetail
            key={values.mensagem}
            instanceId={id}
            id={values.mensagem}
            onClose={() => set({ mensagem: undefined })}
          />
        </Suspense>
      )}
    </section>
  )
}

/** The credits that a message costs in production: failed messages are refunded. */
const creditCost = ({ direction, origin, status }: Message): number =>
  direction === 'outbound' && (origin === 'api' || origin === 'campaign') && status !== 'failed'
    ? 1
    : 0

function LogTable(props: {
  items: Message[]
  open: string | undefined
  onShow: (message: Message) => void
}) {
  const { items, open, onShow } = props
  const { mode } = usePanel()
  return (
    <Table
      caption={t.messages.title}
      rows={items}
      keyOf={({ id }) => id}
      onOpen={onShow}
      isOpen={({ id }) => id === open}
      columns={[
        {
          head: t.messages.direction,
          width: 76,
          cell: ({ direction }) => <Direction of={direction} />,
        },
        {
          head: t.messages.contact,
          width: 190,
          cell: ({ chat }) => titleOf(chat),
        },
        { head: t.messages.kind, width: 104, cell: ({ type }) => t.kinds[type] },
        {
          head: t.messages.text,
          cell: (message) => (
            <button
              type="button"
              className="row-button truncate"
              title={summaryOf(message)}
              onClick={() => onShow(message)}
            >
              {summaryOf(message)}
            </button>
          ),
        },
        {
          head: t.common.status,
          width: 120,
          cell: ({ status, error }) => (
            <span title={error?.message}>
              <MessageState status={status} />
            </span>
          ),
        },
        ...(mode === 'production'
          ? [
              {
                head: t.messages.credit,
                width: 72,
                cell: (message: Message) => creditCost(message),
              },
            ]
          : []),
        {
          head: t.messages.origin,
          width: 96,
          cell: ({ origin }) => t.messages[`origin_${origin}`],
        },
        {
          head: t.messages.when,
          width: 116,
          cell: ({ createdAt }) => <Time at={createdAt} />,
          sortBy: ({ createdAt }) => createdAt,
        },
      ]}
    />
  )
}

/** An arrow that says whether the message was sent or received, and the word for screen readers and as a tooltip. */
function Direction({ of }: { of: Message['direction'] }) {
  const Arrow = of === 'outbound' ? ArrowUpRight : ArrowDownLeft
  return (
    <span title={t.messages[of]}>
      <Arrow size={16} aria-hidden />
      <span className="visually-hidden">{t.messages[of]}</span>
    </span>
  )
}
