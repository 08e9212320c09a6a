import { MASS_SENDING } from '../../kernel/addons.ts'
import { hasPermission } from '../../kernel/permissions.ts'
import type { BillingService } from '../billing/billing.service.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/clock.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { ProjectSettings, ProjectsService } from '../projects/projects.service.ts'
import {
  UnknownCustomer,
  type Offer,
  type Payments,
  type Purchase,
  type BillingStatus,
} from './payments.port.ts'
import {
  findCustomer,
  findPayer,
  findUncheckedCustomers,
  lockCustomer,
  markEnded,
  recordApplied,
  recordQuery,
  setChecked,
  putCustomer,
} from './payments.sql.ts'

const DAY_MS = 24 * 3600_000
/** Customers are reconciled after this time, in case webhooks were lost. */
const RECONCILE_AFTER_MS = DAY_MS
const PURCHASE_LOOKBACK_MS = 10 * DAY_MS
const RECONCILE_BATCH_SIZE = 50
/** Delay before a failed reconciliation of a customer is retried. */
const RETRY_AFTER_MS = 3600_000

/** Manages plans and purchases; see `createPaymentsService`. */
export type PaymentsService = ReturnType<typeof createPaymentsService>

/** Manages the plan of a Project, its checkouts and its purchases (G41). */
export function createPaymentsService(deps: {
  clock: Clock
  payments: Payments
  projects: ProjectsService
  billing: BillingService
  /** The operator's email address. */
  contact: string
  panelUrl: string
}) {
  const { clock, payments, projects, billing, contact, panelUrl } = deps
  const returnUrl = `${panelUrl}/producao/plano`
  const now = () => new Date(clock.now())

  function requireRole(user: UserPrincipal): void {
    if (!hasPermission(user.role, 'pay')) throw fail('forbidden', (say) => say.auth.roleForbids)
  }

  /**
   * Updates a Project's subscription and add-on from the payment service; values that the service
   * does not report stay as the operator set them. The service is queried outside any transaction,
   * and the result is discarded if that of a later query has been applied.
   */
  async function syncStanding(db: Db, customerId: string): Promise<void> {
    const query = await recordQuery(db, customerId)
    if (query === null) return
    const standing = await payments.standing(customerId)
    const outlived = await db.transaction(async (tx) => {
      const customer = await lockCustomer(tx, customerId)
      if (!customer || customer.applied > query) return false
      await recordApplied(tx, customerId, query)
      if (customer.deleted) return true
      const change = await changeFor(tx, customer.projectId, standing)
      if (Object.keys(change).length > 0) {
        await projects.set(tx, customer.projectId, 'payments.follow', change, {
          actor: payments.name,
          address: null,
        })
      }
      return false
    })
    // The account has been deleted: cancel what it still pays for.
    if (outlived) await end(db, customerId)
  }

  async function changeFor(
    tx: Db,
    projectId: string,
    standing: BillingStatus,
  ): Promise<ProjectSettings> {
    const { subscription, addons } = await projects.show(tx, projectId)
    const change: ProjectSettings = {}
    // A new subscription that is still pending does not replace the current one.
    const isNewPending = standing.subscription === 'pending' && subscription !== 'none'
    if (standing.subscription && standing.subscription !== subscription && !isNewPending) {
      change.subscription = standing.subscription
    }
    const { massSending } = standing
    const has = massSending === 'active'
    if (massSending && massSending !== 'pending' && has !== addons.includes(MASS_SENDING)) {
      const others = addons.filter((addon) => addon !== MASS_SENDING)
      change.addons = has ? [...others, MASS_SENDING] : others
    }
    return change
  }

  const bookPurchase = (db: Db, customerId: string, purchase: Purchase) =>
    db.transaction(async (tx) => {
      const customer = await lockCustomer(tx, customerId)
      if (customer) await billing.purchase(tx, customer.projectId, purchase, payments.name)
    })

  async function end(db: Db, customerId: string): Promise<void> {
    await payments.end(customerId)
    await markEnded(db, customerId, now())
  }

  /**
   * Returns the customer id of a Project, and creates the customer at its first purchase. `unknown`
   * is a stored id that the service no longer knows.
   */
  async function customerOf(db: Db, user: UserPrincipal, unknown: string | null): Promise<string> {
    const { projectId, userId } = user
    const known = await findCustomer(db, projectId)
    if (known !== null && known !== unknown) return known
    const payer = await findPayer(db, userId)
    if (!payer) throw fail('not_found', (say) => say.projects.notFound)
    const customerId = await payments.createCustomer({ projectId, ...payer, replaces: unknown })
    return putCustomer(db, { projectId, customerId, unknown, now: now() })
  }

  /** Throws 409 if the customer already has the subscription or add-on, or has ordered it, and would pay twice. */
  async function requireNew(customerId: string, offer: Offer): Promise<void> {
    if (offer.interval === null) return
    const { subscription, massSending } = await payments.standing(customerId)
    const owned = offer.kind === MASS_SENDING ? massSending : subscription
    if (owned === 'pending') throw fail('conflict', (say) => say.payments.paymentPending)
    if (owned !== null && owned !== 'canceled')
      throw fail('conflict', (say) => say.payments.alreadyBought)
  }

  /** Reads the standing of a customer and its recent purchases, whose webhooks may have been lost. */
  async function reconcile(db: Db, customerId: string): Promise<void> {
    await syncStanding(db, customerId)
    const since = new Date(clock.now() - PURCHASE_LOOKBACK_MS)
    for (const purchase of await payments.purchases(customerId, since))
      await bookPurchase(db, customerId, purchase)
    // A webhook about the standing is no such check: it says nothing about purchases.
    await setChecked(db, customerId, now())
  }

  async function order(db: Db, user: UserPrincipal, offer: Offer, unknown: string | null) {
    const customerId = await customerOf(db, user, unknown)
    try {
      await requireNew(customerId, offer)
      return { url: await payments.checkout({ customerId, offer, returnUrl }) }
    } catch (error) {
      if (!(error instanceof UnknownCustomer) || unknown !== null) throw error
      return order(db, user, offer, customerId)
    }
  }

  return {
    /** Returns the plan of the Project; every member may read it, and its credits those who may view the account. */
    async plan(db: Db, user: UserPrincipal) {
      const { projectId } = user
      const { subscription, exempt, addons, usageMode, status } = await projects.show(db, projectId)
      const customer = await findCustomer(db, projectId)
      return {
        subscription,
        exempt,
        addons,
        usageMode,
        projectStatus: status,
        credits: hasPermission(user.role, 'viewAccount')
          ? await billing.credits(db, projectId)
          : null,
        payments: payments.name,
        contact,
        manageable: customer !== null && payments.name !== 'manual',
      }
    },

    /** Lists the offers, cheapest first; none if the operator collects payments manually. */
    async offers(user: UserPrincipal): Promise<{ items: Offer[] }> {
      requireRole(user)
      return { items: await payments.offers() }
    },

    /**
     * Returns the URL of a checkout page. Throws 403 for roles that may not pay, 404 for an unknown
     * offer, 409 if the Project already has it or there is no payment service, and 503 while the
     * service is unavailable.
     */
    async checkout(db: Db, user: UserPrincipal, offerId: string): Promise<{ url: string }> {
      requireRole(user)
      if (payments.name === 'manual') throw fail('conflict', (say) => say.payments.manual)
      const offer = (await payments.offers()).find(({ id }) => id === offerId)
      if (!offer) throw fail('not_found', (say) => say.payments.offerNotFound)
      return order(db, user, offer, null)
    },

    /**
     * Lists the latest invoices; empty before the first order. Throws 403 for roles that may not
     * pay and 503 while the service is unavailable.
     */
    async invoices(db: Db, user: UserPrincipal) {
      requireRole(user)
      const customerId = await findCustomer(db, user.projectId)
      if (customerId === null) return { items: [] }
      try {
        const invoices = await payments.invoices(customerId)
        return { items: invoices.map(({ at, ...one }) => ({ ...one, at: at.toISOString() })) }
      } catch (error) {
        if (error instanceof UnknownCustomer) return { items: [] }
        throw error
      }
    },

    /** Returns the URL of the page where the plan is changed, paused or canceled. Throws 409 before the first order. */
    async manage(db: Db, user: UserPrincipal): Promise<{ url: string }> {
      requireRole(user)
      const customerId = await findCustomer(db, user.projectId)
      if (customerId === null) throw fail('conflict', (say) => say.payments.nothingYet)
      try {
        return { url: await payments.manage(customerId, returnUrl) }
      } catch (error) {
        if (error instanceof UnknownCustomer)
          throw fail('conflict', (say) => say.payments.nothingYet)
        throw error
      }
    },

    /**
     * Handles a webhook of the payment service. Returns only after the changes are committed; if it
     * throws, the service retries.
     */
    async handleWebhook(db: Db, body: Buffer, signature: string): Promise<void> {
      const news = payments.parseWebhook(body, signature)
      if (news?.kind === 'standing') {
        // A customer deleted in the meantime has no standing, and a retry of the webhook would not change that.
        await syncStanding(db, news.customerId).catch((error: unknown) => {
          if (!(error instanceof UnknownCustomer)) throw error
        })
      }
      if (news?.kind === 'purchase') await bookPurchase(db, news.customerId, news)
    },

    /** Reconciles customers that have not been checked for a day, and cancels subscriptions of deleted accounts. */
    async sweep(db: Db): Promise<void> {
      if (payments.name === 'manual') return
      const unasked = await findUncheckedCustomers(
        db,
        new Date(clock.now() - RECONCILE_AFTER_MS),
        RECONCILE_BATCH_SIZE,
      )
      const errors: unknown[] = []
      for (const { customerId, projectId, subscription, deleted } of unasked) {
        try {
          if (deleted) await end(db, customerId)
          else await reconcile(db, customerId)
        } catch (error) {
          const isUnknown = error instanceof UnknownCustomer
          if (!isUnknown) errors.push(error)
          // Whether it still pays in another way only the operator knows.
          else if (subscription === 'active')
            errors.push(
              new Error(
                `${payments.name} does not know customer ${customerId} of Project ${projectId}, whose subscription is active: if it has ended, run ops subscription set`,
              ),
            )
          // Move it behind the others; retry soon, unless the service no longer knows the customer.
          const againInMs = isUnknown ? RECONCILE_AFTER_MS : RETRY_AFTER_MS
          const checkedAt = clock.now() - RECONCILE_AFTER_MS + againInMs
          await setChecked(db, customerId, new Date(checkedAt))
        }
      }
      // The failure of one customer must not prevent the reconciliation of others.
      if (errors.length > 0)
        throw new AggregateError(errors, `${errors.length} customers could not be reconciled`, {
          cause: errors[0],
        })
    },

    /** Cancels the subscriptions of a deleted account. If this fails, the sweep retries it. */
    async end(db: Db, projectId: string): Promise<void> {
      const customerId = await findCustomer(db, projectId)
      if (customerId !== null && payments.name !== 'manual') await end(db, customerId)
    },
  }
}
