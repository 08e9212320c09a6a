import type { Mode } from '../../kernel/config/config.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { EventDraft, EventsService } from '../../events/events.service.ts'
import { toPage } from '../../kernel/schemas.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { Contact } from './contacts.schemas.ts'
import {
  findPhoneByLid,
  listContacts,
  findContactsByIds,
  writeContacts,
  type ContactRow,
} from './contacts.sql.ts'

/** A person whom an instance's network reported, with whatever is known of them. */
export type ReportedContact = {
  instance: { id: string; projectId: string; mode: Mode }
  party: Party
}

/**
 * A reported person as stored now. `renamed`: their conversations need the new name. `merged`: they may have
 * conversations under both phone and LID.
 */
export type UpsertedContact = { party: Party; renamed: boolean; merged: boolean }

/** Lists, finds and upserts the contacts of instances. */
export type ContactsService = ReturnType<typeof createContactsService>

/**
 * Creates the service for an instance's contacts. A person has one contact, whether known by phone, by LID or by both (G36).
 */
export function createContactsService(deps: {
  clock: Clock
  events: EventsService
  instances: InstancesService
}) {
  const { clock, events, instances } = deps
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

    /** Returns the phone number of the contact with this LID, or null if it is unknown. */
    findPhoneByLid: (db: Db, scope: Scope, instanceId: string, lid: string) =>
      findPhoneByLid(db, scope, instanceId, lid, now()),

    /**
     * Upserts the contacts of people who wrote, called or changed their name: creates missing contacts, fills in new
     * fields, merges two that turn out to be the same person, and records `contact.updated` in the caller's
     * transaction. Returns each person as stored now, in the order of `meetings`.
     */
    async upsertContacts(tx: Db, meetings: ReportedContact[]): Promise<UpsertedContact[]> {
      const people = meetings.filter(({ party }) => party.phone || party.lid)
      if (people.length === 0) return meetings.map(unchangedContact)
      const rows = await findContactsByIds(
        tx,
        people.map(({ instance }) => instance.id),
        people.map(({ party }) => party.phone),
        people.map(({ party }) => party.lid),
      )
      const book = new ContactBatch(rows)
      const at = now()
      const drafts: EventDraft[] = []
      const met = meetings.map((meeting): UpsertedContact => {
        const { instance, party } = meeting
        if (!party.phone && !party.lid) return unchangedContact(meeting)
        const { contact, before, merged } = book.meet(instance, party)
        const renamed = before !== null && contact.name !== before.name
        if (renamed || merged) drafts.push(toEvent(instance, before, contact, at))
        // A new contact may already have a conversation under only its phone or only its LID.
        const fresh = before === null
        return {
          party: contact,
          renamed: renamed || (fresh && !!party.name),
          merged: merged || fresh,
        }
      })
      const { written, gone } = book.changes()
      if (written.length > 0) await writeContacts(tx, written, gone, at)
      await events.record(tx, drafts)
      return met
    },
  }
}

const unchangedContact = ({ party }: ReportedContact): UpsertedContact => ({
  party,
  renamed: false,
  merged: false,
})

type Instance = ReportedContact['instance']
type Entry = Party & { id: number | null; instance: Pick<Instance, 'id'>; changed: boolean }

/** The stored contacts of one batch, changed in memory as its people are applied in order. */
class ContactBatch {
  readonly #entries = new Set<Entry>()
  readonly #gone: number[] = []
  readonly #owners = new Map<string, Instance>()

  constructor(rows: (ContactRow & { instanceId: string })[]) {
    for (const { id, instanceId, phone, lid, name } of rows) {
      this.#entries.add({ id, instance: { id: instanceId }, phone, lid, name, changed: false })
    }
  }

  #find(instance: Instance, which: (entry: Entry) => boolean): Entry | null {
    for (const entry of this.#entries)
      if (entry.instance.id === instance.id && which(entry)) return entry
    return null
  }

  meet(instance: Instance, party: Party) {
    this.#owners.set(instance.id, instance)
    const byPhone = party.phone
      ? this.#find(instance, (entry) => entry.phone === party.phone)
      : null
    const byLid = party.lid ? this.#find(instance, (entry) => entry.lid === party.lid) : null
    const known = byPhone ?? byLid
    const before: Party | null = known && { phone: known.phone, lid: known.lid, name: known.name }
    const entry: Entry = known ?? {
      id: null,
      instance,
      phone: null,
      lid: null,
      name: null,
      changed: true,
    }
    this.#entries.add(entry)
    const other = byPhone && byLid && byLid !== byPhone ? byLid : null
    if (other?.phone && party.phone) {
      // A different person with their own number: only the LID changes hands.
      Object.assign(other, { lid: null, changed: true })
    } else if (other) {
      this.#entries.delete(other)
      if (other.id !== null) this.#gone.push(other.id)
    }
    // When a phone moves to another account, the newest LID of a phone and the newest phone of a LID win.
    const next = {
      phone: party.phone ?? entry.phone,
      lid: party.lid ?? entry.lid,
      name: party.name ?? entry.name ?? other?.name ?? null,
    }
    const joined = before !== null && (before.phone !== next.phone || before.lid !== next.lid)
    entry.changed ||= joined || other !== null || entry.name !== next.name
    Object.assign(entry, next)
    return { contact: next, before, merged: joined || other !== null }
  }

  changes() {
    const written = [...this.#entries]
      .filter((entry) => entry.changed)
      .map(({ id, instance, phone, lid, name }) => {
        const owner = this.#owners.get(instance.id)
        return {
          id,
          instanceId: instance.id,
          projectId: owner?.projectId ?? '',
          mode: owner?.mode ?? '',
          phone,
          lid,
          name,
        }
      })
    return { written, gone: this.#gone }
  }
}

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

function render({ phone, lid, name, createdAt, updatedAt }: ContactRow): Contact {
  return {
    phone,
    lid,
    name,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
