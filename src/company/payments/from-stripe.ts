import type Stripe from 'stripe'
import type { Offer, PaymentNews, Purchase } from './payments.port.ts'

const PLAN = 'recado_plan'
const MASS_SENDING = 'recado_mass_sending'
const CREDITS = /^recado_credits_(\d{1,9})$/

/** An offer with its price and product in Stripe. */
export type Priced = { offer: Offer; priceId: string; productId: string }

/** The best of several subscriptions counts: an old one that ends late ends nothing. */
export const BEST = ['active', 'past_due', 'paused', 'pending', 'canceled'] as const

/** Null for one that never began. */
export function toStatus(subscription: Stripe.Subscription): (typeof BEST)[number] | null {
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
 * Returns what a subscription pays for: as it was ordered, by the lookup keys of its prices, or by their product. When
 * a price is raised, its lookup key moves to the new one, and subscribers with the old one keep what they ordered.
 */
export function kindsOf(subscription: Stripe.Subscription, known: Priced[]): Set<Offer['kind']> {
  const ordered = subscription.metadata?.['offer']
  return new Set(
    subscription.items.data.flatMap(({ price }) => {
      const product = idOf(price.product)
      const named = [ordered, price.lookup_key].map((id) => (id ? KINDS[id] : undefined))
      const sold = known.find(({ productId }) => productId === product)
      return named.find((kind) => kind !== undefined) ?? sold?.offer.kind ?? []
    }),
  )
}

const KINDS: Record<string, Offer['kind']> = {
  [PLAN]: 'subscription',
  [MASS_SENDING]: 'mass_sending',
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

/** Converts a completed checkout to a purchase, or null if it bought nothing that is known here. */
export function toPurchase(session: Stripe.Checkout.Session): Purchase | null {
  const { id: reference, mode, payment_status: paid, metadata } = session
  const credits = Number(metadata?.['credits'] ?? 0)
  return mode === 'payment' && paid === 'paid' && credits > 0 ? { credits, reference } : null
}

/** Converts a webhook event to news, or null if it is irrelevant. */
export function toNews(event: Stripe.Event): PaymentNews | null {
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

/** The id of what Stripe shows as an id or whole. */
export const idOf = (object: string | { id: string } | null) =>
  typeof object === 'string' ? object : (object?.id ?? null)
