import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Group, Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { ActionButton } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { Time } from '../../ui/time.tsx'

/** Who asks to join a group whose admins approve new members; asked for once it is unfolded. */
export function JoinRequests({ instance, group }: { instance: Instance; group: Group }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const [open, setOpen] = useState(false)
  const params = [instance.id, group.id]
  const query = useQuery({
    queryKey: [mode, 'groups', instance.id, 'requests', group.id],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/groups/{groupId}/join-requests', { params }),
    enabled: open,
  })
  if (!group.settings?.joinApproval) return null
  const answer = async (action: 'approve' | 'reject', participant: string) => {
    try {
      await callApi(mode, 'POST /v1/instances/{id}/groups/{groupId}/join-requests', {
        params,
        body: { action, participants: [participant] },
      })
    } finally {
      // Also after an error: another admin may have answered meanwhile.
      await client.invalidateQueries({ queryKey: [mode, 'groups'] })
    }
  }
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.groups.joinRequests}</summary>
      {open && (
        <Load query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <p>{t.groups.noJoinRequests}</p>
            ) : (
              <ul className="stack-small">
                {items.map(({ phone, lid, name, requestedAt }) => {
                  const number = phone ? formatPhone(phone) : lid
                  return (
                    <li key={phone ?? lid} className="row">
                      <span>{name ? `${name} (${number})` : number}</span>
                      <Time at={requestedAt} />
                      <ActionButton
                        label={t.groups.approve}
                        act={() => answer('approve', phone ?? lid ?? '')}
                      />
                      <ActionButton
                        label={t.groups.reject}
                        act={() => answer('reject', phone ?? lid ?? '')}
                      />
                    </li>
                  )
                })}
              </ul>
            )
          }
        </Load>
      )}
    </details>
  )
}
