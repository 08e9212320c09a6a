import { createHash } from 'node:crypto'
import type { Agent } from 'node:http'
import Stripe from 'stripe'
import type { Clock } from '../../kernel/clock.ts'
import { fail, Failure } from '../../kernel/phrases/fail.ts'
import {
  idOf,
  kindsOf,
  toNews,
  toOffer,
  toPurchase,
  toStatus,
  BEST,
  type Priced,
} from './from-stripe.ts'
import { UnknownCustomer, type Payments, type Purchase, type Standing } from './payments.port.ts'

const TIMEOUT_MS = 20_000
const RETRIES = 2
const PAGE = 100
const INVOICES = 24
const INVOICE_STATES = ['open', 'paid', 'void', 'uncollectible'] as const
const TOLERANCE_S = 300
const PRICE_CACHE_MS = 60_000

/** Credentials of a Stripe account. */
export type StripeSettings = { secretKey: string; webhookSecret: string }
/** Another place than Stripe's own, for tests. */
export type StripePlace = { host: string; port: number; protocol: 'http' }

/**
 * Payments by Stripe. What is for sale are the active prices in the operator's Stripe account whose lookup keys are
 * `recado_plan`, `recado_mass_sending` and `recado_credits_<number>`.
 */
export function createStripePayments(
  settings: StripeSettings,
  deps: { clock: Clock; agent: Agent; place?: StripePlace },
): Payments {
  const { clock, agent, place } = deps
  const stripe = new Stripe(settings.secretKey, {
    httpAgent: agent,
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    ...place,
  })

  /** What Stripe refuses or does not answer is 503, but for a customer that it does not know. */
  async function ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Failure) throw error
      const { code, param } = error as Partial<Stripe.errors.StripeInvalidRequestError>
      if (code === 'resource_missing' && param === 'customer') throw new UnknownCustomer()
      throw fail('unavailable', (say) => say.payments.away, { cause: error, retryAfter: 60 })
    }
  }

  let kept: { until: number; prices: Priced[] } | null = null

  /** What is for sale, the cheapest first; a price that is changed is seen within a minute. */
  async function prices(): Promise<Priced[]> {
    if (kept && kept.until > clock.now()) return kept.prices
    const found: Priced[] = []
    for await (const price of stripe.prices.list({ active: true, limit: PAGE })) {
      const offer = toOffer(price)
      if (offer) found.push({ offer, priceId: price.id, productId: idOf(price.product) ?? '' })
    }
    const sorted = found.toSorted((a, b) => a.offer.amount - b.offer.amount)
    kept = { until: clock.now() + PRICE_CACHE_MS, prices: sorted }
    return sorted
  }

  /** Pages that were opened and not paid yet. */
  const openSessions = (customer: string) =>
    stripe.checkout.sessions.list({ customer, status: 'open', limit: PAGE })

  return {
    name: 'stripe',
    offers: () => ask(async () => (await prices()).map(({ offer }) => offer)),

    createCustomer: ({ projectId, company, email }) =>
      ask(async () => {
        const customer = { name: company, email, metadata: { projectId } }
        // Asked for twice at once, it is the same one; another name or address is another question.
        const asked = createHash('sha256').update(JSON.stringify(customer)).digest('hex')
        return (await stripe.customers.create(customer, { idempotencyKey: `recado-${asked}` })).id
      }),

    checkout: ({ customerId, offer, returnUrl }) =>
      ask(async () => {
        const price = (await prices()).find((one) => one.offer.id === offer.id)?.priceId
        if (price === undefined) throw fail('not_found', (say) => say.payments.offerNotFound)
        const again = offer.interval !== null
        // A second page of what is paid again and again would be paid twice.
        for await (const { id, mode } of openSessions(customerId)) {
          if (again && mode === 'subscription') await stripe.checkout.sessions.expire(id)
        }
        const session = await stripe.checkout.sessions.create({
          customer: customerId,
          line_items: [
            {
              price,
              quantity: 1,
            },
          ],
          ...(again
            ? {
                mode: 'subscription',
                subscription_data: { metadata: { offer: offer.id } },
              }
            : {
                mode: 'payment',
                metadata: { credits: String(offer.credits) },
              }),
          success_url: `${returnUrl}?pagamento=recebido`,
          cancel_url: returnUrl,
        })
        if (!session.url) throw new Error(`the checkout ${session.id} has no page`)
        return session.url
      }),

    manage: (customer, returnUrl) =>
      ask(async () => {
        const asked = { customer, return_url: returnUrl }
        return (await stripe.billingPortal.sessions.create(asked)).url
      }),

    invoices: (customer) =>
      ask(async () => {
        const { data } = await stripe.invoices.list({ customer, limit: INVOICES })
        return data.flatMap((invoice) => {
          const status = INVOICE_STATES.find((known) => known === invoice.status)
          // A draft is not final yet.
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
      ask(async () => {
        const known = await prices()
        const plans: Standing['subscription'][] = []
        const addons: boolean[] = []
        const query = { customer, status: 'all' as const, limit: PAGE }
        for await (const subscription of stripe.subscriptions.list(query)) {
          const status = toStatus(subscription)
          if (status === null) continue
          const kinds = kindsOf(subscription, known)
          if (kinds.has('subscription')) plans.push(status)
          if (kinds.has('mass_sending') && status !== 'pending') addons.push(status === 'active')
        }
        return {
          subscription: BEST.find((status) => plans.includes(status)) ?? null,
          massSending: addons.length > 0 ? addons.includes(true) : null,
        }
      }),

    purchases: (customer, since) =>
      ask(async () => {
        const created = { gte: Math.floor(since.getTime() / 1000) }
        const bought: Purchase[] = []
        const query = { customer, status: 'complete' as const, created, limit: PAGE }
        for await (const session of stripe.checkout.sessions.list(query)) {
          const purchase = toPurchase(session)
          if (purchase) bought.push(purchase)
        }
        return bought
      }),

    end: async (customer) => {
      try {
        await ask(async () => {
          for await (const { id } of openSessions(customer))
            await stripe.checkout.sessions.expire(id)
          for await (const subscription of stripe.subscriptions.list({ customer, limit: PAGE })) {
            if (toStatus(subscription) !== null) await stripe.subscriptions.cancel(subscription.id)
          }
        })
      } catch (error) {
        if (!(error instanceof UnknownCustomer)) throw error
      }
    },

    readNews(body, signature) {
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
      return toNews(event)
    },
  }
}
