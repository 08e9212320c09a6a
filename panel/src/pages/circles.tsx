import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { api } from '../api.ts'
import type { Instance } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { Bead, Empty, Time } from '../ui/controls.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePlace } from '../ui/shell.tsx'

/** A page of what an instance has: the first that was paired, or the one that is chosen. */
function OfInstance(props: {
  title: string
  text: string
  children: (one: Instance) => ReactNode
}) {
  const { title, text, children } = props
  const { mode } = usePlace()
  const [chosen, setChosen] = useState<string | null>(null)
  const query = useQuery({
    queryKey: [mode, 'instances'],
    queryFn: () => api(mode, 'GET /v1/instances'),
  })
  return (
    <Page title={title} text={text}>
      <Load query={query}>
        {({ items }) => {
          const paired = items.filter(({ pairedAt }) => pairedAt !== null)
          const instance = paired.find(({ id }) => id === chosen) ?? paired[0]
          if (!instance) return <Empty text={t.conversations.noInstance} />
          return (
            <>
              {paired.length > 1 && (
                <div className="campo">
                  <label htmlFor="instancia">{t.campaigns.instance}</label>
                  <select
                    id="instancia"
                    value={instance.id}
                    onChange={(event) => setChosen(event.target.value)}
                  >
                    {paired.map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                  </select>
                </div>
              )}
              {children(instance)}
            </>
          )
        }}
      </Load>
    </Page>
  )
}

export function Groups() {
  return (
    <OfInstance title={t.groups.title} text={t.groups.text}>
      {(instance) => <GroupList instance={instance} />}
    </OfInstance>
  )
}

function GroupList({ instance: { id } }: { instance: Instance }) {
  const { mode } = usePlace()
  const query = useQuery({
    queryKey: [mode, 'groups', id],
    queryFn: () => api(mode, 'GET /v1/instances/{id}/groups', { params: [id] }),
  })
  return (
    <Load query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty text={t.groups.empty} />
        ) : (
          <div className="pilha-menor">
            {items.map((group) => (
              <details key={group.id} className="cartao">
                <summary>
                  <strong>{group.subject}</strong> · {t.groups.people(group.participants.length)}
                </summary>
                {group.description && <p>{group.description}</p>}
                <ul>
                  {group.participants.map(({ phone, lid, name, role }) => (
                    <li key={phone ?? lid}>
                      {name ?? phone ?? lid} · {t.groups[role]}
                    </li>
                  ))}
                </ul>
              </details>
            ))}
          </div>
        )
      }
    </Load>
  )
}

export function Labels() {
  return (
    <OfInstance title={t.labels.title} text={t.labels.text}>
      {(instance) => <LabelList instance={instance} />}
    </OfInstance>
  )
}

function LabelList({ instance: { id } }: { instance: Instance }) {
  const { mode } = usePlace()
  const query = useQuery({
    queryKey: [mode, 'labels', id],
    queryFn: () => api(mode, 'GET /v1/instances/{id}/labels', { params: [id] }),
  })
  return (
    <Load query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty text={t.labels.empty} />
        ) : (
          <ul className="pilha-menor">
            {items.map(({ id: label, name, color }) => (
              <li key={label}>
                {name} <span className="discreto">{color}</span>
              </li>
            ))}
          </ul>
        )
      }
    </Load>
  )
}

export function Calls() {
  return (
    <OfInstance title={t.calls.title} text={t.calls.text}>
      {(instance) => <CallList instance={instance} />}
    </OfInstance>
  )
}

function CallList({ instance: { id } }: { instance: Instance }) {
  const { mode } = usePlace()
  const query = useQuery({
    queryKey: [mode, 'calls', id],
    queryFn: () => api(mode, 'GET /v1/instances/{id}/calls', { params: [id] }),
  })
  return (
    <Load query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty text={t.calls.empty} />
        ) : (
          <div className="tabela">
            <table>
              <thead>
                <tr>
                  <th scope="col">{t.messages.contact}</th>
                  <th scope="col">{t.calls.kind}</th>
                  <th scope="col">{t.common.status}</th>
                  <th scope="col">{t.messages.when}</th>
                </tr>
              </thead>
              <tbody>
                {items.map((call) => (
                  <tr key={call.id}>
                    <td>{call.from.name ?? call.from.phone ?? call.from.lid}</td>
                    <td>{call.video ? t.calls.video : t.calls.voice}</td>
                    <td>
                      <Bead tone={call.status === 'accepted' ? 'ok' : 'neutro'}>
                        {t.calls[call.status]}
                      </Bead>
                    </td>
                    <td>
                      <Time at={call.at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Load>
  )
}
