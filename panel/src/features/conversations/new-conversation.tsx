import { STATUS_CHAT } from '../../../../src/model/recipient.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { callApi } from '../../data/api.ts'
import { callOnce } from '../../data/call-once.ts'
import type { Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Area, CancelButton, Check, Choice } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ActionForm, trimmedText } from '../../ui/form.tsx'
import { formatPhone, searchTextOf } from '../../ui/phone-number.ts'
import { SuggestField } from '../../ui/suggest-field.tsx'
import { TemplateFields, textOrTemplate } from '../messages/template-fields.tsx'

/** The contacts that are suggested at once, and the characters that suggest them. */
const SUGGESTED = 10
const MIN_CHARS = 2
const PAUSE_MS = 250

/** Suggests contacts of an instance by name or number while someone types; the number can be a new one. */
function RecipientField({ instanceId, to }: { instanceId: string; to: string }) {
  const { mode } = usePanel()
  const [typed, setTyped] = useState(to)
  const wanted = usePaused(searchTextOf(typed.trim()))
  const isWanted = wanted.length >= MIN_CHARS
  const { data } = useQuery({
    queryKey: [mode, 'contacts', instanceId, 'suggested', wanted],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/contacts', {
        params: [instanceId],
        query: { q: wanted, limit: SUGGESTED },
      }),
    enabled: isWanted,
    placeholderData: (previous, query) =>
      query?.queryKey[2] === instanceId ? previous : undefined,
  })
  const suggestions = (isWanted ? (data?.items ?? []) : []).flatMap(({ phone, name }) => {
    if (phone === null) return []
    const text = formatPhone(phone)
    const label = (
      <>
        <span className="truncate">{name ?? text}</span>
        {name !== null && <span className="quiet">{text}</span>}
      </>
    )
    return text === typed ? [] : [{ text, label }]
  })
  return (
    <SuggestField
      label={t.conversations.recipient}
      name="to"
      placeholder="+55 11 98888-7777"
      value={typed}
      onChange={setTyped}
      suggestions={suggestions}
    />
  )
}

/** The text once typing has paused, so that not every letter asks the server. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = window.setTimeout(() => setPaused(text), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [text])
  return paused
}

/** Writes the first message to a number, and opens the conversation with it. */
export function NewConversation(props: {
  /** Those that may send it, of which the first is chosen; at least one. */
  instances: Instance[]
  /** The number, if it is known. */
  to: string
  onClose: () => void
}) {
  const { instances, to, onClose } = props
  const { mode, modo } = usePanel()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [first] = instances
  const [chosen, setChosen] = useState(first?.id ?? '')
  const instance = instances.find(({ id }) => id === chosen)
  const [wantsPost, setWantsPost] = useState(false)
  const isOfficial = instance?.network === 'cloud_api'
  const mayPost = to === '' && !isOfficial && instance?.settings.publishing === true
  const isPost = wantsPost && mayPost
  return (
    <Dialog title={t.conversations.start} onClose={onClose}>
      <ActionForm
        label={t.common.send}
        secondary={<CancelButton onClick={onClose} />}
        act={async (form) => {
          const instanceId = trimmedText(form, 'instanceId') || (first?.id ?? '')
          const recipient = isPost ? STATUS_CHAT : trimmedText(form, 'to')
          const body = { to: recipient, ...textOrTemplate(form) }
          const { conversationId } = await callOnce([mode, instanceId, body], (key) =>
            callApi(mode, 'POST /v1/instances/{id}/messages', { params: [instanceId], body, key }),
          )
          await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
          onClose()
          await navigate({
            to: '/$modo/conversas',
            params: { modo },
            search: { conversa: conversationId },
          })
        }}
      >
        {instances.length > 1 && (
          <Choice
            label={t.campaigns.instance}
            name="instanceId"
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
            options={instances.map(({ id, name }) => [id, name] as const)}
          />
        )}
        {mayPost && (
          <Check
            label={t.conversations.postStatus}
            checked={wantsPost}
            onChange={(event) => setWantsPost(event.target.checked)}
          />
        )}
        {!isPost && <RecipientField instanceId={chosen} to={to} />}
        {isOfficial ? (
          <TemplateFields instanceId={chosen} />
        ) : (
          <Area label={t.messages.text} name="text" rows={3} required />
        )}
      </ActionForm>
    </Dialog>
  )
}
