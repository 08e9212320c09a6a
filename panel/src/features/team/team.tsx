import {
  DEFAULT_ROLE,
  hasPermission,
  OWNER,
  ROLES,
  type Role,
} from '../../../../src/kernel/permissions.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callPanel } from '../../data/api.ts'
import type { Member } from '../../data/api-types.ts'
import { memberName } from '../../data/member-name.ts'
import { t } from '../../phrases/phrases.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { StatusBadge, CancelButton, Choice, Field } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ActionForm, trimmedText, useAction } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { notify } from '../../ui/notify.ts'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

const asRole = (text: string) => ROLES.find((role) => role === text) ?? DEFAULT_ROLE

/** An account keeps at least one owner. */
const isOnlyOwner = (members: Member[], id: string): boolean => {
  const owners = members.filter(({ role }) => role === OWNER)
  return owners.length === 1 && owners[0]?.id === id
}

/** The members of the account and the pending invitations. */
export function Team() {
  const { me } = usePanel()
  const { values, set } = useFilters<'nova'>()
  const client = useQueryClient()
  const [leaving, setLeaving] = useState<Member | null>(null)
  const [withdrawn, setWithdrawn] = useState<{ id: string; email: string } | null>(null)
  const manages = hasPermission(me.role, 'manageMembers')
  const query = useQuery({
    queryKey: ['members', 'account'],
    queryFn: () => callPanel('GET /panel/api/members'),
  })
  const refresh = () => client.invalidateQueries({ queryKey: ['members'] })
  const { error, run } = useAction(async ({ id, role }: { id: string; role: Role }) => {
    try {
      await callPanel('PATCH /panel/api/members/{id}', { params: [id], body: { role } })
    } finally {
      await refresh()
    }
  })
  return (
    <Page
      title={t.team.title}
      text={t.team.text}
      act={
        manages && (
          <button type="button" className="button primary" onClick={() => set({ nova: 'sim' })}>
            {t.team.invite}
          </button>
        )
      }
    >
      {error !== null && <ErrorBlock error={error} />}
      <Load query={query}>
        {({ items, invitations }) => (
          <>
            <Table
              caption={t.team.title}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                { head: t.common.name, cell: (member) => memberName(member) },
                { head: t.auth.email, cell: ({ email }) => email },
                {
                  head: t.team.role,
                  cell: ({ id, email, role }) =>
                    manages && !isOnlyOwner(items, id) ? (
                      <select
                        aria-label={t.team.roleOf(email)}
                        value={role}
                        onChange={(event) => run({ id, role: asRole(event.target.value) })}
                      >
                        {ROLES.map((one) => (
                          <option key={one} value={one}>
                            {t.team[`role${one}`]}
                          </option>
                        ))}
                      </select>
                    ) : (
                      <span title={isOnlyOwner(items, id) ? t.team.onlyOwner : undefined}>
                        {t.team[`role${role}`]}
                      </span>
                    ),
                },
                {
                  head: t.team.factor,
                  cell: ({ secondFactor }) => (
                    <StatusBadge tone={secondFactor ? 'ok' : 'neutral'}>
                      {secondFactor ? t.team.on : t.team.off}
                    </StatusBadge>
                  ),
                },
                { head: t.team.since, cell: ({ createdAt }) => <Time at={createdAt} /> },
                {
                  head: t.team.lastSignIn,
                  cell: ({ lastSignInAt }) => <Time at={lastSignInAt} />,
                },
              ]}
              menuOf={(member) =>
                manages && !isOnlyOwner(items, member.id)
                  ? [
                      {
                        entries: [
                          { label: t.team.remove, danger: true, act: () => setLeaving(member) },
                        ],
                      },
                    ]
                  : []
              }
            />
            {invitations.length > 0 && (
              <section className="stack-small" aria-labelledby="convites">
                <h2 id="convites">{t.team.invitations}</h2>
                <Table
                  caption={t.team.invitations}
                  rows={invitations}
                  keyOf={({ id }) => id}
                  columns={[
                    { head: t.auth.email, cell: ({ email }) => email },
                    { head: t.team.role, cell: ({ role }) => t.team[`role${role}`] },
                    { head: t.team.until, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                  ]}
                  menuOf={(invitation) =>
                    manages
                      ? [
                          {
                            entries: [
                              {
                                label: t.team.withdraw,
                                danger: true,
                                act: () => setWithdrawn(invitation),
                              },
                            ],
                          },
                        ]
                      : []
                  }
                />
              </section>
            )}
          </>
        )}
      </Load>
      {values.nova !== undefined && manages && (
        <Invite onClose={() => set({ nova: undefined })} onDone={refresh} />
      )}
      {withdrawn && (
        <Confirm
          danger
          inBothModes
          title={t.team.withdraw}
          object={withdrawn.email}
          text={t.team.withdrawText}
          onClose={() => setWithdrawn(null)}
          act={async () => {
            await callPanel('DELETE /panel/api/members/invitations/{id}', {
              params: [withdrawn.id],
            })
            setWithdrawn(null)
            await refresh()
          }}
        />
      )}
      {leaving && (
        <Confirm
          danger
          inBothModes
          name={leaving.email}
          title={t.team.remove}
          text={t.team.removeText(leaving.email)}
          onClose={() => setLeaving(null)}
          act={async () => {
            await callPanel('DELETE /panel/api/members/{id}', { params: [leaving.id] })
            setLeaving(null)
            await refresh()
          }}
        />
      )}
    </Page>
  )
}

function Invite({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) {
  const [role, setRole] = useState<Role>(DEFAULT_ROLE)
  return (
    <Dialog title={t.team.invite} onClose={onClose}>
      <ActionForm
        label={t.common.send}
        secondary={<CancelButton onClick={onClose} />}
        act={async (form) => {
          const body = { email: trimmedText(form, 'email'), role }
          await callPanel('POST /panel/api/members/invitations', { body })
          onClose()
          notify(t.team.invited(body.email))
          await onDone()
        }}
      >
        <Field label={t.auth.email} name="email" type="email" required />
        <Choice
          label={t.team.role}
          value={role}
          hint={t.team[`can${role}`]}
          onChange={(event) => setRole(asRole(event.target.value))}
          options={ROLES.map((one) => [one, t.team[`role${one}`]] as const)}
        />
      </ActionForm>
    </Dialog>
  )
}
