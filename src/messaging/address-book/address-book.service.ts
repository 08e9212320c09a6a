import { maskedAddress, type AuditService } from '../../company/audit/audit.service.ts'
import {
  lockProjects,
  type LockedDb,
  type ProjectsService,
} from '../../company/projects/projects.service.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import { fail, Failure } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Caller } from '../../kernel/principal.ts'
import { parsePhone } from '../../kernel/phone-number.ts'
import { parseRecipient } from '../../model/recipient.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { MAX_FIELDS, type Contact } from '../contacts/contacts.schemas.ts'
import type { ContactsService, ReportedContact } from '../contacts/contacts.service.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import {
  type ImportContactsBody,
  type ImportedContacts,
  type PatchContactBody,
} from './address-book.schemas.ts'

const MAX_CONTACTS = 200_000

/** Changes the contact details that teams maintain. */
export type AddressBookService = ReturnType<typeof createAddressBookService>

/** The person and instance of a request. */
type ContactRef = { instanceId: string; contactId: string }

/**
 * Creates the service for the contact details that a team maintains:
 * names, custom fields, imports, and merges of duplicate contacts (G81).
 */
export function createAddressBookService(deps: {
  audit: AuditService
  instances: InstancesService
  projects: Pick<ProjectsService, 'numberCompleter'>
  contacts: Pick<ContactsService, 'get' | 'count'>
  conversations: Pick<ConversationsService, 'upsertContacts' | 'has'>
}) {
  const { audit, instances, projects, contacts, conversations } = deps

  const instanceOf = ({ projectId, mode }: Scope, id: string) => ({ id, projectId, mode })

  /**
   * Runs a change to an instance's contacts under the Project's lock, which serializes such
   * changes. Throws 404 if the instance belongs to another Project, which `work` does not check.
   */
  const change = <T>(
    db: Db,
    scope: Scope,
    instanceId: string,
    work: (tx: LockedDb) => Promise<T>,
  ): Promise<T> =>
    db.transaction(async (tx) => {
      await instances.get(tx, scope, instanceId)
      const locked = await lockProjects(tx, [scope.projectId])
      return work(locked)
    })

  /**
   * Returns a contact or, if a conversation has only outbound
   * messages and therefore no contact yet, its party. Throws 404.
   */
  async function find(tx: LockedDb, scope: Scope, instanceId: string, address: string) {
    try {
      return await contacts.get(tx, scope, instanceId, address)
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'not_found') throw error
      const complete = await projects.numberCompleter(tx, scope.projectId)
      const to = parseRecipient(complete(address))
      if (to?.chatType !== 'direct') throw error
      const isKnown = await conversations.has(tx, instanceOf(scope, instanceId), to)
      if (!isKnown) throw error
      return { phone: to.phone, lid: to.lid, name: null, fields: {} }
    }
  }

  return {
    /** Changes name or fields. Throws 400 if the patch is empty or there are too many fields, and 404. */
    update: (
      db: Db,
      scope: Scope,
      by: Caller,
      { instanceId, contactId }: ContactRef,
      details: PatchContactBody,
    ): Promise<Contact> =>
      change(db, scope, instanceId, async (tx) => {
        if (details.name === undefined && details.fields === undefined)
          throw fail('bad_request', (say) => say.contacts.nothingToChange)
        const before = await find(tx, scope, instanceId, contactId)
        const party = { phone: before.phone, lid: before.lid, name: null }
        const meeting = {
          instance: instanceOf(scope, instanceId),
          party,
          details: trimmed(details),
        }
        await conversations.upsertContacts(tx, [meeting])
        const after = await contacts.get(tx, scope, instanceId, contactId)
        const object = maskedAddress(after.phone ?? after.lid ?? contactId)
        // Only the names, because the values are personal data and the log is immutable.
        const fields = [
          ...(details.name === undefined ? [] : ['name']),
          ...Object.keys(details.fields ?? {}),
        ]
        await audit.recordAction(tx, scope, by, 'contact.update', object, {
          before: null,
          after: { fields },
        })
        return after
      }),

    /**
     * Creates and changes contacts by phone number. Invalid numbers are reported and the rest is stored. Throws
     * 404, and 409 if the instance has too many contacts.
     */
    import: (
      db: Db,
      scope: Scope,
      by: Caller,
      instanceId: string,
      { contacts: given }: ImportContactsBody,
    ): Promise<ImportedContacts> =>
      change(db, scope, instanceId, async (tx) => {
        const complete = await projects.numberCompleter(tx, scope.projectId)
        const instance = instanceOf(scope, instanceId)
        const meetings: ReportedContact[] = []
        const problems: ImportedContacts['problems'] = []
        const positions: number[] = []
        for (const [index, one] of given.entries()) {
          const phone = parsePhone(complete(one.phone))
          if (!phone) {
            const message = say.contacts.importedPhoneInvalid(one.phone)
            problems.push({ index, phone: one.phone, reason: 'invalid_number', message })
          } else {
            const party = { phone, lid: null, name: null }
            // An empty name in an import means unknown; it does not clear the stored name.
            const { name, ...rest } = trimmed(one)
            const details = name ? { name, ...rest } : rest
            positions.push(index)
            meetings.push({ instance, party, details, skipsExcess: true })
          }
        }
        const met = await conversations.upsertContacts(tx, meetings)
        for (const [place, index] of positions.entries()) {
          if (!met[place]?.hasExcess) continue
          const { phone } = given[index] ?? { phone: '' }
          const message = say.contacts.tooManyFields(MAX_FIELDS)
          problems.push({ index, phone, reason: 'too_many_fields', message })
        }
        problems.sort((a, b) => a.index - b.index)
        const imported = given.length - problems.length
        if ((await contacts.count(tx, scope, instanceId)) > MAX_CONTACTS)
          throw fail('conflict', (say) => say.contacts.tooMany)
        await audit.recordAction(tx, scope, by, 'contact.import', instanceId, {
          before: null,
          after: { imported },
        })
        return { imported, problems }
      }),

    /**
     * Merges two contacts of the same person, one known by phone number and the other by LID, with their conversations.
     * Throws 400 unless exactly one of them has a phone number, and 404.
     */
    merge: (
      db: Db,
      scope: Scope,
      by: Caller,
      { instanceId, contactId }: ContactRef,
      other: string,
    ): Promise<Contact> =>
      change(db, scope, instanceId, async (tx) => {
        const one = await find(tx, scope, instanceId, contactId)
        const two = await find(tx, scope, instanceId, other)
        const { phone, lid } = {
          phone: one.phone ?? two.phone,
          lid: one.lid ?? two.lid,
        }
        const isSame = one.phone === two.phone && one.lid === two.lid
        if (isSame || !phone || !lid || (one.phone && two.phone) || (one.lid && two.lid))
          throw fail('bad_request', (say) => say.contacts.cannotMerge, { field: 'with' })
        const instance = instanceOf(scope, instanceId)
        await conversations.upsertContacts(tx, [{ instance, party: { phone, lid, name: null } }])
        await audit.recordAction(tx, scope, by, 'contact.merge', maskedAddress(phone), {
          before: null,
          after: { lid: maskedAddress(lid) },
        })
        return contacts.get(tx, scope, instanceId, phone)
      }),
  }
}

/** Trims the name, and the names and values of the fields. */
function trimmed({ name, fields }: PatchContactBody): PatchContactBody {
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(fields === undefined
      ? {}
      : {
          fields: Object.fromEntries(
            Object.entries(fields).map(([key, value]) => [key.trim(), value.trim()]),
          ),
        }),
  }
}
