import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import type { Me } from '../session.ts'
import { ActForm, Bead, CancelButton, ErrorBlock, Field, textOf, Time } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePlace } from '../ui/page.tsx'

type Role = Me['role']
type Member = { id: string; email: string; role: Role; secondFactor: boolean; createdAt: string }
type Invitation = { id: string; email: string; role: Role; expiresAt: string }
const ROLES: Role[] = ['Dono', 'Admin', 'Desenvolvedor', 'Atendente', 'Financeiro']
const MANAGERS: Role[] = ['Dono', 'Admin']

/** The people of the account. */
export function Team() {
  const { me } = usePlace()
  const client = useQueryClient()
  const [inviting, setInviting] = useState(false)
  const [leaving, setLeaving] = useState<Member | null>(null)
  const [error, setError] = useState<unknown>(null)
  const manages = MANAGERS.includes(me.role)
  const query = useQuery({
    queryKey: ['members'],
    queryFn: () =>
      call<{ items: Member[]; invitations: Invitation[] }>('GET', '/panel/api/members'),
  })
  const refresh = () => client.invalidateQueries({ queryKey: ['members'] })
  /** Does what may be refused, and says so above the list. */
  async function attempt(work: () => Promise<unknown>) {
    setError(null)
    try {
      await work()
    } catch (failure) {
      setError(failure)
    }
    await refresh()
  }
  async function invite(form: FormData) {
    const body = { email: textOf(form, 'email'), role: textOf(form, 'role') }
    await call('POST', '/panel/api/members/invitations', body)
    setInviting(false)
    await refresh()
  }
  return (
    <Page
      title={t.team.title}
      text={t.team.text}
      act={
        manages && (
          <button type="button" className="botao principal" onClick={() => setInviting(true)}>
            {t.team.invite}
          </button>
        )
      }
    >
      {error !== null && <ErrorBlock error={error} />}
      <Load query={query}>
        {({ items, invitations }) => (
          <>
            <div className="tabela">
              <table>
                <caption className="visually-hidden">{t.team.title}</caption>
                <thead>
                  <tr>
                    <th scope="col">{t.auth.email}</th>
                    <th scope="col">{t.team.role}</th>
                    <th scope="col">{t.team.factor}</th>
                    <th scope="col">{t.team.since}</th>
                    <th scope="col">
                      <span className="visually-hidden">{t.team.remove}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((member) => (
                    <tr key={member.id}>
                      <td>{member.email}</td>
                      <td>
                        {manages ? (
                          <select
                            aria-label={t.team.roleOf(member.email)}
                            value={member.role}
                            onChange={(event) =>
                              void attempt(() =>
                                call('PATCH', `/panel/api/members/${member.id}`, {
                                  role: event.target.value,
                                }),
                              )
                            }
                          >
                            {ROLES.map((role) => (
                              <option key={role}>{role}</option>
                            ))}
                          </select>
                        ) : (
                          member.role
                        )}
                      </td>
                      <td>
                        <Bead tone={member.secondFactor ? 'ok' : 'neutro'}>
                          {member.secondFactor ? t.team.on : t.team.off}
                        </Bead>
                      </td>
                      <td>
                        <Time at={member.createdAt} />
                      </td>
                      <td>
                        {manages && (
                          <button
                            type="button"
                            className="botao perigo"
                            onClick={() => setLeaving(member)}
                          >
                            {t.team.remove}
                          </button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            {invitations.length > 0 && (
              <section className="pilha-menor" aria-labelledby="convites">
                <h2 id="convites">{t.team.invitations}</h2>
                {invitations.map(({ id, email, role, expiresAt }) => (
                  <div key={id} className="cartao">
                    <div className="cabeca">
                      <span>
                        {email} · {role} · {t.team.until} <Time at={expiresAt} />
                      </span>
                      {manages && (
                        <button
                          type="button"
                          className="botao"
                          onClick={() =>
                            void attempt(() =>
                              call('DELETE', `/panel/api/members/invitations/${id}`),
                            )
                          }
                        >
                          {t.team.withdraw}
                        </button>
                      )}
                    </div>
                  </div>
                ))}
              </section>
            )}
          </>
        )}
      </Load>
      {inviting && (
        <Dialog title={t.team.invite} onClose={() => setInviting(false)}>
          <ActForm
            act={invite}
            label={t.common.send}
            beside={<CancelButton onClick={() => setInviting(false)} />}
          >
            <Field label={t.auth.email} name="email" type="email" required />
            <div className="campo">
              <label htmlFor="papel">{t.team.role}</label>
              <select id="papel" name="role" defaultValue="Desenvolvedor">
                {ROLES.map((role) => (
                  <option key={role}>{role}</option>
                ))}
              </select>
            </div>
          </ActForm>
        </Dialog>
      )}
      {leaving && (
        <Dialog title={t.team.remove} onClose={() => setLeaving(null)}>
          <p>{t.team.removeText(leaving.email)}</p>
          <ActForm
            danger
            act={async () => {
              await call('DELETE', `/panel/api/members/${leaving.id}`)
              setLeaving(null)
              await refresh()
            }}
            label={t.team.remove}
            beside={<CancelButton onClick={() => setLeaving(null)} />}
          >
            {null}
          </ActForm>
        </Dialog>
      )}
    </Page>
  )
}
