import type { BillingService } from '../billing/billing.service.ts'
import type { Db } from '../db/sql.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { Clock } from '../lib/clock.ts'
import { fail } from '../phrases/fail.ts'
import type { ProjectSettings, ProjectsService } from '../projects/projects.service.ts'
import type { Offer, Payments } from './payments.port.ts'
import { findCustomer, findPayer, lockCustomer, putCustomer } from './payments.sql.ts'

const PAYERS = new Set(['Dono', 'Financeiro'])
const ADDON = 'mass_sending'

export type PaymentsService = ReturnType<typeof createPaymentsService>

/** The plan of a Project, and what can be bought for it. Source: specification §1, 3.4, 7.3. */
export function createPaymentsService(deps: {
  clock: Clock
  payments: Payments
  projects: ProjectsService
  billing: BillingService
  /** Where to write to the operator. */
  contact: string
  panelUrl: string
}) {
  const { clock, payments, projects, billing, contact, panelUrl } = deps
  const returnUrl = `${panelUrl}/plano`

  function requireRole(user: UserPrincipal): void {
    if (!PAYERS.has(user.role)) throw fail('forbidden', (say) => say.auth.roleForbids)
  }

  /** Makes a Project what the payment service says that it is; what it says nothing of is the operator's. */
  async function follow(db: Db, customerId: string): Promise<void> {
    await db.transaction(async (tx) => {
      const projectId = await lockCustomer(tx, customerId)
      if (projectId === null) return
      // Asked for under the lock: whoever comes later is told what is newer.
      const standing = await payments.standing(customerId)
      const { subscription, addons } = await projects.show(tx, projectId)
      const change: ProjectSettings = {}
      if (standing.subscription && standing.subscription !== subscription) {
        change.subscription = standing.subscription
      }
      if (standing.massSending !== null && standing.massSending !== addons.includes(ADDON)) {
        const others = addons.filter((addon) => addon !== ADDON)
        change.addons = standing.massSending ? [...others, ADDON] : others
      }
      if (Object.keys(change).length === 0) return
      await projects.set(tx, projectId, 'payments.follow', change, payments.name)
    })
  }

  async function buy(
    db: Db,
    news: { customerId: string; credits: number; reference: string },
  ): Promise<void> {
    await db.transaction(async (tx) => {
      const projectId = await lockCustomer(tx, news.customerId)
      if (projectId !== null) await billing.purchase(tx, projectId, news, payments.name)
    })
  }

  return {
    /** How the Project stands; everybody in the account may know. */
    async plan(db: Db, user: UserPrincipal) {
      const { projectId } = user
      const { subscription, exempt, addons, usageMode, status } = await projects.show(db, projectId)
      return {
        ...{ subscription, exempt, addons, usageMode, projectStatus: status },
        credits: await billing.credits(db, projectId),
        payments: payments.name,
        contact,
        manageable: (await findCustomer(db, projectId)) !== null,
      }
    },

    /** What can be bought, the cheapest first; nothing where the operator takes the money by himself. */
    async offers(user: UserPrincipal): Promise<{ items: Offer[] }> {
      requireRole(user)
      return { items: await payments.offers() }
    },

    /** The page where it is paid. 403 for other roles, 404 for what is not offered, 409 without a payment service. */
    async checkout(db: Db, user: UserPrincipal, offerId: string): Promise<{ url: string }> {
      requireRole(user)
      const { projectId } = user
      let customerId = await findCustomer(db, projectId)
      if (customerId === null) {
        const payer = await findPayer(db, projectId)
        if (!payer) throw fail('not_found', (say) => say.projects.notFound)
        const made = await payments.createCustomer({ projectId, ...payer })
        const now = new Date(clock.now())
        customerId = await putCustomer(db, { projectId, customerId: made, now })
      }
      return { url: await payments.checkout({ customerId, offerId, returnUrl }) }
    },

    /** The page where a plan is changed, paused or ended. */
    async manage(db: Db, user: UserPrincipal): Promise<{ url: string }> {
      requireRole(user)
      const customerId = await findCustomer(db, user.projectId)
      if (customerId === null) throw fail('conflict', (say) => say.payments.manual)
      return { url: await payments.manage(customerId, returnUrl) }
    },

    /** Ends what a Project pays for again and again. */
    async end(db: Db, projectId: string): Promise<void> {
      const customerId = await findCustomer(db, projectId)
      if (customerId !== null) await payments.end(customerId)
    },

    /** Hears the payment service. What it answers 2xx is committed; anything else is told again. */
    async hear(db: Db, body: Buffer, signature: string): Promise<void> {
      const news = payments.readNews(body, signature)
      if (news?.kind === 'standing') await follow(db, news.customerId)
      if (news?.kind === 'purchase') await buy(db, news)
    },
  }
}
