import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Group, Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Check, Choice } from '../../ui/controls.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ActionButton, ActionForm, trimmedText } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'

const SWITCHES = ['onlyAdminsSend', 'onlyAdminsEdit', 'joinApproval'] as const
const DAY = 86_400
const DURATIONS = [0, DAY, 7 * DAY, 90 * DAY] as const

/** Whether the instance may change the group's settings and see its invitation. */
export const isAdmin = ({ phone }: Instance, { participants }: Group): boolean =>
  participants.some((one) => one.phone === phone && one.role !== 'member')

/** The settings that the form changes: what someone else changed meanwhile is not undone. */
function changedIn(form: FormData, settings: NonNullable<Group['settings']>) {
  const chosen = {
    ...Object.fromEntries(SWITCHES.map((name) => [name, form.get(name) === 'on'])),
    disappearingSeconds: Number(trimmedText(form, 'disappearingSeconds')) as 0,
  } as typeof settings
  const names = Object.keys(chosen) as (keyof typeof settings)[]
  return Object.fromEntries(
    names.filter((name) => chosen[name] !== settings[name]).map((name) => [name, chosen[name]]),
  )
}

/** The settings of a group, which its admins change. */
export function GroupSettings({ instance, group }: { instance: Instance; group: Group }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const { settings } = group
  if (!settings) return null
  return (
    <details>
      <summary>{t.groups.settings}</summary>
      <ActionForm
        act={async (form) => {
          if (Object.keys(changedIn(form, settings)).length === 0) return
          await callApi(mode, 'PATCH /v1/instances/{id}/groups/{groupId}', {
            params: [instance.id, group.id],
            body: { settings: changedIn(form, settings) },
          })
          await client.invalidateQueries({ queryKey: [mode, 'groups'] })
        }}
      >
        {SWITCHES.map((name) => (
          <Check key={name} label={t.groups[name]} name={name} defaultChecked={settings[name]} />
        ))}
        <Choice
          label={t.groups.disappearing}
          name="disappearingSeconds"
          defaultValue={settings.disappearingSeconds}
          options={DURATIONS.map((seconds) => [
            String(seconds),
            seconds === 0 ? t.groups.never : t.groups.afterDays(seconds / DAY),
          ])}
        />
      </ActionForm>
    </details>
  )
}

/** The invitation link of a group, which an admin copies or replaces; asked for once it is unfolded. */
export function GroupInvite({ instance, group }: { instance: Instance; group: Group }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const [open, setOpen] = useState(false)
  const params = [instance.id, group.id]
  const key = [mode, 'groups', instance.id, 'invite', group.id] as const
  const query = useQuery({
    queryKey: key,
    queryFn: () => callApi(mode, 'GET /v1/instances/{id}/groups/{groupId}/invite', { params }),
    enabled: open,
  })
  const reset = async () => {
    const path = 'POST /v1/instances/{id}/groups/{groupId}/invite/reset'
    client.setQueryData(key, await callApi(mode, path, { params }))
  }
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.groups.invite}</summary>
      {open && (
        <Load query={query}>
          {({ url }) => (
            <div className="stack-small">
              <code className="invite-link">{url}</code>
              <div className="row">
                <CopyButton text={url} />
                <ActionButton label={t.groups.resetInvite} act={reset} />
              </div>
            </div>
          )}
        </Load>
      )}
    </details>
  )
}
