import { isLid } from '../../../../src/model/recipient.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { ApiError, callApi } from '../../data/api.ts'
import type { Contact, Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Check, Field } from '../../ui/controls.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionForm, trimmedText, useAction } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { Time } from '../../ui/time.tsx'

/** The id of a contact in API paths: the phone number, or the LID while the number is unknown. */
export const addressOf = ({ phone, lid }: Pick<Contact, 'phone' | 'lid'>): string =>
  phone ?? lid ?? ''

/** The search parameters that name the contact and show the card, in the list and in the inbox. */
const PLACE = ['contato', 'conversa', 'instancia', 'sobre'] as const
/** Prefixes the form field of a custom field, whose name may be anything, so that it cannot clash with the others. */
const inputOf = (name: string) => `field:${name}`

/**
 * What the team keeps about a contact: name, fields, whether they want campaigns, and the contact they are the same as.
 */
export function ContactCard({ instance, address }: { instance: Instance; address: string }) {
  const { mode } = usePanel()
  const query = useQuery({
    queryKey: [mode, 'contacts', instance.id, 'one', address],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/contacts/{contactId}', {
        params: [instance.id, address],
      }).catch((error: unknown) => {
        // Someone to whom the instance has only written becomes a contact when they answer, or when they are named
        // here.
        if (error instanceof ApiError && error.status === 404) return unknownContact(address)
        throw error
      }),
  })
  return (
    <Load query={query}>
      {(contact) => (
        <div className="stack-small">
          {contact.createdAt !== '' && instance.status === 'CONNECTED' && (
            <About instanceId={instance.id} address={address} />
          )}
          {contact.identityChangedAt && (
            <p className="quiet">
              {t.contacts.identityChanged} <Time at={contact.identityChangedAt} />.{' '}
              {t.contacts.identityAdvice}
            </p>
          )}
          {/* New when what it shows has changed, and not when a refetch finds the same: that would discard input. */}
          <Details
            key={JSON.stringify([contact.name, contact.fields])}
            instance={instance}
            contact={contact}
          />
          <Campaigns contact={contact} />
          {(contact.phone === null || contact.lid === null) && (
            <SamePerson instance={instance} contact={contact} />
          )}
        </div>
      )}
    </Load>
  )
}

/** What a contact says about themselves, and the texts of a business; nothing until it is loaded. */
function About({ instanceId, address }: { instanceId: string; address: string }) {
  const { mode } = usePanel()
  const { data } = useQuery({
    queryKey: [mode, 'profile', instanceId, address],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/contacts/{contactId}/profile', {
        params: [instanceId, address],
      }),
    retry: false,
  })
  const { about = null, business = null } = data ?? {}
  if (about === null && business === null) return null
  return (
    <div className="quiet">
      {about !== null && <p>{about}</p>}
      {business && (
        <p>{[business.category, business.description].filter((text) => text).join(' · ')}</p>
      )}
    </div>
  )
}

/** Placeholder for a person who is not a contact yet. */
function unknownContact(address: string): Contact {
  return {
    phone: isLid(address) ? null : address,
    lid: isLid(address) ? address : null,
    name: null,
    profileName: null,
    fields: {},
    createdAt: '',
    updatedAt: '',
  }
}

/** Refetches everything that shows a contact. */
function useContactRefresh() {
  const { mode } = usePanel()
  const client = useQueryClient()
  return () =>
    Promise.all(
      (['contacts', 'conversations', 'messages'] as const).map((kind) =>
        client.invalidateQueries({ queryKey: [mode, kind] }),
      ),
    )
}

