import type { Db } from '../../platform/db/sql.ts'
import { userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { CheckoutBody, RedirectUrl, Invoices, Offers, Plan } from './payments.schemas.ts'
import type { PaymentsService } from './payments.service.ts'

const MAX_WEBHOOK_BYTES = 1024 * 1024

/** Adds the panel's private routes for the plan, and the payment service's webhook endpoint. */
export async function addPaymentPanelRoutes(
  server: Server,
  deps: { db: Db; payments: PaymentsService; guard: Guard },
): Promise<void> {
  const { db, payments, guard: onRequest } = deps
  server.get(
    '/panel/api/plan',
    { onRequest, schema: { hide: true, response: { 200: Plan } } },
    (request) => payments.plan(db, userOf(request)),
  )

  server.get(
    '/panel/api/plan/offers',
    { onRequest, config: { waits: true }, schema: { hide: true, response: { 200: Offers } } },
    (request) => payments.offers(userOf(request)),
  )

  /** Returns the URL of the checkout page. */
  server.post(
    '/panel/api/plan/checkout',
    {
      config: { waits: true, changes: 'plan' },
      onRequest,
      schema: { hide: true, body: CheckoutBody, response: { 200: RedirectUrl } },
    },
    (request) => payments.checkout(db, userOf(request), request.body.offer),
  )

  server.get(
    '/panel/api/plan/invoices',
    { onRequest, config: { waits: true }, schema: { hide: true, response: { 200: Invoices } } },
    (request) => payments.invoices(db, userOf(request)),
  )

  /** Returns the URL of the page where the customer manages the plan and its invoices. */
  server.post(
    '/panel/api/plan/manage',
    {
      config: { waits: true, changes: 'plan' },
      onRequest,
      schema: { hide: true, response: { 200: RedirectUrl } },
    },
    (request) => payments.manage(db, userOf(request)),
  )

  await server.register(async (scope) => {
    // The signature covers the raw bytes, so the body must not be parsed.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: unknown, body: Buffer) => body,
    )
    const options = { bodyLimit: MAX_WEBHOOK_BYTES, schema: { hide: true } }
    scope.post('/panel/api/payments/stripe', options, async (request, reply) => {
      const signature = request.headers['stripe-signature']
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      await payments.handleWebhook(db, body, typeof signature === 'string' ? signature : '')
      return reply.code(200).send({})
    })
  })
}
