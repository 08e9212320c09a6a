import { MASS_SENDING } from '../../kernel/addons.ts'
import type Stripe from 'stripe'
import type { Offer, PaymentEvent, Purchase } from './payments.port.ts'

const PLAN = 'recado_plan'
const STRIPE_MASS_SENDING = 'recado_mass_sending'
const CREDITS = /^recado_credits_(\d{1,9})$/

/** An offer with its price and product in Stripe. */
export type Priced = { offer: Offer; priceId: string; productId: string }

/**
 * Subscription statuses, best first. A customer has the best status of all their subscriptions, so
 * that the end of an old one does not cancel a newer one.
 */
export const STATUSES_BEST_FIRST = ['active', 'past_due', 'paused', 'pending', 'canceled'] as const

/** Converts the status of a subscription, or returns null if it never started. */
export function toStatus(
  subscription: Stripe.Subscription,
): (typeof STATUSES_BEST_FIRST)[number] | null {
  switch (subscription.status) {
    case 'active':
    case 'trialing':
      return subscription.pause_collection ? 'paused' : 'active'
    case 'past_due':
    case 'unpaid':
      return 'past_due'
    case 'paused':
      return 'paused'
    case 'incomplete':
      return 'pending'
    case 'incomplete_expired':
      return null
    default:
      return 'canceled'
  }
}

/**
 * Returns the kinds of offers that a subscription pays for, found by the lookup keys of its prices, their products, or
 * the ordered offer. When a price is raised, its lookup key moves to the new price, so subscriptions to the old one are
 * found by the product or the order.
 */
export function kindsOf(subscription: Stripe.Subscription, known: Priced[]): Set<Offer['kind']> {
  const ordered = subscription.metadata?.['offer']
  return new Set(
    subscription.items.data.flatMap(({ price }) => {
      const product = idOf(price.product)
      const sold = known.find(({ productId }) => productId === product)
      const [named, asOrdered] = [price.lookup_key, ordered].map((id) =>
        id ? KINDS[id] : undefined,
      )
      return named ?? sold?.offer.kind ?? asOrdered ?? []
    }),
  )
}

const KINDS: Record<string, Offer['kind']> = {
  [PLAN]: 'subscription',
  [STRIPE_MASS_SENDING]: MASS_SENDING,
}
const INTERVALS = ['month', 'year'] as const

/** Converts a price to an offer, or null if its lookup key is unknown. */
export function toOffer(price: Stripe.Price): Offer | null {
  const { lookup_key: id, unit_amount: amount, currency, recurring } = price
  if (id === null || amount === null) return null
  const common = { id, amount, currency }
  const regular =
    recurring?.interval_count === 1
      ? INTERVALS.find((interval) => interval === recurring.interval)
      : undefined
  const kind = KINDS[id]
  if (kind && regular) return { ...common, kind, credits: null, interval: regular }
  const credits = Number(CREDITS.exec(id)?.[1] ?? 0)
  return credits > 0 && !recurring ? { ...common, kind: 'credits', credits, interval: null } : null
}

/** Converts a completed checkout to a credit purchase; null if it is unpaid or not for credits. */
export function toPurchase(session: Stripe.Checkout.Session): Purchase | null {
  const { id: reference, mode, payment_status: paid, metadata } = session
  const credits = Number(metadata?.['credits'] ?? 0)
  return mode === 'payment' && paid === 'paid' && credits > 0 ? { credits, reference } : null
}

/** Converts a webhook event to a payment event, or null if it is irrelevant. */
export function toPaymentEvent(event: Stripe.Event): PaymentEvent | null {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      const session = event.data.object
      const customerId = idOf(session.customer)
      const purchase = toPurchase(session)
      if (customerId === null) return null
      if (session.mode === 'subscription') return { kind: 'standing', customerId }
      return purchase && { kind: 'purchase', customerId, ...purchase }
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

/** Returns the id of an object that Stripe sends either as an id or expanded. */
export const idOf = (object: string | { id: string } | null) =>
  typeof object === 'string' ? object : (object?.id ?? null)
