import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { curlCommand } from '../api.ts'
import type { Instance } from '../api-types.ts'
import {
  buildMessageBody,
  formDataOf,
  KindFields,
  KINDS,
  sendPathOf,
  sendFrom,
  type Kind,
} from '../compose.tsx'
import { t } from '../phrases/phrases.ts'
import { Code } from '../ui/code.tsx'
import { Choice, Field } from '../ui/controls.tsx'
import { useFilters } from '../ui/filters.ts'
import { ActionForm, trimmedText } from '../ui/form.tsx'
import { usePanel } from '../ui/page.tsx'
import { useSendLock } from '../ui/send-lock.tsx'
import { Tabs } from '../ui/tabs.tsx'

const EMPTY = new FormData()

/** Form to send a message of any type, with the equivalent API call in a second tab. */
export function Composer({ instance }: { instance: Instance }) {
  const { id } = instance
  const { mode } = usePanel()
  const lock = useSendLock(instance)
  const client = useQueryClient()
  const { values, set } = useFilters<'forma'>()
  const kind = KINDS.find((one) => one === values.forma) ?? 'text'
  const [view, setView] = useState<'form' | 'api'>('form')
  const [form, setForm] = useState<FormData>(EMPTY)
  // Part of the key of the message fields, to reset them after sending; the recipient stays.
  const [sent, setSent] = useState(0)
  const [to, setTo] = useState('')
  if (lock) return lock
  async function send(given: FormData) {
    await sendFrom(mode, id, { to: trimmedText(given, 'to') }, { kind, form: given })
    setSent(sent + 1)
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
  }
  const body = { to: to || '5511999998888', ...buildMessageBody(kind, form) }
  return (
    <section className="cartao" aria-label={t.common.send}>
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
            text={curlCommand(
              mode,
              'POST',
              `/v1/instances/${id}/messages/${sendPathOf(kind)}`,
              body,
            )}
            label={t.messages.asApi}
          />
        )}
        {/* Hidden rather than unmounted, to keep the input while the other tab is open. */}
        <div hidden={view !== 'form'} onInput={(event) => setForm(formDataOf(event) ?? EMPTY)}>
          <ActionForm
            act={send}
            label={t.common.send}
            secondary={<span className="discreto">{t.messages.free}</span>}
          >
            <div className="campos">
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
          </ActionForm>
        </div>
      </Tabs>
    </section>
  )
}
