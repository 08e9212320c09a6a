import type { ProjectRow } from '../projects/projects.service.ts'

/** Something that can be paid for. `amount` in the currency's smallest unit. */
export type Offer = {
  id: string
  kind: 'subscription' | 'mass_sending' | 'credits'
  /** Of a pack of credits: how many. */
  credits: number | null
  amount: number
  currency: string
  interval: 'month' | 'year' | null
}

/** What a customer has, as the service knows it now. Null: it has never had one. */
export type Standing = {
  subscription: Exclude<ProjectRow['subscription'], 'none'> | null
  massSending: boolean | null
}

/** A pack of credits that was paid for. */
export type Purchase = { credits: number; reference: string }

/** What was asked to be paid. `amount` in the currency's smallest unit; `url`: where it can be seen and printed. */
type Invoice = {
  id: string
  number: string | null
  at: Date
  amount: number
  currency: string
  status: 'open' | 'paid' | 'void' | 'uncollectible'
  url: string | null
  /** What it is made of, each with its part of the amount. */
  lines: { description: string; amount: number }[]
}

/** What the service tells. It tells things twice and out of order: news of a standing are a reason to ask for it. */
export type PaymentNews =
  { kind: 'standing'; customerId: string } | ({ kind: 'purchase'; customerId: string } & Purchase)

/** The service does not know this customer: it belongs to another account of the service, or was deleted there. */
export class UnknownCustomer extends Error {}

/** Where money comes from (G41). */
export type Payments = {
  name: 'manual' | 'stripe'
  offers(): Promise<Offer[]>
  createCustomer(customer: { projectId: string; company: string; email: string }): Promise<string>
  /** The address of the page where it is paid. 404 for what is not offered. Throws UnknownCustomer. */
  checkout(order: { customerId: string; offer: Offer; returnUrl: string }): Promise<string>
  /** Returns the address of the page where a customer changes, pauses or ends subscriptions and finds invoices. */
  manage(customerId: string, returnUrl: string): Promise<string>
  /** The customer's last invoices, the newest first. */
  invoices(customerId: string): Promise<Invoice[]>
  standing(customerId: string): Promise<Standing>
  /** What a customer has bought since then. */
  purchases(customerId: string, since: Date): Promise<Purchase[]>
  /** Ends whatever is paid again and again, and what could still be begun. */
  end(customerId: string): Promise<void>
  /** What a message from the service says; null when it is nothing to us. Throws 400 when it is not from there. */
  readNews(body: Buffer, signature: string): PaymentNews | null
}
