import type { AuditService } from '../audit/audit.service.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startOfNextDay, SAO_PAULO, saoPauloDay } from '../../kernel/day.ts'
import { newId } from '../../kernel/ids.ts'
import { fail, type Failure } from '../../kernel/phrases/fail.ts'
import type { UsageQuery, CreditEntries } from './billing.schemas.ts'
import {
  addCredits,
  countTestMessages,
  findDrift,
  hasAddon,
  hasSubscription,
  isBooked,
  listIncoming,
  listUsage,
  readCredits,
  readTestCount,
  refundCredits,
  type Refund,
  type UsageRow,
} from './billing.sql.ts'

const MAX_CREDIT_ENTRIES = 100
/** Messages per day that test mode accepts, sent and received together. */
export const DAILY_CAP = 100
const DAY_MS = 24 * 3600_000
const LAST_DAYS = 29
const MAX_DAYS = 366

/** Manages subscriptions, credits and limits; see `createBillingService`. */
export type BillingService = ReturnType<typeof createBillingService>

/** Subscription, credits and the cap of the test mode (G38). */
export function createBillingService(deps: { clock: Clock; audit: AuditService }) {
  const { clock, audit } = deps
  const today = () => saoPauloDay(clock.now())

  const endOfDay = () => startOfNextDay(SAO_PAULO, clock.now())

  /** 429, with the seconds until the São Paulo day ends. */
  function capReached(): Failure {
    const retryAfter = Math.ceil((endOfDay() - clock.now()) / 1000)
    const reason = 'DAILY_CAP_REACHED'
    return fail('rate_limited', (say) => say.billing.dailyCap, { reason, retryAfter })
  }

  return {
    today,
    capReached,

    /** Throws 402 in production without an active subscription, unless the operator exempted the Project. */
    async requireSubscription(db: Db, scope: Scope): Promise<void> {
      if (await hasSubscription(db, scope, new Date(clock.now()))) return
      throw subscriptionRequired()
    },

    /** The cap of the test mode: what of it is used, and when the day ends. */
    async cap(db: Db, scope: Scope) {
      const used = await readTestCount(db, scope, today(), new Date(clock.now()))
      return { used, limit: DAILY_CAP, resetsAt: new Date(endOfDay()).toISOString() }
    },

    /** Throws 402 in production without this add-on. */
    async requireAddon(db: Db, scope: Scope, addon: 'mass_sending'): Promise<void> {
      if (await hasAddon(db, scope, addon, new Date(clock.now()))) return
      throw fail('payment_required', (say) => say.billing.addonRequired, {
        reason: 'ADDON_REQUIRED',
      })
    },

    /** Counts a message that the test network is about to deliver; throws 429 beyond the cap. */
    async admitTestMessage(tx: Db, scope: Scope): Promise<void> {
      if (scope.mode !== 'test') return
      const admitted = await countTestMessages(tx, scope.projectId, 1, today(), DAILY_CAP)
      if (!admitted) throw capReached()
    },

    /** Counts received messages, which can no longer be rejected. */
    async countReceived(tx: Db, projectId: string, count: number): Promise<void> {
      await countTestMessages(tx, projectId, count, today(), null)
    },

    /** Gives back what messages had cost that the network never took. */
    refund: (tx: Db, refunds: Refund[]) => refundCredits(tx, refunds, new Date(clock.now())),

    /** Projects whose balance is not the sum of what was booked. */
    drift: findDrift,

    credits: (db: Db, projectId: string) => readCredits(db, projectId),

    /** The last 100 times that credits came in, the newest first. */
    async incoming(db: Db, projectId: string): Promise<CreditEntries> {
      const rows = await listIncoming(db, projectId, MAX_CREDIT_ENTRIES)
      return { items: rows.map((row) => ({ ...row, at: row.at.toISOString() })) }
    },

    /** What was used on each of these days of São Paulo. 400 for days that are none, or too many. */
    async usage(db: Db, scope: Scope, query: UsageQuery): Promise<UsageRow[]> {
      const to = query.to ?? today()
      const last = startOf(to) ?? Number.NaN
      const first = query.from === undefined ? last - LAST_DAYS * DAY_MS : startOf(query.from)
      const days = (last - (first ?? Number.NaN)) / DAY_MS
      if (first === null || !(days >= 0 && days <= MAX_DAYS)) {
        throw fail('bad_request', (say) => say.billing.days(MAX_DAYS))
      }
      const from = new Date(first).toISOString().slice(0, 10)
      return [...(await listUsage(db, scope, { from, to, now: new Date(clock.now()) }))]
    },

    /** Adds purchased credits, once per payment, however often it is reported. */
    async purchase(
      tx: Db,
      projectId: string,
      bought: { credits: number; reference: string },
      actor: string,
    ): Promise<void> {
      const { credits: amount, reference } = bought
      const at = new Date(clock.now())
      if (await isBooked(tx, reference)) return
      const entry = { cause: 'purchase' as const, id: reference, amount, at }
      const credits = (await addCredits(tx, projectId, entry)) ?? 0
      const before = { credits: credits - amount }
      const after = { credits, amount, reference }
      const action = 'credits.purchase'
      await audit.record(tx, { actor, action, object: projectId, before, after })
    },

    /** Grants prepaid credits as the operator and answers the new balance. */
    grant: (db: Db, projectId: string, amount: number) =>
      db.transaction(async (tx) => {
        const now = clock.now()
        const grant = { cause: 'grant' as const, id: newId('grt', now), amount, at: new Date(now) }
        const credits = await addCredits(tx, projectId, grant)
        if (credits === null) throw fail('not_found', (say) => say.projects.notFound)
        const before = { credits: credits - amount }
        const entry = { actor: 'operator', action: 'credits.grant', object: projectId, before }
        await audit.record(tx, { ...entry, after: { credits, amount } })
        return credits
      }),
  }
}

/** When a day begins, by its own name; null for one that no calendar has. */
function startOf(day: string): number | null {
  const at = Date.parse(`${day}T00:00:00Z`)
  return at > 0 && new Date(at).toISOString().slice(0, 10) === day ? at : null
}

/** Returns the 402 of a Project without a subscription. */
export function subscriptionRequired(): Failure {
  const reason = 'SUBSCRIPTION_REQUIRED'
  return fail('payment_required', (say) => say.billing.subscriptionRequired, { reason })
}

/** Returns the 402 of a Project without credits. */
export function insufficientCredits(): Failure {
  const reason = 'INSUFFICIENT_CREDITS'
  return fail('payment_required', (say) => say.billing.insufficientCredits, { reason })
}