function Details({ instance, contact }: { instance: Instance; contact: Contact }) {
  const { mode } = usePanel()
  const refresh = useContactRefresh()
  const { name, profileName, fields } = contact
  async function save(form: FormData) {
    const kept = Object.keys(fields).map((key) => [key, trimmedText(form, inputOf(key))] as const)
    const added = [trimmedText(form, 'newName'), trimmedText(form, 'newValue')] as const
    const changed = [...kept, ...(added[0] ? [added] : [])].filter(
      ([key, value]) => fields[key] !== value,
    )
    const called = trimmedText(form, 'name')
    const body = {
      // An unchanged profile name must not be stored as the team's name.
      ...(called === (name ?? '') ? {} : { name: called }),
      ...(changed.length > 0 ? { fields: Object.fromEntries(changed) } : {}),
    }
    if (Object.keys(body).length === 0) return
    const params = [instance.id, addressOf(contact)]
    await callApi(mode, 'PATCH /v1/instances/{id}/contacts/{contactId}', { params, body })
    await refresh()
  }
  return (
    <ActionForm label={t.contacts.save} act={save} edits={PLACE}>
      <Field
        label={t.common.name}
        name="name"
        defaultValue={name ?? ''}
        autoComplete="off"
        maxLength={120}
        hint={
          profileName !== null && profileName !== name ? t.contacts.profile(profileName) : undefined
        }
      />
      {Object.entries(fields).map(([key, value]) => (
        <Field
          key={key}
          label={key}
          name={inputOf(key)}
          defaultValue={value}
          autoComplete="off"
          maxLength={500}
        />
      ))}
      <details>
        <summary>{t.contacts.newField}</summary>
        <Field label={t.contacts.fieldName} name="newName" autoComplete="off" maxLength={40} />
        <Field label={t.contacts.fieldValue} name="newValue" autoComplete="off" maxLength={500} />
      </details>
    </ActionForm>
  )
}

function Campaigns({ contact }: { contact: Contact }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const address = addressOf(contact)
  const query = useQuery({
    queryKey: [mode, 'opt-outs', 'one', address],
    queryFn: () => callApi(mode, 'GET /v1/opt-outs', { query: { phone: address, limit: 1 } }),
  })
  const { error, busy, run } = useAction(async (receives: boolean) => {
    await (receives
      ? callApi(mode, 'DELETE /v1/opt-outs/{phone}', { params: [address] })
      : callApi(mode, 'POST /v1/opt-outs', { body: { phones: [address] } }))
    await client.invalidateQueries({ queryKey: [mode, 'opt-outs'] })
  })
  if (query.error) return <ErrorBlock error={query.error} retry={() => void query.refetch()} />
  if (!query.data) return null
  const receives = query.data.items.length === 0
  return (
    <>
      <Check
        label={t.contacts.receives}
        checked={busy ? !receives : receives}
        disabled={busy}
        onChange={(event) => run(event.target.checked)}
      />
      {error !== null && <ErrorBlock error={error} />}
    </>
  )
}

/** Merges with the other contact of the same person: the network may show one by number and one by LID. */
function SamePerson({ instance, contact }: { instance: Instance; contact: Contact }) {
  const { mode } = usePanel()
  const refresh = useContactRefresh()
  const list = useId()
  const [other, setOther] = useState('')
  const [asking, setAsking] = useState(false)
  const { data } = useQuery({
    queryKey: [mode, 'contacts', instance.id, 'candidates'],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/contacts', {
        params: [instance.id],
        query: { limit: 200 },
      }),
  })
  const candidates = (data?.items ?? []).filter(({ phone, lid }) =>
    contact.phone === null ? phone !== null && lid === null : phone === null,
  )
  if (candidates.length === 0) return null
  const chosen = candidates.find((one) => addressOf(one) === other)
  return (
    <details>
      <summary>{t.contacts.samePerson}</summary>
      <div className="stack-small">
        <Field
          label={t.contacts.other}
          list={list}
          value={other}
          onChange={(event) => setOther(event.target.value)}
        />
        <datalist id={list}>
          {candidates.map((one) => (
            <option key={addressOf(one)} value={addressOf(one)}>
              {one.name ?? ''}
            </option>
          ))}
        </datalist>
        <div className="row">
          <button
            type="button"
            className="button"
            disabled={!chosen}
            onClick={() => setAsking(true)}
          >
            {t.contacts.merge}
          </button>
        </div>
      </div>
      {asking && chosen && (
        <Confirm
          title={t.contacts.merge}
          object={labelOf(contact)}
          text={t.contacts.mergeText(labelOf(contact), labelOf(chosen))}
          onClose={() => setAsking(false)}
          act={async () => {
            await callApi(mode, 'POST /v1/instances/{id}/contacts/{contactId}/merge', {
              params: [instance.id, addressOf(contact)],
              body: { with: addressOf(chosen) },
            })
            setAsking(false)
            await refresh()
          }}
        />
      )}
    </details>
  )
}

/** The name of a contact, or the number while they have none. */
export const labelOf = ({ name, phone, lid }: Pick<Contact, 'name' | 'phone' | 'lid'>): string =>
  name ?? (phone ? formatPhone(phone) : (lid ?? ''))
