import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import { Empty, Time } from '../ui/controls.tsx'
import { Load } from '../ui/load.tsx'
import { Page } from '../ui/page.tsx'

type Entry = {
  id: number
  at: string
  actor: string
  actorEmail: string | null
  action: string
  object: string
  before: object | null
  after: object | null
}
const PAGE = 50

/** What was done in the account and to it, newest first. */
export function Audit() {
  const [offset, setOffset] = useState(0)
  const query = useQuery({
    queryKey: ['audit', offset],
    queryFn: () =>
      call<{ items: Entry[]; hasMore: boolean }>(
        ...(['GET', `/panel/api/audit?limit=${PAGE}&offset=${offset}`] as const),
      ),
  })
  return (
    <Page title={t.audit.title} text={t.audit.text}>
      <Load query={query}>
        {({ items, hasMore }) =>
          items.length === 0 ? (
            <Empty text={t.audit.empty} />
          ) : (
            <>
              <div className="tabela">
                <table>
                  <caption className="visually-hidden">{t.audit.title}</caption>
                  <thead>
                    <tr>
                      <th scope="col">{t.messages.when}</th>
                      <th scope="col">{t.audit.who}</th>
                      <th scope="col">{t.audit.what}</th>
                      <th scope="col">{t.audit.change}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map(({ id, at, actor, actorEmail, action, object, before, after }) => (
                      <tr key={id}>
                        <td>
                          <Time at={at} />
                        </td>
                        <td>{actorEmail ?? actor}</td>
                        <td>
                          <code>{action}</code>
                          <div className="discreto">{object}</div>
                        </td>
                        <td>
                          {before && <code>{JSON.stringify(before)}</code>}
                          {before && after && ' → '}
                          {after && <code>{JSON.stringify(after)}</code>}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <div className="linha">
                {offset > 0 && (
                  <button
                    type="button"
                    className="botao"
                    onClick={() => setOffset(Math.max(0, offset - PAGE))}
                  >
                    {t.audit.newer}
                  </button>
                )}
                {hasMore && (
                  <button type="button" className="botao" onClick={() => setOffset(offset + PAGE)}>
                    {t.audit.older}
                  </button>
                )}
              </div>
            </>
          )
        }
      </Load>
    </Page>
  )
}
