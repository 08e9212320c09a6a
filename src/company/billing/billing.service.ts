import type { Addon } from '../../kernel/addons.ts'
import type { AuditService } from '../audit/audit.service.ts'
import { requireSettled } from '../../platform/db/access-failure.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startOfNextDay, saoPauloDay } from '../../kernel/day.ts'
import { SAO_PAULO } from '../../kernel/sao-paulo.ts'
import { OPERATOR, type Caller } from '../../kernel/principal.ts'
import { newId } from '../../kernel/ids.ts'
import { fail, type Failure, type RateState } from '../../kernel/phrases/fail.ts'
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
/** Maximum messages per day in test mode, sent and received combined. */
export const DAILY_CAP = 100
const DAY_MS = 24 * 3600_000
const LAST_DAYS = 29
const MAX_DAYS = 366

/** Manages subscriptions, credits and limits; see `createBillingService`. */
export type BillingService = ReturnType<typeof createBillingService>

/** Manages subscriptions, credits and the daily cap of test mode (G38). */
export function createBillingService(deps: { clock: Clock; audit: AuditService }) {
  const { clock, audit } = deps
  const today = () => saoPauloDay(clock.now())

  const endOfDay = () => startOfNextDay(SAO_PAULO, clock.now())

  /** Returns a 429 whose `retryAfter` and rate are the seconds until the day ends in São Paulo. */
  function capReached(): Failure {
    const retryAfter = Math.ceil((endOfDay() - clock.now()) / 1000)
    const reason = 'DAILY_CAP_REACHED'
    const rate: RateState = {
      policy: 'test-day',
      limit: DAILY_CAP,
      windowSeconds: DAY_MS / 1000,
      remaining: 0,
      resetSeconds: retryAfter,
    }
    return fail('rate_limited', (say) => say.billing.dailyCap, { reason, retryAfter, rate })
  }

  return {
    today,
    capReached,

    /** Throws 402 in production without an active subscription, unless the operator exempted the Project. */
    async requireSubscription(db: Db, scope: Scope): Promise<void> {
      if (await hasSubscription(db, scope, new Date(clock.now()))) return
      throw subscriptionRequired()
    },

    /** Returns the daily cap of test mode, how much of it is used, and when it resets. */
    async cap(db: Db, scope: Scope) {
      const used = await readTestCount(db, scope, today(), new Date(clock.now()))
      return { used, limit: DAILY_CAP, resetsAt: new Date(endOfDay()).toISOString() }
    },

    /** Throws 402 in production without this add-on. */
    async requireAddon(db: Db, scope: Scope, addon: Addon): Promise<void> {
      if (await hasAddon(db, scope, addon, new Date(clock.now()))) return
      throw fail('payment_required', (say) => say.billing.addonRequired, {
        reason: 'ADDON_REQUIRED',
      })
    },

    /** Throws 429 in test mode if the daily cap is reached. Locks the count until the transaction ends. */
    async requireTestAllowance(tx: Db, scope: Scope): Promise<void> {
      if (scope.mode !== 'test') return
      const hasRoom = await countTestMessages(tx, scope.projectId, 0, today(), DAILY_CAP - 1)
      if (!hasRoom) throw capReached()
    },

    /** Counts messages that the test network delivers; throws 429 beyond the cap. */
    async reserveTestMessages(tx: Db, scope: Scope, count: number): Promise<void> {
      if (scope.mode !== 'test' || count === 0) return
      const admitted = await countTestMessages(tx, scope.projectId, count, today(), DAILY_CAP)
      if (!admitted) throw capReached()
    },

    /** Counts received messages, which can no longer be rejected. */
    async countReceived(tx: Db, projectId: string, count: number): Promise<void> {
      await countTestMessages(tx, projectId, count, today(), null)
    },

    /** Refunds the credits of messages that the network never accepted. */
    refund: (tx: Db, refunds: Refund[]) => refundCredits(tx, refunds, new Date(clock.now())),

    /** Lists Projects whose balance differs from the sum of their ledger. */
    drift: findDrift,

    credits: (db: Db, projectId: string) => readCredits(db, projectId),

    /** Lists the last 100 credit purchases and grants, newest first. */
    async incoming(db: Db, projectId: string): Promise<CreditEntries> {
      const rows = await listIncoming(db, projectId, MAX_CREDIT_ENTRIES)
      return { items: rows.map((row) => ({ ...row, at: row.at.toISOString() })) }
    },

    /**
     * Lists the usage of a range of days in São Paulo time. Throws 400 for an invalid day or a
     * range that is too long.
     */
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

    /** Books purchased credits. Idempotent: a payment that is reported again has no effect. */
    async purchase(
      tx: Db,
      projectId: string,
      bought: { credits: number; reference: string },
      actor: string,
    ): Promise<void> {
      const { credits: amount, reference } = bought
      const at = new Date(clock.now())
      if (await isBooked(tx, reference)) return
      // The payment service reports it again, to the installation that has the customer by then.
      await requireSettled(tx, projectId)
      const entry = { cause: 'purchase' as const, id: reference, amount, at }
      const credits = (await addCredits(tx, projectId, entry)) ?? 0
      const before = { credits: credits - amount }
      const after = { credits, amount, reference }
      const action = 'credits.purchase'
      await audit.record(tx, { actor, action, object: projectId, before, after })
    },

    /** Grants credits as the operator and returns the new balance. */
    grant: (db: Db, projectId: string, amount: number, by: Caller = OPERATOR) =>
      db.transaction(async (tx) => {
        const now = clock.now()
        const grant = { cause: 'grant' as const, id: newId('grt', now), amount, at: new Date(now) }
        await requireSettled(tx, projectId)
        const credits = await addCredits(tx, projectId, grant)
        if (credits === null) throw fail('not_found', (say) => say.projects.notFound)
        const before = { credits: credits - amount }
        const entry = { ...by, action: 'credits.grant', object: projectId, before }
        await audit.record(tx, { ...entry, after: { credits, amount } })
        return credits
      }),
  }
}

/** Returns the UTC midnight of a YYYY-MM-DD day in ms, or null for an invalid date. */
function startOf(day: string): number | null {
  const at = Date.parse(`${day}T00:00:00Z`)
  return at > 0 && new Date(at).toISOString().slice(0, 10) === day ? at : null
}

/** Returns a 402 for a Project without a subscription. */
export function subscriptionRequired(): Failure {
  const reason = 'SUBSCRIPTION_REQUIRED'
  return fail('payment_required', (say) => say.billing.subscriptionRequired, { reason })
}

/** Returns a 402 for a Project with insufficient credits. */
export function insufficientCredits(): Failure {
  const reason = 'INSUFFICIENT_CREDITS'
  return fail('payment_required', (say) => say.billing.insufficientCredits, { reason })
}
