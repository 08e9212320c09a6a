import { MASS_SENDING } from '../../kernel/addons.ts'
import { createHash } from 'node:crypto'
import type { Agent } from 'node:http'
import Stripe from 'stripe'
import type { Clock } from '../../kernel/clock.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import {
  idOf,
  kindsOf,
  toPaymentEvent,
  toOffer,
  toPurchase,
  toStatus,
  STATUSES_BEST_FIRST,
  type Priced,
} from './from-stripe.ts'
import {
  UnknownCustomer,
  type Payments,
  type Purchase,
  type BillingStatus,
} from './payments.port.ts'

const TIMEOUT_MS = 20_000
const RETRIES = 2
const PAGE_SIZE = 100
const MAX_INVOICES = 24
const INVOICE_STATES = ['open', 'paid', 'void', 'uncollectible'] as const
const TOLERANCE_S = 300
const PRICE_CACHE_MS = 60_000

/** Whether two checkout sessions are for the same subscription. Those of an earlier version do not record it. */
function isSameOffer(one: Stripe.Checkout.Session, other: Stripe.Checkout.Session): boolean {
  const offer = one.metadata?.['offer']
  return one.mode === 'subscription' && (!offer || offer === other.metadata?.['offer'])
}

/** Credentials of a Stripe account. */
export type StripeSettings = { secretKey: string; webhookSecret: string }
/** An API endpoint that replaces Stripe's in tests. */
export type StripeEndpoint = { host: string; port: number; protocol: 'http' }

/**
 * Payments with Stripe. The offers are the active prices in the operator's Stripe account with the
 * lookup keys `recado_plan`, `recado_mass_sending` and `recado_credits_<number>`.
 */
