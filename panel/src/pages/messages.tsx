import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import type { Instance, Message } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { ActForm, Bead, Empty, Field, textOf, Time, type Tone, typed } from '../ui/controls.tsx'
import { Load } from '../ui/load.tsx'
import { usePlace } from '../ui/page.tsx'

const TONES: Partial<Record<Message['status'], Tone>> = {
  delivered: 'ok',
  read: 'ok',
  played: 'ok',
  received: 'ok',
  failed: 'falha',
}

/** What was said on an instance, newest first, and a form to say more. */
export function Messages({ instance }: { instance: Instance }) {
  const { mode } = usePlace()
  const { id } = instance
  const query = useQuery({
    queryKey: [mode, 'messages', id],
    queryFn: () => api(mode, 'GET /v1/instances/{id}/messages', { params: [id] }),
  })
  return (
    <>
      <Composer instance={instance} />
      <section className="pilha-menor" aria-labelledby="mensagens">
        <h2 id="mensagens">{t.messages.title}</h2>
        <Load query={query}>
          {({ items }) =>
            items.length === 0 ? <Empty text={t.messages.empty} /> : <Log items={items} />
          }
        </Load>
      </section>
    </>
  )
}

function Log({ items }: { items: Message[] }) {
  return (
    <div className="tabela">
      <table>
        <thead>
          <tr>
            <th scope="col">{t.messages.direction}</th>
            <th scope="col">{t.messages.contact}</th>
            <th scope="col">{t.messages.text}</th>
            <th scope="col">{t.common.status}</th>
            <th scope="col">{t.messages.when}</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ id, direction, chat, text, type, status, error, createdAt }) => (
            <tr key={id}>
              <td>{t.messages[direction]}</td>
              <td>{chat.name ?? chat.id.split('@')[0]}</td>
              <td>{text ?? type}</td>
              <td>
                <Bead tone={TONES[status] ?? 'neutro'}>{t.messages[status]}</Bead>
                {error && <div className="discreto">{error.message}</div>}
              </td>
              <td>
                <Time at={createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Composer({ instance: { id } }: { instance: Instance }) {
  const { mode } = usePlace()
  const client = useQueryClient()
  const [to, setTo] = useState('')
  const [text, setText] = useState('')
  async function send(form: FormData) {
    await api(mode, 'POST /v1/instances/{id}/messages/text', {
      params: [id],
      body: { to: textOf(form, 'to'), text: typed(form, 'text') },
    })
    setText('')
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
  }
  const host = mode === 'test' ? `sandbox.${location.host}` : location.host
  const curl = `curl -X POST ${location.protocol}//${host}/v1/instances/${id}/messages/text \\
  -H 'Authorization: Bearer svc_${mode === 'test' ? 'test' : 'live'}_…' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ to: to || '5511999998888', text: text || t.phone.greeting })}'`
  return (
    <section className="cartao">
      <ActForm
        act={send}
        label={t.common.send}
        beside={<span className="discreto">{t.messages.free}</span>}
      >
        <Field
          label={t.messages.to}
          name="to"
          inputMode="tel"
          hint={t.messages.toHint}
          value={to}
          onChange={(event) => setTo(event.target.value)}
          required
        />
        <Field
          label={t.messages.text}
          name="text"
          value={text}
          onChange={(event) => setText(event.target.value)}
          required
        />
      </ActForm>
      <details>
        <summary>{t.messages.asApi}</summary>
        <pre tabIndex={0}>{curl}</pre>
      </details>
    </section>
  )
}
