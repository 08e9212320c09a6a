import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { curlCommand } from '../../data/api.ts'
import type { Instance } from '../../data/api-types.ts'
import {
  buildMessageBody,
  formDataOf,
  KindFields,
  KINDS,
  sendPathOf,
  scheduleFrom,
  sendFrom,
  type Kind,
} from './compose.tsx'
import { t } from '../../phrases/phrases.ts'
import { Code } from '../../ui/code.tsx'
import { Choice, Field } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ActionForm, trimmedText } from '../../ui/form.tsx'
import { usePanel } from '../../shell/page.tsx'
import { useSendLock } from './send-lock.tsx'
import { Tabs } from '../../ui/tabs.tsx'

const EMPTY = new FormData()
/** Most messages are sent at once. */
const DateTimeField = lazyPart(
  async () => (await import('../../ui/date-time-field.tsx')).DateTimeField,
)

/** Form to send a message of any type, with the equivalent API call in a second tab. */
export function Composer({ instance }: { instance: Instance }) {
  const { id } = instance
  const { mode } = usePanel()
  const lock = useSendLock(instance)
  const client = useQueryClient()
  const { values, set } = useFilters<'forma'>()
  const kind = KINDS.find((one) => one === values.forma) ?? 'text'
  const [view, setView] = useState<'form' | 'api'>('form')
  const [sendAt, setSendAt] = useState('')
  const [form, setForm] = useState<FormData>(EMPTY)
  // Part of the key of the message fields, to reset them after sending; the recipient stays.
  const [sent, setSent] = useState(0)
  const [to, setTo] = useState('')
  if (lock) return lock
  // The log comes first: the form opens on request, and its state is in the address.
  if (values.forma === undefined) {
    return (
      <div>
        <button
          type="button"
          className="button primary"
          onClick={() => set({ forma: 'text' }, { replace: false })}
        >
          {t.messages.compose}
        </button>
      </div>
    )
  }
  async function send(given: FormData) {
    const composed = { kind, form: given }
    const recipient = { to: trimmedText(given, 'to') }
    if (sendAt) await scheduleFrom(mode, id, recipient, composed, new Date(sendAt))
    else await sendFrom(mode, id, recipient, composed)
    setSent(sent + 1)
    setForm(EMPTY)
    setSendAt('')
    await client.invalidateQueries({ queryKey: [mode, sendAt ? 'schedules' : 'messages'] })
  }
  const message = { to: to || '5511999998888', ...buildMessageBody(kind, form) }
  const [path, body] = sendAt
    ? ['scheduled-messages', { sendAt, message: { type: kind, ...message } }]
    : [`messages/${sendPathOf(kind)}`, message]
  return (
    <section className="card" aria-label={t.common.send}>
      <Tabs
        label={t.common.send}
        open={view}
        onOpen={setView}
        tabs={[
          ['form', t.messages.form],
          ['api', t.messages.asApi],
        ]}
      >
        {view === 'api' && (
          <Code
            text={curlCommand(mode, 'POST', `/v1/instances/${id}/${path}`, body)}
            label={t.messages.asApi}
          />
        )}
        {/* Hidden rather than unmounted, to keep the input while the other tab is open. */}
        <div hidden={view !== 'form'} onInput={(event) => setForm(formDataOf(event) ?? EMPTY)}>
          <ActionForm
            act={send}
            label={sendAt ? t.schedules.schedule : t.common.send}
            secondary={
              <>
                <button type="button" className="button" onClick={() => set({ forma: undefined })}>
                  {t.common.close}
                </button>
                <span className="quiet">{t.messages.free}</span>
              </>
            }
          >
            <div className="fields">
              <Choice
                label={t.messages.kind}
                value={kind}
                onChange={(event) => set({ forma: event.target.value })}
                options={KINDS.map((one: Kind) => [one, t.kinds[one]] as const)}
              />
              <Field
                label={t.messages.to}
                name="to"
                inputMode="tel"
                hint={t.messages.toHint}
                value={to}
                onChange={(event) => setTo(event.target.value)}
                required
              />
            </div>
            <KindFields key={`${kind} ${sent}`} kind={kind} />
            <Suspense>
              <DateTimeField
                label={t.schedules.sendAt}
                value={sendAt}
                onChange={setSendAt}
                hint={t.schedules.sendAtHint}
              />
            </Suspense>
          </ActionForm>
        </div>
      </Tabs>
    </section>
  )
}
