import { createServer } from 'node:http'
import Stripe from 'stripe'

/** A price as Stripe shows it. */
const price = (id: string, amount: number, interval: 'month' | null) => ({
  ...{ id: `price_${id}`, object: 'price', active: true, lookup_key: id, unit_amount: amount },
  ...{ currency: 'brl', recurring: interval && { interval, interval_count: 1 } },
})
const PRICES = [
  price('recado_plan', 19_900, 'month'),
  price('recado_mass_sending', 9900, 'month'),
  price('recado_credits_1000', 5000, null),
  price('somebody_elses', 100, null),
]
type Subscription = { status: string; offer: string; paused?: boolean }

export type FakeStripe = {
  place: { host: string; port: number; protocol: 'http' }
  env: Record<string, string>
  /** What was asked, such as `POST /v1/customers name=Padaria`. */
  asked: string[]
  /** What each customer pays again and again. */
  subscriptions: Map<string, Subscription[]>
  /** Answers 500 to everything. */
  broken: boolean
  /** The body and the header of an event, signed by the library's own helper. */
  sign(
    event: object,
    at: number,
    secret?: string,
  ): { body: string; headers: Record<string, string> }
  close(): Promise<void>
}

/** Stripe, as far as this product speaks with it. */
export async function startStripe(): Promise<FakeStripe> {
  const secret = 'whsec_of_a_test'
  const fake: Omit<FakeStripe, 'place'> = {
    env: { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_WEBHOOK_SECRET: secret },
    asked: [],
    subscriptions: new Map(),
    broken: false,
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
  let customers = 0

  function answer(method: string, url: URL, form: URLSearchParams): object | null {
    switch (`${method} ${url.pathname}`) {
      case 'GET /v1/prices':
        return list(PRICES)
      case 'POST /v1/customers':
        return { id: `cus_${++customers}`, object: 'customer' }
      case 'POST /v1/checkout/sessions':
        return { id: 'cs_1', object: 'checkout.session', url: 'https://checkout.stripe.test/cs_1' }
      case 'POST /v1/billing_portal/sessions':
        return { id: 'bps_1', url: `https://billing.stripe.test/${form.get('customer')}` }
      case 'GET /v1/subscriptions': {
        const mine = fake.subscriptions.get(url.searchParams.get('customer') ?? '') ?? []
        const open = url.searchParams.get('status') === 'all' ? mine : mine.filter(isOpen)
        return list(
          open.map(({ status, offer, paused = false }, n) => ({
            ...{ id: `sub_${n}`, object: 'subscription', status },
            pause_collection: paused ? { behavior: 'void' } : null,
            items: list([{ id: `si_${n}`, price: PRICES.find((one) => one.lookup_key === offer) }]),
          })),
        )
      }
      default:
        return method === 'DELETE'
          ? { id: url.pathname.split('/').at(-1), status: 'canceled' }
          : null
    }
  }
  const isOpen = ({ status }: Subscription) => status !== 'canceled'

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = decodeURIComponent(Buffer.concat(chunks).toString().replaceAll('+', ' '))
    const url = new URL(request.url ?? '/', 'http://stripe.test')
    fake.asked.push(`${request.method} ${url.pathname} ${body}`.trim())
    const found = answer(request.method ?? '', url, new URLSearchParams(body))
    response.writeHead(fake.broken ? 400 : found ? 200 : 404, {
      'content-type': 'application/json',
    })
    response.end(JSON.stringify(fake.broken ? { error: { message: 'broken' } } : found))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return Object.assign(fake, { place: { host: '127.0.0.1', port, protocol: 'http' as const } })
}
