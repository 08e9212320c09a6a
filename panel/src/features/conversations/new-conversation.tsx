import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useId, useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Area, CancelButton, Choice, Field } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ActionForm, trimmedText } from '../../ui/form.tsx'
import { formatPhone, searchTextOf } from '../../ui/phone-number.ts'
import { TemplateFields, textOrTemplate } from '../messages/template-fields.tsx'

/** The contacts that are suggested at once, and the characters that suggest them. */
const SUGGESTED = 10
const MIN_CHARS = 2

/** Suggests contacts of an instance by name or number while someone types; the number can be a new one. */
function RecipientField({ instanceId, to }: { instanceId: string; to: string }) {
  const { mode } = usePanel()
  const list = useId()
  const [typed, setTyped] = useState(to)
  const wanted = useDeferredValue(searchTextOf(typed.trim()))
  const { data } = useQuery({
    queryKey: [mode, 'contacts', instanceId, 'suggested', wanted],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/contacts', {
        params: [instanceId],
        query: { q: wanted, limit: SUGGESTED },
      }),
    enabled: wanted.length >= MIN_CHARS,
    placeholderData: (previous, query) =>
      query?.queryKey[2] === instanceId ? previous : undefined,
  })
  return (
    <>
      <Field
        label={t.conversations.recipient}
        name="to"
        list={list}
        autoComplete="off"
        placeholder="+55 11 98888-7777"
        value={typed}
        onChange={({ target: { value } }) => setTyped(value)}
        required
      />
      <datalist id={list}>
        {(wanted.length < MIN_CHARS ? [] : (data?.items ?? [])).map(({ phone, name }) =>
          phone === null ? null : (
            <option key={phone} value={formatPhone(phone)}>
              {/* Browsers offer what contains the typed text: the digits are for numbers typed without signs. */}
              {`${name ?? ''} ${phone}`.trim()}
            </option>
          ),
        )}
      </datalist>
    </>
  )
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
  return (
    <Dialog title={t.conversations.start} onClose={onClose}>
      <ActionForm
        label={t.common.send}
        secondary={<CancelButton onClick={onClose} />}
        act={async (form) => {
          const instanceId = trimmedText(form, 'instanceId') || (first?.id ?? '')
          const { conversationId } = await callApi(mode, 'POST /v1/instances/{id}/messages', {
            params: [instanceId],
            body: { to: trimmedText(form, 'to'), ...textOrTemplate(form) },
          })
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
        <RecipientField instanceId={chosen} to={to} />
        {instances.find(({ id }) => id === chosen)?.network === 'cloud_api' ? (
          <TemplateFields instanceId={chosen} />
        ) : (
          <Area label={t.messages.text} name="text" rows={3} required />
        )}
      </ActionForm>
    </Dialog>
  )
}
