import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import { ActForm, Empty, Field, textOf, typed } from '../ui/controls.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePlace } from '../ui/page.tsx'

/** The virtual telephones: who writes to the instances, and what they have received. */
export function Phone() {
  const { mode } = usePlace()
  const client = useQueryClient()
  const [chosen, setChosen] = useState<string | null>(null)
  const query = useQuery({
    queryKey: [mode, 'phones'],
    queryFn: () => api('test', 'GET /v1/simulator/phones'),
    enabled: mode === 'test',
  })
  if (mode !== 'test') {
    return (
      <Page title={t.phone.title}>
        <Empty text={t.phone.testOnly} />
      </Page>
    )
  }
  async function create(form: FormData) {
    const made = await api('test', 'POST /v1/simulator/phones', {
      body: { name: textOf(form, 'name') },
    })
    setChosen(made.id)
    await client.invalidateQueries({ queryKey: [mode, 'phones'] })
  }
  return (
    <Page title={t.phone.title} text={t.phone.text}>
      <Load query={query}>
        {({ items }) => {
          // People write; a telephone that an instance was paired with is the company's own.
          const people = items.filter(({ pairedInstanceIds }) => pairedInstanceIds.length === 0)
          const shown = people.find(({ id }) => id === chosen) ?? people[0]
          return (
            <>
              <section className="cartao">
                {people.length === 0 && <p>{t.phone.empty}</p>}
                {people.length > 0 && (
                  <div className="campo">
                    <label htmlFor="telefone">{t.phone.own}</label>
                    <select
                      id="telefone"
                      value={shown?.id}
                      onChange={(event) => setChosen(event.target.value)}
                    >
                      {people.map(({ id, name, phone }) => (
                        <option key={id} value={id}>
                          {name} · {phone}
                        </option>
                      ))}
                    </select>
                  </div>
                )}
                <ActForm act={create} label={t.phone.create}>
                  <Field
                    label={t.common.name}
                    name="name"
                    defaultValue={t.phone.suggested}
                    required
                  />
                </ActForm>
              </section>
              {shown && <Writing phoneId={shown.id} />}
              {shown && <Received phoneId={shown.id} />}
            </>
          )
        }}
      </Load>
    </Page>
  )
}

function Writing({ phoneId }: { phoneId: string }) {
  const { mode } = usePlace()
  const client = useQueryClient()
  const [text, setText] = useState(t.phone.greeting)
  const instances = useQuery({
    queryKey: [mode, 'instances'],
    queryFn: () => api('test', 'GET /v1/instances'),
  })
  async function write(form: FormData) {
    await api('test', 'POST /v1/simulator/phones/{id}/messages', {
      params: [phoneId],
      body: { to: textOf(form, 'to'), text: typed(form, 'text') },
    })
    setText('')
    await client.invalidateQueries({ queryKey: [mode, 'cap'] })
  }
  return (
    <section className="cartao">
      <Load query={instances}>
        {({ items }) => {
          const connected = items.filter(({ phone, status }) => phone && status === 'CONNECTED')
          if (connected.length === 0) return <p>{t.phone.noInstance}</p>
          return (
            <ActForm
              act={write}
              label={t.common.send}
              beside={<span className="discreto">{t.phone.cost}</span>}
            >
              <div className="campo">
                <label htmlFor="para">{t.phone.to}</label>
                <select id="para" name="to">
                  {connected.map(({ id, name, phone }) => (
                    <option key={id} value={phone ?? ''}>
                      {name} · {phone}
                    </option>
                  ))}
                </select>
              </div>
              <Field
                label={t.phone.text2}
                name="text"
                value={text}
                onChange={(event) => setText(event.target.value)}
                required
              />
            </ActForm>
          )
        }}
      </Load>
    </section>
  )
}

function Received({ phoneId }: { phoneId: string }) {
  const { mode } = usePlace()
  const query = useQuery({
    queryKey: [mode, 'inbox', phoneId],
    queryFn: () => api('test', 'GET /v1/simulator/phones/{id}/inbox', { params: [phoneId] }),
  })
  return (
    <section className="cartao" aria-labelledby="recebidas">
      <h2 id="recebidas">{t.phone.received}</h2>
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="discreto">{t.phone.nothing}</p>
          ) : (
            <ul className="bolhas">
              {items.map(({ id, text, type }) => (
                <li key={id}>{text ?? type}</li>
              ))}
            </ul>
          )
        }
      </Load>
    </section>
  )
}
