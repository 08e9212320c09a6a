import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import type { Instance } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { Bead, Empty, Time } from '../ui/controls.tsx'
import { Load } from '../ui/load.tsx'
import { OfInstance } from '../ui/of-instance.tsx'
import { usePlace } from '../ui/page.tsx'

export function Groups() {
  const [chosen, onChoose] = useState<string | null>(null)
  return (
    <OfInstance title={t.groups.title} text={t.groups.text} chosen={chosen} onChoose={onChoose}>
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
  const [chosen, onChoose] = useState<string | null>(null)
  return (
    <OfInstance title={t.labels.title} text={t.labels.text} chosen={chosen} onChoose={onChoose}>
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
  const [chosen, onChoose] = useState<string | null>(null)
  return (
    <OfInstance title={t.calls.title} text={t.calls.text} chosen={chosen} onChoose={onChoose}>
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
