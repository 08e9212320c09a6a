import { maskedAddress, type AuditService } from '../company/audit/audit.service.ts'
import type { ProjectsService } from '../company/projects/projects.service.ts'
import type { Clock } from '../kernel/clock.ts'
import { fail } from '../kernel/phrases/fail.ts'
import type { Caller } from '../kernel/principal.ts'
import { contactKeyOf, parseRecipient, isLid } from '../model/recipient.ts'
import { toPage } from '../kernel/schemas.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { AddedOptOuts, ListOptOutsQuery, OptOut } from './opt-outs.schemas.ts'
import { findPersonKeys } from './person-keys.ts'
import { deleteOptOut, insertOptOuts, listOptOuts, type OptOutRow } from './opt-outs.sql.ts'

/** Manages the opt-out list of campaigns. */
export type OptOutsService = ReturnType<typeof createOptOutsService>

/** Creates the service for the opt-out list of a Project and mode (G42). */
export function createOptOutsService(deps: {
  clock: Clock
  audit: AuditService
  projects: Pick<ProjectsService, 'numberCompleter'>
}) {
  const { clock, audit, projects } = deps
  const now = () => new Date(clock.now())

  /** Returns a function from a phone number, in any notation, or LID to the key of the person, or null. */
  async function personReader(db: Db, scope: Scope) {
    const complete = await projects.numberCompleter(db, scope.projectId)
    return (text: string): string | null => {
      const to = parseRecipient(complete(text))
      return to?.chatType === 'direct' ? contactKeyOf(to) : null
    }
  }

  const keysOf = async (db: Db, scope: Scope, person: string): Promise<string[]> => [
    ...((await findPersonKeys(db, scope, [person])).get(person) ?? []),
  ]

  const invalid = (name: string, text: string, field = name) =>
    fail('bad_request', (say) => say.optOuts.phoneInvalid(name, text.slice(0, 60)), { field })

  return {
    /** Lists opt-outs, newest first; with `phone`, at most the one of this person. */
    async list(db: Db, scope: Scope, { limit, offset, phone }: ListOptOutsQuery) {
      const person = phone === undefined ? null : (await personReader(db, scope))(phone)
      if (phone !== undefined && person === null) throw invalid('phone', phone)
      const keys = person === null ? null : await keysOf(db, scope, person)
      const rows = await listOptOuts(db, scope, keys, { limit: limit + 1, offset, now: now() })
      return toPage(rows.map(renderOptOut), limit, offset)
    },

    /** Puts people on the list. Throws 400 for an invalid number. */
    add: (db: Db, scope: Scope, by: Caller, phones: string[]): Promise<AddedOptOuts> =>
      db.transaction(async (tx) => {
        const read = await personReader(tx, scope)
        const people = new Set<string>()
        for (const [index, phone] of phones.entries()) {
          const person = read(phone)
          if (person === null) throw invalid('phones', phone, `phones[${index}]`)
          people.add(person)
        }
        const added = await insertOptOuts(tx, scope, [...people], by.actor, now())
        const [first = ''] = people
        const object = people.size === 1 ? maskedAddress(first) : scope.projectId
        if (added > 0)
          await audit.recordAction(tx, scope, by, 'opt_out.create', object, {
            before: null,
            after: { added },
          })
        return { added, known: people.size - added }
      }),

    /** Takes a person off the list. Throws 404. */
    remove: (db: Db, scope: Scope, by: Caller, phone: string): Promise<void> =>
      db.transaction(async (tx) => {
        const person = (await personReader(tx, scope))(phone)
        if (
          person === null ||
          !(await deleteOptOut(tx, scope, await keysOf(tx, scope, person), now()))
        )
          throw fail('not_found', (say) => say.optOuts.notFound)
        await audit.recordAction(tx, scope, by, 'opt_out.delete', maskedAddress(person))
      }),
  }
}

function renderOptOut({ person, at, addedBy }: OptOutRow): OptOut {
  return {
    phone: isLid(person) ? null : person,
    lid: isLid(person) ? person : null,
    source: addedBy === null ? 'reply' : 'team',
    createdAt: at.toISOString(),
  }
}
