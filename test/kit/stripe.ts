import { createServer } from 'node:http'
import Stripe from 'stripe'

/** A price in Stripe's format. */
const price = (id: string, amount: number, interval: 'month' | null) => ({
  id: `price_${id}`,
  object: 'price',
  active: true,
  lookup_key: id,
  unit_amount: amount,
  currency: 'brl',
  recurring: interval && {
    interval,
    interval_count: 1,
  },
  product: `prod_${id}`,
})
const PRICES = [
  price('recado_plan', 19_900, 'month'),
  price('recado_mass_sending', 9900, 'month'),
  price('recado_credits_1000', 5000, null),
  price('somebody_elses', 100, null),
]
type Subscription = {
  status: string
  /** Lookup key of its price; null if the price no longer has one. */
  offer: string | null
  /** Offer stored in the metadata at checkout. */
  ordered?: string
  product?: string
  paused?: boolean
}
type Session = { id: string; status: 'open' | 'complete' | 'expired' } & Record<string, unknown>

/** A fake of the Stripe API; tests set its state and read the requests it received. */
export type FakeStripe = {
  place: { host: string; port: number; protocol: 'http' }
  env: Record<string, string>
  /** Received requests, such as `POST /v1/customers name=Padaria`. */
  asked: string[]
  /** Subscriptions by customer. */
  subscriptions: Map<string, Subscription[]>
  /** Checkout sessions by customer. */
  sessions: Map<string, Session[]>
  /** Customers that have been deleted at Stripe. */
  forgotten: Set<string>
  /** Makes every request fail with 400. */
  broken: boolean
  /** The responses to queries about subscriptions wait for this. */
  mayAnswer: Promise<void>
  /** Returns the body and headers of an event, signed by the Stripe library's test helper. */
  sign(
    event: object,
    at: number,
    secret?: string,
  ): { body: string; headers: Record<string, string> }
  close(): Promise<void>
}

/** Starts a fake of the Stripe routes that this product calls. */
export async function startStripe(): Promise<FakeStripe> {
  const secret = 'whsec_of_a_test'
  const fake: Omit<FakeStripe, 'place'> = {
    env: { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_WEBHOOK_SECRET: secret },
    asked: [],
    subscriptions: new Map(),
    sessions: new Map(),
    forgotten: new Set(),
    broken: false,
    mayAnswer: Promise.resolve(),
    sign(event, at, by = secret) {
      const payload = JSON.stringify({ object: 'event', ...event })
      const timestamp = Math.floor(at / 1000)
      const stripe = new Stripe('sk_test_x')
      const options = { payload, secret: by, timestamp } as Parameters<
        typeof stripe.webhooks.generateTestHeaderString
      >[0]
      const signature = stripe.webhooks.generateTestHeaderString(options)
      return {
        body: payload,
        headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
      }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const list = (data: object[]) => ({ object: 'list', has_more: false, data })
  let made = 0

  function answer(method: string, url: URL, form: URLSearchParams): object | null {
    const customer = url.searchParams.get('customer') ?? form.get('customer') ?? ''
    if (fake.forgotten.has(customer)) {
      return { error: { code: 'resource_missing', param: 'customer', message: 'No such customer' } }
    }
    const mine = fake.sessions.get(customer) ?? []
    const [, expired] = /^\/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(url.pathname) ?? []
    if (expired) {
      const session = [...fake.sessions.values()].flat().find(({ id }) => id === expired)
      return session ? Object.assign(session, { status: 'expired' }) : null
    }
    switch (`${method} ${url.pathname}`) {
      case 'GET /v1/prices':
        return list(PRICES)
      case 'POST /v1/customers':
        return { id: `cus_${++made}`, object: 'customer' }
      case 'GET /v1/checkout/sessions':
        return list(mine.filter(({ status }) => status === url.searchParams.get('status')))
      case 'POST /v1/checkout/sessions': {
        const session = {
          id: `cs_${++made}`,
          status: 'open' as const,
          mode: form.get('mode'),
          metadata: { offer: form.get('metadata[offer]') },
          customer,
          created: made,
          url: `https://checkout.stripe.test/page/${made}`,
        }
        fake.sessions.set(customer, [...mine, session])
        return session
      }
      case 'GET /v1/invoices':
        return list(
          (fake.subscriptions.get(customer) ?? []).flatMap((_, n) => [
            {
              id: `in_${n}`,
              object: 'invoice',
              number: `R-000${n + 1}`,
              status: 'paid',
              created: 179e7 + n,
              total: 19900,
              currency: 'brl',
              hosted_invoice_url: `https://invoice.stripe.test/${n}`,
              lines: {
                object: 'list',
                data: [
                  {
                    description: '1 × Recado',
                    amount: 19900,
                  },
                ],
              },
            },
            { id: `in_draft_${n}`, object: 'invoice', status: 'draft', created: 0, total: 0 },
          ]),
        )
      case 'POST /v1/billing_portal/sessions':
        return { id: 'bps_1', url: `https://billing.stripe.test/${customer}` }
      case 'GET /v1/subscriptions': {
        const all = fake.subscriptions.get(customer) ?? []
        const open = url.searchParams.get('status') === 'all' ? all : all.filter(isOpen)
        return list(
          open.map(({ status, offer, ordered, product, paused = false }, n) => ({
            id: `sub_${n}`,
            object: 'subscription',
            status,
            metadata: ordered ? { offer: ordered } : {},
            pause_collection: paused ? { behavior: 'void' } : null,
            items: list([
              {
                id: `si_${n}`,
                price: {
                  lookup_key: offer,
                  product: product ?? `prod_${offer}`,
                },
              },
            ]),
          })),
        )
      }
      default:
        return method === 'DELETE'
          ? { id: url.pathname.split('/').at(-1), status: 'canceled' }
          : null
    }
  }
  /** As Stripe does, repeats the response to a request with the same key. */
  const answered = new Map<string, object | null>()
  function answerOnce(key: string, respond: () => object | null): object | null {
    const known = answered.get(key)
    if (known) return known
    const response = respond()
    if (key !== '') answered.set(key, response)
    return response
  }
  const isOpen = ({ status }: Subscription) => status !== 'canceled'

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = decodeURIComponent(Buffer.concat(chunks).toString().replaceAll('+', ' '))
    const url = new URL(request.url ?? '/', 'http://stripe.test')
    fake.asked.push(`${request.method} ${url.pathname} ${body}`.trim())
    // What a query finds and whether it fails is decided when it arrives.
    const found = answerOnce(String(request.headers['idempotency-key'] ?? ''), () =>
      answer(request.method ?? '', url, new URLSearchParams(body)),
    )
    const { broken } = fake
    if (url.pathname === '/v1/subscriptions') await fake.mayAnswer
    const refused = broken || (found !== null && 'error' in found)
    response.writeHead(refused ? 400 : found ? 200 : 404, {
      'content-type': 'application/json',
    })
    response.end(JSON.stringify(broken ? { error: { message: 'broken' } } : found))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return Object.assign(fake, { place: { host: '127.0.0.1', port, protocol: 'http' as const } })
}