export function createStripePayments(
  settings: StripeSettings,
  deps: { clock: Clock; agent: Agent; place?: StripeEndpoint },
): Payments {
  const { clock, agent, place } = deps
  const stripe = new Stripe(settings.secretKey, {
    httpAgent: agent,
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    ...place,
  })

  /**
   * Runs a call to Stripe. Throws UnknownCustomer if Stripe does not know the customer, and 503 for
   * any other Stripe error or timeout.
   */
  async function callStripe<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error
      const { code, param } = error
      if (code === 'resource_missing' && param === 'customer')
        throw new UnknownCustomer(`Stripe does not know the customer: ${error.message}`)
      throw fail('unavailable', (say) => say.payments.away, { cause: error, retryAfter: 60 })
    }
  }

  let priceCache: { until: number; prices: Priced[] } | null = null

  /** Returns the offers with their prices, cheapest first; cached for `PRICE_CACHE_MS`. */
  async function prices(): Promise<Priced[]> {
    if (priceCache && priceCache.until > clock.now()) return priceCache.prices
    const found: Priced[] = []
    for await (const price of stripe.prices.list({ active: true, limit: PAGE_SIZE })) {
      const offer = toOffer(price)
      if (offer) found.push({ offer, priceId: price.id, productId: idOf(price.product) ?? '' })
    }
    const sorted = found.toSorted((a, b) => a.offer.amount - b.offer.amount)
    priceCache = { until: clock.now() + PRICE_CACHE_MS, prices: sorted }
    return sorted
  }

  /** Lists checkout sessions that have been opened but not paid. */
  const openSessions = (customer: string) =>
    stripe.checkout.sessions.list({ customer, status: 'open', limit: PAGE_SIZE })

  /**
   * Expires the open checkout sessions of the same subscription except the latest,
   * which it returns: two of them, even concurrent ones, could both be paid.
   */
  async function expireAllButLatest(
    customerId: string,
    own: Stripe.Checkout.Session,
  ): Promise<Stripe.Checkout.Session> {
    const open = [own]
    for await (const session of openSessions(customerId))
      if (isSameOffer(session, own) && session.id !== own.id) open.push(session)
    const [latest = own, ...others] = open.toSorted(
      (a, b) => b.created - a.created || (a.id < b.id ? 1 : -1),
    )
    for (const { id } of others) {
      await stripe.checkout.sessions.expire(id).catch(async (error: unknown) => {
        // Another order may have expired it meanwhile.
        const { status } = await stripe.checkout.sessions.retrieve(id)
        if (status !== 'expired') throw error
      })
    }
    return latest
  }

  return {
    name: 'stripe',
    offers: () => callStripe(async () => (await prices()).map(({ offer }) => offer)),

    createCustomer: ({ projectId, company, email, replaces }) =>
      callStripe(async () => {
        const customer = { name: company, email, metadata: { projectId } }
        // Concurrent calls create only one customer. A changed name or address needs another key, and so does the
        // successor of a customer that was deleted there.
        const asked = createHash('sha256')
          .update(JSON.stringify({ ...customer, replaces }))
          .digest('hex')
        return (await stripe.customers.create(customer, { idempotencyKey: `recado-${asked}` })).id
      }),

    checkout: ({ customerId, offer, returnUrl }) =>
      callStripe(async () => {
        const price = (await prices()).find((one) => one.offer.id === offer.id)?.priceId
        if (price === undefined) throw fail('not_found', (say) => say.payments.offerNotFound)
        const isRecurring = offer.interval !== null
        const session = await stripe.checkout.sessions.create({
          customer: customerId,
          line_items: [
            {
              price,
              quantity: 1,
            },
          ],
          ...(isRecurring
            ? {
                mode: 'subscription',
                metadata: { offer: offer.id },
                subscription_data: { metadata: { offer: offer.id } },
              }
            : {
                mode: 'payment',
                metadata: { credits: String(offer.credits) },
              }),
          success_url: `${returnUrl}?pagamento=recebido`,
          cancel_url: returnUrl,
        })
        const latest = isRecurring ? await expireAllButLatest(customerId, session) : session
        if (!latest.url) throw new Error(`Stripe checkout session ${latest.id} has no URL`)
        return latest.url
      }),

    manage: (customer, returnUrl) =>
      callStripe(async () => {
        const asked = { customer, return_url: returnUrl }
        return (await stripe.billingPortal.sessions.create(asked)).url
      }),

    invoices: (customer) =>
      callStripe(async () => {
        const { data } = await stripe.invoices.list({ customer, limit: MAX_INVOICES })
        return data.flatMap((invoice) => {
          const status = INVOICE_STATES.find((known) => known === invoice.status)
          // Skip drafts, which are not final yet.
          if (!status) return []
          const { id, number, total: amount, currency, created } = invoice
          const url = invoice.hosted_invoice_url ?? null
          const lines = invoice.lines.data.map(({ description, amount: part }) => ({
            description: description ?? '',
            amount: part,
          }))
          return [
            { id, number, amount, currency, status, at: new Date(created * 1000), url, lines },
          ]
        })
      }),

    standing: (customer) =>
      callStripe(async () => {
        const known = await prices()
        const plans: BillingStatus['subscription'][] = []
        const addons: BillingStatus['subscription'][] = []
        const query = { customer, status: 'all' as const, limit: PAGE_SIZE }
        for await (const subscription of stripe.subscriptions.list(query)) {
          const status = toStatus(subscription)
          if (status === null) continue
          const kinds = kindsOf(subscription, known)
          if (kinds.has('subscription')) plans.push(status)
          if (kinds.has(MASS_SENDING)) addons.push(status)
        }
        return {
          subscription: STATUSES_BEST_FIRST.find((status) => plans.includes(status)) ?? null,
          massSending: STATUSES_BEST_FIRST.find((status) => addons.includes(status)) ?? null,
        }
      }),

    purchases: (customer, since) =>
      callStripe(async () => {
        const created = { gte: Math.floor(since.getTime() / 1000) }
        const bought: Purchase[] = []
        const query = { customer, status: 'complete' as const, created, limit: PAGE_SIZE }
        for await (const session of stripe.checkout.sessions.list(query)) {
          const purchase = toPurchase(session)
          if (purchase) bought.push(purchase)
        }
        return bought
      }),

    end: async (customer) => {
      try {
        await callStripe(async () => {
          for await (const { id } of openSessions(customer))
            await stripe.checkout.sessions.expire(id)
          for await (const subscription of stripe.subscriptions.list({
            customer,
            limit: PAGE_SIZE,
          })) {
            if (toStatus(subscription) !== null) await stripe.subscriptions.cancel(subscription.id)
          }
        })
      } catch (error) {
        if (!(error instanceof UnknownCustomer)) throw error
      }
    },

    parseWebhook(body, signature) {
      const { webhookSecret } = settings
      const read = () =>
        stripe.webhooks.constructEvent(
          ...([body, signature, webhookSecret, TOLERANCE_S, undefined, clock.now()] as const),
        )
      let event: Stripe.Event
      try {
        event = read()
      } catch (error) {
        throw fail('bad_request', (say) => say.payments.badSignature, { cause: error })
      }
      return toPaymentEvent(event)
    },
  }
}
