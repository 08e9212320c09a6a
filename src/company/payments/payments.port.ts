import type { Addon } from '../../kernel/addons.ts'
import type { ProjectRow } from '../projects/projects.service.ts'

/** A product that can be bought. `amount` is in the currency's smallest unit. */
export type Offer = {
  id: string
  kind: 'subscription' | Addon | 'credits'
  /** The number of credits in a credit pack; null for other offers. */
  credits: number | null
  amount: number
  currency: string
  interval: 'month' | 'year' | null
}

/** The current subscription and add-on of a customer at the payment service; null if the customer has never had one. */
export type BillingStatus = {
  subscription: Exclude<ProjectRow['subscription'], 'none'> | null
  massSending: Exclude<ProjectRow['subscription'], 'none'> | null
}

/** A paid credit pack. `reference` identifies the payment. */
export type Purchase = { credits: number; reference: string }

/** An invoice. `amount` is in the currency's smallest unit; `url` is the page where it can be viewed and printed. */
type Invoice = {
  id: string
  number: string | null
  at: Date
  amount: number
  currency: string
  status: 'open' | 'paid' | 'void' | 'uncollectible'
  url: string | null
  /** The line items, each with its part of the amount. */
  lines: { description: string; amount: number }[]
}

/**
 * An event from the payment service. Events may be duplicated or out of order, so a `standing`
 * event only triggers a query of the current standing.
 */
export type PaymentEvent =
  { kind: 'standing'; customerId: string } | ({ kind: 'purchase'; customerId: string } & Purchase)

/**
 * Thrown if the payment service does not know a customer: they were deleted there, or belong to
 * another account of the service.
 */
export class UnknownCustomer extends Error {}

/** A payment service (G41). */
export type Payments = {
  name: 'manual' | 'stripe'
  offers(): Promise<Offer[]>
  createCustomer(customer: {
    projectId: string
    company: string
    email: string
    /** The customer that it replaces, because the service no longer knows it. */
    replaces: string | null
  }): Promise<string>
  /** Returns the URL of a checkout page. Throws 404 if the offer does not exist, and UnknownCustomer. */
  checkout(order: { customerId: string; offer: Offer; returnUrl: string }): Promise<string>
  /** Returns the URL of the page where a customer changes, pauses or cancels subscriptions and views invoices. */
  manage(customerId: string, returnUrl: string): Promise<string>
  /** Lists the customer's latest invoices, newest first. */
  invoices(customerId: string): Promise<Invoice[]>
  standing(customerId: string): Promise<BillingStatus>
  /** Lists the credit packs that a customer has paid for since `since`. */
  purchases(customerId: string, since: Date): Promise<Purchase[]>
  /** Cancels the customer's subscriptions and expires their open checkout pages. */
  end(customerId: string): Promise<void>
  /** Converts the body of a webhook to an event, or null if it is irrelevant. Throws 400 for an invalid signature. */
  parseWebhook(body: Buffer, signature: string): PaymentEvent | null
}
