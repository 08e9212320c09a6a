import type { BillingService } from '../billing/billing.service.ts'
import type { Mode } from '../config/config.ts'
import type { Db, Scope } from '../db/sql.ts'
import { pageOf } from '../http/answers.ts'
import type { KeyPrincipal } from '../http/principal.ts'
import { parsePhone } from '../lib/recipient.ts'
import type { PhoneRecord, VirtualPhone, VirtualPhones } from '../networks/virtual-phones.port.ts'
import { fail } from '../phrases/fail.ts'
import type { CreatePhoneBody, Phone } from './phones.schemas.ts'

const MOST_PHONES = 100

export type PhonesService = ReturnType<typeof createPhonesService>

/** Virtual phones: the people's side of the simulated network, on HTTP. Source: contract §3. */
export function createPhonesService(deps: {
  billing: BillingService
  phones: VirtualPhones
  /** Whether instances of this mode live on the simulator; elsewhere these routes do not exist. */
  simulates: (mode: Mode) => boolean
  /** The simulator's statements know nothing of keys: the key is checked before them. */
  recheckKey: (db: Db, principal: KeyPrincipal) => Promise<void>
}) {
  const { billing, phones, simulates, recheckKey } = deps

  /** Throws 404 where the simulator is not, and 401, 402 or 403 when the key may not be used any more. */
  async function admit(db: Db, scope: Scope): Promise<void> {
    if (!simulates(scope.mode)) throw fail('not_found', (say) => say.phones.networkMissing)
    const { keyId, projectId, mode } = scope
    if (keyId) await recheckKey(db, { kind: 'key', keyId, projectId, mode })
  }

  async function require(db: Db, scope: Scope, phoneId: string): Promise<VirtualPhone> {
    await admit(db, scope)
    const phone = await phones.find(db, scope, phoneId)
    if (!phone) throw fail('not_found', (say) => say.phones.notFound)
    return phone
  }

  return {
    admit,
    show: require,

    async create(db: Db, scope: Scope, input: CreatePhoneBody): Promise<Phone> {
      await admit(db, scope)
      const phone = input.phone === undefined ? null : parsePhone(input.phone)
      if (input.phone !== undefined && phone === null) {
        throw fail('bad_request', (say) => say.phones.phoneInvalid)
      }
      const { name, business = false } = input
      const made = await phones.create(db, scope, { name, phone, business, most: MOST_PHONES })
      if (made === 'full') throw fail('bad_request', (say) => say.phones.limit)
      if (made === 'taken') throw fail('conflict', (say) => say.phones.numberTaken)
      return made
    },

    async list(db: Db, scope: Scope, { limit, offset }: { limit: number; offset: number }) {
      await admit(db, scope)
      return pageOf(await phones.list(db, scope, limit + 1, offset), limit, offset)
    },

    async remove(db: Db, scope: Scope, phoneId: string): Promise<void> {
      const phone = await require(db, scope, phoneId)
      await phones.remove(db, scope, phone.id)
    },

    /** The instance that shows this code becomes the phone's. */
    async scan(db: Db, scope: Scope, phoneId: string, code: string): Promise<Phone> {
      const phone = await require(db, scope, phoneId)
      const known = await phones.scan(db, scope, phone, code)
      if (!known) throw fail('bad_request', (say) => say.phones.codeUnknown)
      return require(db, scope, phoneId)
    },

    /** The phone writes; in test mode the message counts against the day's cap (429). */
    async write(
      db: Db,
      scope: Scope,
      phoneId: string,
      body: { to: string; text: string },
    ): Promise<PhoneRecord> {
      const phone = await require(db, scope, phoneId)
      const to = parsePhone(body.to)
      if (!to) throw fail('bad_request', (say) => say.phones.toInvalid)
      return db.transaction(async (tx) => {
        await billing.admitTestMessage(tx, scope)
        const content = { type: 'text' as const, text: body.text }
        const message = await phones.write(tx, scope, phone, to, content)
        if (!message) throw fail('bad_request', (say) => say.phones.toInvalid)
        return message
      })
    },

    async read(db: Db, scope: Scope, phoneId: string, waMessageIds: string[]): Promise<string[]> {
      const phone = await require(db, scope, phoneId)
      const known = await phones.read(db, scope, phone, waMessageIds)
      if (known.length === 0) throw fail('not_found', (say) => say.messages.notFound)
      return known
    },

    async inbox(
      db: Db,
      scope: Scope,
      phoneId: string,
      { limit, offset }: { limit: number; offset: number },
    ) {
      const phone = await require(db, scope, phoneId)
      return pageOf(await phones.inbox(db, scope, phone, limit + 1, offset), limit, offset)
    },

    /** Removes the device on the telephone: the phone's instances log out. */
    async unpair(db: Db, scope: Scope, phoneId: string): Promise<Phone> {
      const phone = await require(db, scope, phoneId)
      await phones.unpair(db, scope, phone)
      return require(db, scope, phoneId)
    },
  }
}
