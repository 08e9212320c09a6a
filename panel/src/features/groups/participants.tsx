import { useQueryClient } from '@tanstack/react-query'
import { ShieldCheck, ShieldOff, UserMinus } from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Group, Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ActionForm, rawText, useAction } from '../../ui/form.tsx'
import type { MenuGroup } from '../../ui/menu.tsx'
import { notifyFailure } from '../../ui/notify.ts'
import { formatPhone, splitPhones } from '../../ui/phone-number.ts'
import { Table } from '../../ui/table.tsx'
import { addressOf, labelOf } from '../contacts/contact-card.tsx'
import { useTalk } from '../contacts/use-talk.tsx'
import { isAdmin } from './group-settings.tsx'
import { PhonesArea } from '../contacts/phones-area.tsx'
import type { ParticipantAction } from '../../../../src/model/vocabulary.ts'

type Participant = Group['participants'][number]

/** The people of a group. Each has a menu, from which an admin promotes, demotes and removes them. */
export function Participants({ instance, group }: { instance: Instance; group: Group }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const [removing, setRemoving] = useState<Participant | null>(null)
  const change = async (action: ParticipantAction, participants: string[]) => {
    await callApi(mode, 'POST /v1/instances/{id}/groups/{groupId}/participants', {
      params: [instance.id, group.id],
      body: { action, participants },
    })
    await client.invalidateQueries({ queryKey: [mode, 'groups'] })
  }
  const { busy, run } = useAction(
    ({ action, phone }: { action: ParticipantAction; phone: string }) =>
      change(action, [phone]).catch((failure: Error) => notifyFailure(failure.message)),
  )
  const { entriesOf, starting } = useTalk(instance)
  const governs = isAdmin(instance, group)
  /** What can be done with someone. The network changes neither the owner nor people whose number it hides. */
  function menuOf(one: Participant): MenuGroup[] {
    const { phone, role } = one
    if (phone === instance.phone) return []
    const entries = entriesOf(one)
    if (!governs || phone === null || role === 'superadmin') return [{ entries }]
    const isMember = role === 'member'
    return [
      {
        entries: [
          ...entries,
          {
            label: isMember ? t.groups.promote : t.groups.demote,
            icon: isMember ? (
              <ShieldCheck size={16} aria-hidden />
            ) : (
              <ShieldOff size={16} aria-hidden />
            ),
            disabled: busy,
            act: () => run({ action: isMember ? 'promote' : 'demote', phone }),
          },
          {
            label: t.groups.remove,
            icon: <UserMinus size={16} aria-hidden />,
            danger: true,
            act: () => setRemoving(one),
          },
        ],
      },
    ]
  }
  return (
    <>
      <Table
        caption={t.groups.participants}
        rows={group.participants}
        keyOf={addressOf}
        columns={[
          {
            head: t.common.name,
            cell: (one) => (
              <>
                {labelOf(one)}
                {one.role !== 'member' && <small className="quiet"> · {t.groups[one.role]}</small>}
              </>
            ),
          },
          {
            head: t.instances.number,
            width: 180,
            cell: ({ phone }) => (phone ? formatPhone(phone) : t.common.none),
          },
        ]}
        menuOf={menuOf}
      />
      {governs && (
        <details>
          <summary>{t.groups.addPeople}</summary>
          <ActionForm
            label={t.groups.add}
            act={(form) => change('add', splitPhones(rawText(form, 'participants')))}
          >
            <PhonesArea label={t.groups.phones} name="participants" rows={3} />
          </ActionForm>
        </details>
      )}
      {starting}
      {removing?.phone && (
        <Confirm
          danger
          title={t.groups.remove}
          object={labelOf(removing)}
          text={t.groups.removeText(labelOf(removing), group.subject)}
          onClose={() => setRemoving(null)}
          act={async () => {
            await change('remove', [removing.phone ?? ''])
            setRemoving(null)
          }}
        />
      )}
    </>
  )
}
