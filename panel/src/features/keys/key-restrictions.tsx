import type { Key } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { useInstances } from '../../data/queries.ts'
import { Area, Check, Field } from '../../ui/controls.tsx'
import { trimmedText } from '../../ui/form.tsx'

const PERMISSIONS = ['read', 'send', 'manage'] as const

/** The restrictions of a new key; every field is optional. */
export function RestrictionFields() {
  const { data } = useInstances()
  return (
    <details className="example">
      <summary>{t.keys.restrict}</summary>
      <div className="stack-small">
        <fieldset>
          <legend>{t.keys.may}</legend>
          {PERMISSIONS.map((permission) => (
            <Check
              key={permission}
              name="permissions"
              value={permission}
              defaultChecked
              label={t.keys[permission]}
            />
          ))}
        </fieldset>
        {data && data.items.length > 0 && (
          <fieldset>
            <legend>{t.keys.onlyInstances}</legend>
            {data.items.map(({ id, name }) => (
              <Check key={id} name="instanceIds" value={id} label={name} />
            ))}
          </fieldset>
        )}
        <Area label={t.keys.addresses} hint={t.keys.addressesHint} name="addresses" rows={2} />
        <Field label={t.keys.perMinute} name="requestsPerMinute" type="number" min={1} />
      </div>
    </details>
  )
}

/** Reads the fields of `RestrictionFields`; undefined if the user restricted nothing. */
export function readRestrictions(form: FormData) {
  const permissions = PERMISSIONS.filter((name) => form.getAll('permissions').includes(name))
  const instanceIds = form.getAll('instanceIds').map(String)
  const addresses = trimmedText(form, 'addresses')
    .split(/[\s,;]+/)
    .filter((text) => text !== '')
  const requestsPerMinute = Number(trimmedText(form, 'requestsPerMinute'))
  const restrictions = {
    ...(permissions.length < PERMISSIONS.length ? { permissions } : {}),
    ...(instanceIds.length > 0 ? { instanceIds } : {}),
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(requestsPerMinute > 0 ? { requestsPerMinute } : {}),
  }
  return Object.keys(restrictions).length > 0 ? restrictions : undefined
}

/** What a key may do, in a few words. */
export function KeyReach({ restrictions }: Key) {
  const { data } = useInstances()
  if (!restrictions) return t.keys.unrestricted
  const { permissions, instanceIds, addresses, requestsPerMinute } = restrictions
  const names = instanceIds?.map((id) => data?.items.find((one) => one.id === id)?.name ?? id)
  return [
    permissions?.map((permission) => t.keys[permission]).join(', '),
    names?.join(', '),
    addresses?.join(', '),
    requestsPerMinute === null ? null : t.keys.rate(requestsPerMinute),
  ]
    .filter((part) => part !== null && part !== undefined)
    .join(' · ')
}
