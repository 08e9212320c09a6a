import type { Agent } from 'node:http'
import Stripe from 'stripe'
import type { Clock } from '../lib/clock.ts'
import { fail, Failure } from '../phrases/fail.ts'
import type { Offer, PaymentNews, Payments, Standing } from './payments.port.ts'

const PLAN = 'recado_plan'
const MASS_SENDING = 'recado_mass_sending'
const CREDITS = /^recado_credits_(\d{1,9})$/
const TIMEOUT_MS = 20_000
const RETRIES = 2
const PAGE = 100
const TOLERANCE_S = 300

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
    ...{ httpAgent: agent, timeout: TIMEOUT_MS, maxNetworkRetries: RETRIES, telemetry: false },
    ...place,
  })

  async function ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Failure) throw error
      throw fail('unavailable', (say) => say.payments.away, { cause: error, retryAfter: 60 })
    }
  }

  async function prices(): Promise<{ offer: Offer; priceId: string }[]> {
    const found: { offer: Offer; priceId: string }[] = []
    for await (const price of stripe.prices.list({ active: true, limit: PAGE })) {
      const offer = toOffer(price)
      if (offer) found.push({ offer, priceId: price.id })
    }
    return found.toSorted((a, b) => a.offer.amount - b.offer.amount)
  }

  return {
    name: 'stripe',
    offers: () => ask(async () => (await prices()).map(({ offer }) => offer)),

    createCustomer: ({ projectId, company, email }) =>
      ask(async () => {
        const customer = { name: company, email, metadata: { projectId } }
        // Asked for twice at once, it is the same one.
        const once = { idempotencyKey: `recado-customer-${projectId}` }
        return (await stripe.customers.create(customer, once)).id
      }),

    checkout: ({ customerId, offerId, returnUrl }) =>
      ask(async () => {
        const chosen = (await prices()).find(({ offer }) => offer.id === offerId)
        if (!chosen) throw fail('not_found', (say) => say.payments.offerNotFound)
        const { offer, priceId: price } = chosen
        const session = await stripe.checkout.sessions.create({
          mode: offer.interval === null ? 'payment' : 'subscription',
          customer: customerId,
          line_items: [{ price, quantity: 1 }],
          metadata: offer.credits === null ? {} : { credits: String(offer.credits) },
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

    standing: (customer) =>
      ask(async () => {
        const plans: Standing['subscription'][] = []
        const addons: boolean[] = []
        const query = { customer, status: 'all' as const, limit: PAGE }
        for await (const subscription of stripe.subscriptions.list(query)) {
          const status = toStatus(subscription)
          for (const { price } of subscription.items.data) {
            if (price.lookup_key === PLAN) plans.push(status)
            if (price.lookup_key === MASS_SENDING) addons.push(status === 'active')
          }
        }
        return {
          subscription: BEST.find((status) => plans.includes(status)) ?? null,
          massSending: addons.length > 0 ? addons.includes(true) : null,
        }
      }),

    end: (customer) =>
      ask(async () => {
        for await (const { id } of stripe.subscriptions.list({ customer, limit: PAGE })) {
          await stripe.subscriptions.cancel(id)
        }
      }),

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

/** The best of several subscriptions counts: an old one that ends late ends nothing. */
const BEST = ['active', 'past_due', 'paused', 'pending', 'canceled'] as const

function toStatus({ status, pause_collection: pause }: Stripe.Subscription): (typeof BEST)[number] {
  switch (status) {
    case 'active':
    case 'trialing':
      return pause ? 'paused' : 'active'
    case 'past_due':
    case 'unpaid':
      return 'past_due'
    case 'paused':
      return 'paused'
    case 'incomplete':
      return 'pending'
    default:
      return 'canceled'
  }
}

function toOffer(price: Stripe.Price): Offer | null {
  const { lookup_key: id, unit_amount: amount, currency, recurring } = price
  if (id === null || amount === null) return null
  const common = { id, amount, currency }
  const regular = INTERVALS.find((interval) => interval === recurring?.interval)
  if (id === PLAN && regular) {
    return { ...common, kind: 'subscription', credits: null, interval: regular }
  }
  if (id === MASS_SENDING && regular) {
    return { ...common, kind: 'mass_sending', credits: null, interval: regular }
  }
  const credits = Number(CREDITS.exec(id)?.[1] ?? 0)
  return credits > 0 && !recurring ? { ...common, kind: 'credits', credits, interval: null } : null
}

function toNews(event: Stripe.Event): PaymentNews | null {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      const { id: reference, customer, mode, payment_status: paid, metadata } = event.data.object
      const customerId = idOf(customer)
      const credits = Number(metadata?.['credits'] ?? 0)
      if (customerId === null) return null
      if (mode === 'subscription') return { kind: 'standing', customerId }
      if (paid !== 'paid' || !(credits > 0)) return null
      return { kind: 'purchase', customerId, credits, reference }
    }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed': {
      const customerId = idOf(event.data.object.customer)
      return customerId === null ? null : { kind: 'standing', customerId }
    }
    default:
      return null
  }
}

const INTERVALS = ['month', 'year'] as const

const idOf = (customer: string | { id: string } | null) =>
  typeof customer === 'string' ? customer : (customer?.id ?? null)
