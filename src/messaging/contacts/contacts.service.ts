import type { Db, Scope } from '../../platform/db/sql.ts'
import type { EventDraft, EventsService } from '../../events/events.service.ts'
import { toPage } from '../../kernel/schemas.ts'
import type { ProjectsService } from '../../company/projects/projects.service.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Party } from '../../model/records.schemas.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { parsePhone, phoneSpellings } from '../../kernel/phone-number.ts'
import { ContactBatch, displayName, type ReportedContact } from './contact-batch.ts'
import type { Contact } from './contacts.schemas.ts'
import {
  countContacts,
  findContact,
  findLinkedLids,
  findPhoneByLid,
  listContacts,
  findContactsByIds,
  writeContacts,
  writeIdentityChange,
  type ContactRow,
} from './contacts.sql.ts'

export type { ReportedContact } from './contact-batch.ts'

/**
 * A reported person as stored now. `renamed`: their conversations need the new name. `merged`: they may have
 * conversations under both phone and LID.
 */
export type UpsertedContact = {
  party: Party
  renamed: boolean
  merged: boolean
  /** The details do not fit into the contact, and were not stored. */
  hasExcess?: boolean
}

/** Lists, finds and upserts the contacts of instances. */
export type ContactsService = ReturnType<typeof createContactsService>

/**
 * Creates the service for an instance's contacts. A person has one contact, whether known by phone, by LID or by both (G36).
 */
export function createContactsService(deps: {
  clock: Clock
  events: EventsService
  instances: InstancesService
  projects: Pick<ProjectsService, 'numberCompleter'>
}) {
  const { clock, events, instances, projects } = deps
  const now = () => new Date(clock.now())

  return {
    async list(
      db: Db,
      scope: Scope,
      instanceId: string,
      { limit, offset, q }: { limit: number; offset: number; q?: string },
    ) {
      const page = { limit: limit + 1, offset, now: now() }
      const rows = await listContacts(db, scope, instanceId, q || null, page)
      if (rows.length === 0) await instances.get(db, scope, instanceId)
      return toPage(rows.map(render), limit, offset)
    },

    /** Returns the contact with this phone number, in any notation, or LID. Throws 404. */
    async get(db: Db, scope: Scope, instanceId: string, address: string): Promise<Contact> {
      const complete = await projects.numberCompleter(db, scope.projectId)
      const phone = parsePhone(complete(address))
      const wanted = { phones: phone ? phoneSpellings(phone) : [], lid: address }
      const row = await findContact(db, scope, instanceId, wanted, now())
      if (row) return render(row)
      await instances.get(db, scope, instanceId)
      throw fail('not_found', (say) => say.contacts.notFound)
    },

    /** Returns how many contacts an instance has. */
    count: (db: Db, scope: Scope, instanceId: string): Promise<number> =>
      countContacts(db, scope, instanceId, now()),

    /** Returns the phone number of the contact with this LID, or null if it is unknown. */
    findPhoneByLid: (db: Db, scope: Scope, instanceId: string, lid: string) =>
      findPhoneByLid(db, scope, instanceId, lid, now()),

    /** Returns the given LIDs that a contact links to a phone number. */
    findLinkedLids: (db: Db, chats: { instanceId: string; lid: string }[]) =>
      findLinkedLids(
        db,
        chats.map(({ instanceId }) => instanceId),
        chats.map(({ lid }) => lid),
      ),

    /** Records that a contact's security code has changed; does nothing if the person is not a contact. */
    recordIdentityChange: (tx: Db, instanceId: string, { phone, lid }: Party, at: number) =>
      writeIdentityChange(
        tx,
        instanceId,
        { phones: phone ? phoneSpellings(phone) : [], lid },
        new Date(at),
      ),

    /**
     * Upserts the contacts of people whom the network reports or the team edits: creates missing contacts,
     * fills in new data, merges contacts that turn out to be one person, and records `contact.updated` in
     * the caller's transaction. Returns each person as stored after the whole batch, in input order.
     */
    async upsertContacts(tx: Db, reported: ReportedContact[]): Promise<UpsertedContact[]> {
      const people = reported.filter(({ party }) => party.phone || party.lid)
      if (people.length === 0) return reported.map(unchangedContact)
      const addresses = people.flatMap(({ instance, party: { phone, lid } }) =>
        (phone ? phoneSpellings(phone) : [null]).map((spelling) => ({ instance, spelling, lid })),
      )
      const rows = await findContactsByIds(
        tx,
        addresses.map(({ instance }) => instance.id),
        addresses.map(({ spelling }) => spelling),
        addresses.map(({ lid }) => lid),
      )
      const book = new ContactBatch(rows)
      const at = now()
      const drafts: EventDraft[] = []
      const met = reported.map((meeting): (() => UpsertedContact) => {
        const { instance, party } = meeting
        if (!party.phone && !party.lid) return () => unchangedContact(meeting)
        const { contact, before, merged, latest, hasExcess } = book.apply(meeting)
        const renamed = before !== null && contact.name !== before.name
        if (renamed || merged) drafts.push(toEvent(instance, before, contact, at))
        // A new contact may already have a conversation under only its phone or only its LID.
        const fresh = before === null
        return () => ({
          party: latest(),
          renamed: renamed || (fresh && !!party.name),
          merged: merged || fresh,
          hasExcess,
        })
      })
      const { written, mergedIds } = book.changes()
      if (written.length > 0) await writeContacts(tx, written, mergedIds, at)
      await events.record(tx, drafts)
      return met.map((read) => read())
    },
  }
}

const unchangedContact = ({ party }: ReportedContact): UpsertedContact => ({
  party,
  renamed: false,
  merged: false,
})

type Instance = ReportedContact['instance']

function toEvent(instance: Instance, before: Party | null, contact: Party, at: Date): EventDraft {
  const changed = (field: keyof Party) =>
    before?.[field] === contact[field]
      ? {}
      : { [field]: { from: before?.[field] ?? null, to: contact[field] } }
  const { phone, lid, name } = contact
  const data = {
    contact: { phone, lid, name },
    changes: { ...changed('name'), ...changed('phone'), ...changed('lid') },
    at: at.toISOString(),
  }
  const { id: instanceId, projectId, mode } = instance
  return { name: 'contact.updated', projectId, mode, instanceId, data }
}

function render(row: ContactRow): Contact {
  const { phone, lid, profileName, fields, createdAt, updatedAt, identityChangedAt } = row
  return {
    phone,
    lid,
    name: displayName(row),
    profileName,
    fields,
    ...(identityChangedAt ? { identityChangedAt: identityChangedAt.toISOString() } : {}),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
