import { phoneSpellings } from '../../kernel/phone-number.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Mode } from '../../kernel/config/config.ts'
import type { Party } from '../../model/records.schemas.ts'
import { MAX_FIELDS } from './contacts.schemas.ts'
import type { ContactRow, ContactWrite } from './contacts.sql.ts'

/** Contact details from the team. In `fields`, an empty text removes the field. */
type ContactDetails = {
  /** An empty name restores the profile name. */
  name?: string | undefined
  fields?: Record<string, string> | undefined
}

/** A person reported by an instance's network, or whose details the team edits. */
export type ReportedContact = {
  instance: { id: string; projectId: string; mode: Mode }
  party: Party
  details?: ContactDetails
  /** Ignores details that would give the contact too many fields, instead of throwing. */
  skipsExcess?: true
}

type Instance = ReportedContact['instance']
type Entry = Omit<ContactRow, 'id' | 'createdAt' | 'updatedAt'> & {
  id: number | null
  instance: Pick<Instance, 'id'>
  changed: boolean
}

const laterOf = (one: Date | null, other: Date | null) =>
  one === null || (other !== null && other > one) ? other : one

/** The display name of a contact. */
export const displayName = ({
  customName,
  profileName,
}: Pick<ContactRow, 'customName' | 'profileName'>) => customName ?? profileName

const toParty = (entry: Entry): Party => ({
  phone: entry.phone,
  lid: entry.lid,
  name: displayName(entry),
})

/** The stored contacts that one batch affects; people are applied to them in memory, in order. */
export class ContactBatch {
  readonly #entries = new Set<Entry>()
  readonly #mergedIds: number[] = []
  readonly #instances = new Map<string, Instance>()
  /** Maps each removed contact to the one that it was merged into. */
  readonly #mergedInto = new Map<Entry, Entry>()

  constructor(rows: (ContactRow & { instanceId: string })[]) {
    for (const { id, instanceId, phone, lid, ...row } of rows) {
      const { profileName, customName, fields, identityChangedAt } = row
      const names = { profileName, customName, fields, identityChangedAt }
      this.#entries.add({ id, instance: { id: instanceId }, phone, lid, ...names, changed: false })
    }
  }

  #find(instance: Instance, which: (entry: Entry) => boolean): Entry | null {
    for (const entry of this.#entries)
      if (entry.instance.id === instance.id && which(entry)) return entry
    return null
  }

  /**
   * Finds the contact with this phone. Numbers entered by the team (`isEdit`), and entered
   * contacts that the network has not confirmed yet, match with or without the ninth digit.
   */
  #findByPhone(instance: Instance, phone: string, isEdit: boolean): Entry | null {
    const spellings = phoneSpellings(phone)
    const isUnconfirmed = ({ lid, profileName }: Entry) => lid === null && profileName === null
    return (
      this.#find(instance, (entry) => entry.phone === phone) ??
      this.#find(
        instance,
        (entry) =>
          entry.phone !== null &&
          spellings.includes(entry.phone) &&
          (isEdit || isUnconfirmed(entry)),
      )
    )
  }

  /**
   * Applies one person. Returns the contact before and after, whether phone and LID were linked (`merged`),
   * and a function that returns the contact once the whole batch is applied. Throws 400 for too many fields.
   */
  apply({ instance, party, details, skipsExcess }: ReportedContact) {
    this.#instances.set(instance.id, instance)
    const isEdit = details !== undefined
    const byPhone = party.phone ? this.#findByPhone(instance, party.phone, isEdit) : null
    const byLid = party.lid ? this.#find(instance, (entry) => entry.lid === party.lid) : null
    const known = byPhone ?? byLid
    const before: Party | null = known && toParty(known)
    const entry: Entry = known ?? {
      id: null,
      instance,
      phone: null,
      lid: null,
      profileName: null,
      customName: null,
      fields: {},
      identityChangedAt: null,
      changed: true,
    }
    this.#entries.add(entry)
    const other = byPhone && byLid && byLid !== byPhone ? byLid : null
    const isOtherPerson = !!other?.phone && !!party.phone
    if (other && isOtherPerson) {
      // The other contact has its own phone number, so it is another person: only the LID moves.
      Object.assign(other, { lid: null, changed: true })
    } else if (other) {
      this.#entries.delete(other)
      this.#mergedInto.set(other, entry)
      if (other.id !== null) this.#mergedIds.push(other.id)
    }
    const joined = isOtherPerson ? null : other
    const fields = { ...joined?.fields, ...entry.fields, ...details?.fields }
    const customName = entry.customName ?? joined?.customName ?? null
    // Phone numbers get reassigned: the LID last reported for a phone, and the phone for a LID, win.
    const next = {
      // The team's spelling of a number never replaces the network's.
      phone: isEdit ? (entry.phone ?? party.phone) : (party.phone ?? entry.phone),
      lid: party.lid ?? entry.lid,
      profileName: party.name ?? entry.profileName ?? other?.profileName ?? null,
      customName: details?.name === undefined ? customName : details.name || null,
      fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')),
      identityChangedAt: laterOf(entry.identityChangedAt, joined?.identityChangedAt ?? null),
    }
    const hasExcess = details?.fields && Object.keys(next.fields).length > MAX_FIELDS
    if (hasExcess && !skipsExcess)
      throw fail('bad_request', (say) => say.contacts.tooManyFields(MAX_FIELDS), {
        field: 'fields',
      })
    if (hasExcess) Object.assign(next, { fields: entry.fields, customName: entry.customName })
    const moved = before !== null && (before.phone !== next.phone || before.lid !== next.lid)
    entry.changed ||=
      moved ||
      other !== null ||
      entry.profileName !== next.profileName ||
      entry.customName !== next.customName ||
      details?.fields !== undefined
    Object.assign(entry, next)
    return {
      contact: toParty(entry),
      hasExcess: hasExcess === true,
      before,
      merged: moved || other !== null,
      latest: () => toParty(this.#latest(entry)),
    }
  }

  #latest(entry: Entry): Entry {
    const joined = this.#mergedInto.get(entry)
    return joined ? this.#latest(joined) : entry
  }

  /** Returns the changes to write. */
  changes(): { written: ContactWrite[]; mergedIds: number[] } {
    const written = [...this.#entries]
      .filter((entry) => entry.changed)
      .map(({ id, instance, ...entry }) => {
        const { phone, lid, profileName, customName, fields, identityChangedAt } = entry
        const owner = this.#instances.get(instance.id)
        return {
          id,
          instanceId: instance.id,
          projectId: owner?.projectId ?? '',
          mode: owner?.mode ?? '',
          phone,
          lid,
          profileName,
          customName,
          fields,
          identityChangedAt,
        }
      })
    return { written, mergedIds: this.#mergedIds }
  }
}
