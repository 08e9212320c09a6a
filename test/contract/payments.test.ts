// Subscriptions, add-ons and credit purchases, managed by the operator or by Stripe.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Client } from '../kit/client.ts'
import { startStripe, type FakeStripe } from '../kit/stripe.ts'
import { PASSWORD, startTestApp, type Project, type TestApp } from '../kit/test-app.ts'

const WEBHOOK_PATH = '/panel/api/payments/stripe'

describe('plan without a payment service', () => {
  let kit: TestApp
  before(async () => {
    kit = await startTestApp({ MAIL_FROM: 'Recado <vendas@recado.test>' })
  })
  after(() => kit.close())

  it('without a payment service, the plan shows a contact address and checkout returns 409', async () => {
    const project = await kit.project({ credits: 7 })
    const user = await kit.login(project)
    const { body: plan } = await user.get('/panel/api/plan')
    assert.deepEqual(plan, {
      subscription: 'active',
      exempt: false,
      addons: [],
      usageMode: 'BOTH',
      projectStatus: 'ACTIVE',
      credits: 7,
      payments: 'manual',
      contact: 'vendas@recado.test',
      manageable: false,
    })
    assert.deepEqual((await user.get('/panel/api/plan/offers')).body.items, [])
    const refused = await user.post('/panel/api/plan/checkout', { offer: 'recado_plan' })
    assert.equal(refused.status, 409)
    assert.equal((await user.post('/panel/api/plan/manage')).status, 409)
    assert.equal((await user.post(WEBHOOK_PATH, {})).status, 404)
  })
})

describe('plan with Stripe', () => {
  let kit: TestApp
  let stripe: FakeStripe
  before(async () => {
    stripe = await startStripe()
    kit = await startTestApp(stripe.env, { stripe: stripe.place })
  })
  after(async () => {
    await kit.close()
    await stripe.close()
  })
  const creditsOf = ({ projectId }: Project) => kit.operator.billing.credits(kit.db, projectId)
  const entitlementsOf = async ({ projectId }: Project) => {
    const { subscription, addons } = await kit.operator.projects.show(kit.db, projectId)
    return [subscription, ...addons]
  }
  /** Creates a Project and opens one checkout, so that it has a Stripe customer. */
  async function customer(): Promise<{ project: Project; user: Client; id: string }> {
    const project = await kit.project({ subscribed: false, credits: 0 })
    const user = await kit.login(project)
    const answer = await user.post('/panel/api/plan/checkout', { offer: 'recado_plan' })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const [row] = await kit.db.system<{ customerId: string }[]>`
      select customer_id from payment_customer where project_id = ${project.projectId}`
    return { project, user, id: row?.customerId ?? '' }
  }
  const sendWebhook = (event: object, at = kit.clock.now(), secret?: string) =>
    kit.client('production').call('POST', WEBHOOK_PATH, stripe.sign(event, at, secret))
  const sendSubscriptionUpdated = (id: string) =>
    sendWebhook({ type: 'customer.subscription.updated', data: { object: { customer: id } } })
  const session = (id: string, more: object = {}) => ({
    id: `cs_${id}`,
    customer: id,
    mode: 'payment',
    payment_status: 'paid',
    metadata: { credits: '1000' },
    ...more,
  })

  it('the plan lists the offers of the operator in Stripe, cheapest first', async () => {
    const { user } = await customer()
    const { body } = await user.get('/panel/api/plan/offers')
    const common = { currency: 'brl' }
    assert.deepEqual(body.items, [
      {
        id: 'recado_credits_1000',
        amount: 5000,
        ...common,
        kind: 'credits',
        credits: 1000,
        interval: null,
      },
      {
        id: 'recado_mass_sending',
        amount: 9900,
        ...common,
        kind: 'mass_sending',
        credits: null,
        interval: 'month',
      },
      {
        id: 'recado_plan',
        amount: 19900,
        ...common,
        kind: 'subscription',
        credits: null,
        interval: 'month',
      },
    ])
  })

  it('checkout reuses the one Stripe customer of a Project and returns the URL of the payment page', async () => {
    const { user, id } = await customer()
    const before = stripe.asked.length
    const { body } = await user.post('/panel/api/plan/checkout', { offer: 'recado_credits_1000' })
    assert.match(body.url, /^https:\/\/checkout\.stripe\.test\/page\/\d+$/)
    const asked = stripe.asked.slice(before)
    assert.ok(!asked.some((line) => line.startsWith('POST /v1/customers')), asked.join('\n'))
    const order = asked.find((line) => line.startsWith('POST /v1/checkout/sessions')) ?? ''
    for (const part of [
      `customer=${id}`,
      'mode=payment',
      'metadata[credits]=1000',
      'price_recado_credits_1000',
    ]) {
      assert.ok(order.includes(part), order)
    }
    assert.equal((await user.post('/panel/api/plan/checkout', { offer: 'nada' })).status, 404)
    const managed = await user.post('/panel/api/plan/manage')
    assert.equal(managed.body.url, `https://billing.stripe.test/${id}`)
    assert.equal((await user.get('/panel/api/plan')).body.manageable, true)
  })

  it('a paid credit pack is credited once, however many concurrent webhooks report it', async () => {
    const { project, id } = await customer()
    const event = { type: 'checkout.session.completed', data: { object: session(id) } }
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendWebhook(event)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.equal(await creditsOf(project), 1000)
    const entries = await kit.db.system`
      select cause, amount, reference from ledger where project_id = ${project.projectId}`
    assert.deepEqual([...entries], [{ cause: 'purchase', amount: 1000, reference: `cs_${id}` }])
    const audit = await kit.operator.audit.list(kit.db, project.projectId, 10)
    assert.deepEqual(
      audit.filter(({ actor }) => actor === 'stripe').map(({ action }) => action),
      ['credits.purchase'],
    )
    assert.deepEqual([...(await kit.operator.billing.drift(kit.db))], [])
  })

  it('a delayed payment such as boleto or Pix is credited only once it is paid', async () => {
    const { project, id } = await customer()
    const unpaid = session(id, { payment_status: 'unpaid' })
    await sendWebhook({ type: 'checkout.session.completed', data: { object: unpaid } })
    assert.equal(await creditsOf(project), 0)
    await sendWebhook({
      type: 'checkout.session.async_payment_succeeded',
      data: { object: session(id) },
    })
    await sendWebhook({ type: 'checkout.session.completed', data: { object: unpaid } })
    assert.equal(await creditsOf(project), 1000)
  })

  it('subscription and add-ons follow every status of the Stripe subscription', async () => {
    const { project, id } = await customer()
    const cases: [string, string][] = [
      ['incomplete', 'pending'],
      ['incomplete_expired', 'pending'],
      ['active', 'active'],
      ['incomplete', 'active'],
      ['trialing', 'active'],
      ['past_due', 'past_due'],
      ['unpaid', 'past_due'],
      ['paused', 'paused'],
      ['canceled', 'canceled'],
    ]
    for (const [theirs, ours] of cases) {
      stripe.subscriptions.set(id, [{ status: theirs, offer: 'recado_plan' }])
      assert.equal((await sendSubscriptionUpdated(id)).status, 200)
      assert.deepEqual(await entitlementsOf(project), [ours], theirs)
    }
    stripe.subscriptions.set(id, [{ status: 'active', offer: 'recado_plan', paused: true }])
    await sendSubscriptionUpdated(id)
    assert.deepEqual(await entitlementsOf(project), ['paused'])
    const plan = { status: 'active', offer: 'recado_plan' }
    stripe.subscriptions.set(id, [plan, { status: 'active', offer: 'recado_mass_sending' }])
    await sendSubscriptionUpdated(id)
    assert.deepEqual(await entitlementsOf(project), ['active', 'mass_sending'])
    stripe.subscriptions.set(id, [plan, { status: 'canceled', offer: 'recado_mass_sending' }])
    await sendSubscriptionUpdated(id)
    assert.deepEqual(await entitlementsOf(project), ['active'])
  })

  it('out-of-order webhooks converge to the state in Stripe, and a canceled old subscription does not end an active one', async () => {
    const { project, id } = await customer()
    stripe.subscriptions.set(id, [
      { status: 'canceled', offer: 'recado_plan' },
      { status: 'active', offer: 'recado_plan' },
    ])
    const kinds = ['updated', 'deleted', 'created', 'paused', 'resumed']
    await Promise.all(
      kinds.map((kind) =>
        sendWebhook({ type: `customer.subscription.${kind}`, data: { object: { customer: id } } }),
      ),
    )
    assert.deepEqual(await entitlementsOf(project), ['active'])
  })

  it('a plan and add-ons granted by the operator are kept when Stripe has no subscription', async () => {
    const { project, id } = await customer()
    const { projects } = kit.operator
    const settings = { subscription: 'active' as const, addons: ['mass_sending'] }
    await projects.set(kit.db, project.projectId, 'x', settings)
    await sendWebhook({ type: 'checkout.session.completed', data: { object: session(id) } })
    await sendSubscriptionUpdated(id)
    assert.deepEqual(await entitlementsOf(project), ['active', 'mass_sending'])
  })

  it('a Stripe webhook with an invalid or old signature is rejected, and unknown customers and events are ignored', async () => {
    const { project, id } = await customer()
    const event = { type: 'checkout.session.completed', data: { object: session(id) } }
    const now = kit.clock.now()
    assert.equal((await sendWebhook(event, now, 'whsec_other')).status, 400)
    assert.equal((await sendWebhook(event, now - 6 * 60_000)).status, 400)
    const { body } = stripe.sign(event, now)
    const anonymous = { body, headers: { 'content-type': 'application/json' } }
    assert.equal((await kit.client('production').call('POST', WEBHOOK_PATH, anonymous)).status, 400)
    const spoilt = stripe.sign(event, now)
    spoilt.body = spoilt.body.replace('1000', '9000')
    assert.equal((await kit.client('production').call('POST', WEBHOOK_PATH, spoilt)).status, 400)
    assert.equal(await creditsOf(project), 0)
    const stranger = { type: event.type, data: { object: session('cus_of_another_shop') } }
    assert.equal((await sendWebhook(stranger)).status, 200)
    assert.equal((await sendWebhook({ type: 'invoice.paid', data: { object: {} } })).status, 200)
  })

  it('a Stripe webhook whose lookup fails returns 503 and succeeds when sent again', async () => {
    const { project, user, id } = await customer()
    stripe.subscriptions.set(id, [{ status: 'active', offer: 'recado_plan' }])
    stripe.broken = true
    const failed = await sendSubscriptionUpdated(id)
    assert.equal(failed.status, 503)
    // Offers are cached for one minute.
    await kit.jump(61_000)
    assert.equal((await user.get('/panel/api/plan/offers')).status, 503)
    assert.equal((await user.get('/panel/api/plan')).status, 200)
    stripe.broken = false
    await sendSubscriptionUpdated(id)
    assert.deepEqual(await entitlementsOf(project), ['active'])
  })

  it('a subscription is identified by its order or product when its price has changed', async () => {
    const { project, id } = await customer()
    const old = { offer: null, ordered: 'recado_plan', product: 'prod_x' }
    stripe.subscriptions.set(id, [{ ...old, status: 'past_due' }])
    await sendSubscriptionUpdated(id)
    assert.deepEqual(await entitlementsOf(project), ['past_due'])
    stripe.subscriptions.set(id, [{ status: 'active', offer: null, product: 'prod_recado_plan' }])
    await sendSubscriptionUpdated(id)
    assert.deepEqual(await entitlementsOf(project), ['active'])
  })

  it('a new checkout expires the previous one, and a plan that already exists cannot be bought again', async () => {
    const { user, id } = await customer()
    await user.post('/panel/api/plan/checkout', { offer: 'recado_plan' })
    assert.deepEqual(
      stripe.sessions.get(id)?.map(({ status }) => status),
      ['expired', 'open'],
    )
    stripe.subscriptions.set(id, [{ status: 'past_due', offer: 'recado_plan' }])
    const again = await user.post('/panel/api/plan/checkout', { offer: 'recado_plan' })
    assert.equal(again.status, 409)
    // A slip (boleto) that has been ordered may be paid within days.
    stripe.subscriptions.set(id, [
      { status: 'past_due', offer: 'recado_plan' },
      { status: 'incomplete', offer: 'recado_mass_sending' },
    ])
    const addon = await user.post('/panel/api/plan/checkout', { offer: 'recado_mass_sending' })
    assert.equal(addon.status, 409)
    assert.match(addon.body.error.message, /primeiro pagamento ainda está sendo confirmado/)
    const credits = { offer: 'recado_credits_1000' }
    assert.equal((await user.post('/panel/api/plan/checkout', credits)).status, 200)
  })

  it('the pages of different subscriptions are independent, also if they are ordered at the same moment', async () => {
    const { user, id } = await customer()
    stripe.sessions.set(id, [])
    const order = async (offer: string) =>
      (await user.post('/panel/api/plan/checkout', { offer })).body.url
    const open = () =>
      (stripe.sessions.get(id) ?? [])
        .filter(({ status }) => status === 'open')
        .map(({ url }) => url)
    const plan = await order('recado_plan')
    const addon = await order('recado_mass_sending')
    assert.deepEqual(open(), [plan, addon])
    const both = await Promise.all([order('recado_plan'), order('recado_mass_sending')])
    assert.deepEqual(new Set(open()), new Set(both))
    assert.equal(new Set(both).size, 2)
  })

  it('the answer to a webhook counts although a later query fails, which is repeated within hours', async () => {
    // The next query is about this customer.
    await kit.db.system`update payment_customer set ended_at = now()`
    const { project, id } = await customer()
    stripe.subscriptions.set(id, [{ status: 'active', offer: 'recado_plan' }])
    const { promise, resolve: answer } = Promise.withResolvers<void>()
    stripe.mayAnswer = promise
    const asked = stripe.asked.length
    const webhook = sendSubscriptionUpdated(id)
    while (stripe.asked.length === asked) await new Promise((next) => setImmediate(next))
    stripe.mayAnswer = Promise.resolve()
    stripe.broken = true
    kit.clock.jump(25 * 3600_000)
    while (stripe.asked.length < asked + 2) await new Promise((next) => setImmediate(next))
    answer()
    stripe.broken = false
    assert.equal((await webhook).status, 200)
    await kit.settle()
    assert.deepEqual(await entitlementsOf(project), ['active'])
  })

  it('a customer whose daily reconciliation fails is reconciled within hours', async () => {
    const { project, id } = await customer()
    stripe.broken = true
    await kit.jump(25 * 3600_000)
    stripe.broken = false
    stripe.subscriptions.set(id, [{ status: 'active', offer: 'recado_plan' }])
    for (let hour = 0; hour < 2; hour++) await kit.jump(3600_000)
    assert.deepEqual(await entitlementsOf(project), ['active'])
  })

  it('two checkouts at the same moment leave one page that can be paid, and both lead to it or to the later one', async () => {
    const { user, id } = await customer()
    const order = () => user.post('/panel/api/plan/checkout', { offer: 'recado_plan' })
    const pages = await Promise.all([order(), order(), order()])
    const open = stripe.sessions.get(id)?.filter(({ status }) => status === 'open') ?? []
    assert.equal(open.length, 1)
    assert.ok(pages.some(({ body }) => body.url === open[0]?.['url']))
  })

  it('checkout creates a new customer with the current email address when Stripe has deleted the old one', async () => {
    const { project, user, id } = await customer()
    stripe.forgotten.add(id)
    const offer = { offer: 'recado_plan' }
    assert.equal((await user.post('/panel/api/plan/checkout', offer)).status, 200)
    const [row] = await kit.db.system<{ customerId: string }[]>`
      select customer_id from payment_customer where project_id = ${project.projectId}`
    assert.notEqual(row?.customerId, id)
    const made = stripe.asked.findLast((line) => line.startsWith('POST /v1/customers'))
    assert.ok(made?.includes(`email=${project.email}`), made)
    // Stripe would answer the same request with the deleted customer.
    stripe.forgotten.add(String(row?.customerId))
    assert.equal((await user.post('/panel/api/plan/checkout', offer)).status, 200)
  })

  it('a webhook about a customer that Stripe has deleted is accepted, and managing its plan returns 409', async () => {
    const { project, user, id } = await customer()
    stripe.forgotten.add(id)
    const kind = 'customer.subscription.deleted'
    const { status } = await sendWebhook({ type: kind, data: { object: { customer: id } } })
    assert.ok(status < 300, `${status}`)
    assert.deepEqual(await entitlementsOf(project), ['none'])
    assert.equal((await user.post('/panel/api/plan/manage')).status, 409)
  })

  it('payments and subscriptions without a webhook are reconciled within a day', async () => {
    const { project, id } = await customer()
    stripe.subscriptions.set(id, [{ status: 'active', offer: 'recado_plan' }])
    const paid = { ...session(id), status: 'complete' as const }
    stripe.sessions.set(id, [paid])
    await kit.jump(25 * 3600_000)
    assert.deepEqual(await entitlementsOf(project), ['active'])
    assert.equal(await creditsOf(project), 1000)
    await sendWebhook({ type: 'checkout.session.completed', data: { object: session(id) } })
    assert.equal(await creditsOf(project), 1000)
  })

  it('a customer whose reconciliation fails does not keep others from being reconciled', async () => {
    const customers = [await customer(), await customer(), await customer()]
    for (const { id } of customers)
      stripe.subscriptions.set(id, [{ status: 'active', offer: 'recado_plan' }])
    const [first] = customers
    await kit.db.system`
      update project set moving_until = ${new Date(Date.now() + 90 * 24 * 3600_000)}
      where id = ${first?.project.projectId ?? ''}`
    stripe.sessions.set(first?.id ?? '', [{ ...session(first?.id ?? ''), status: 'complete' }])
    await kit.jump(25 * 3600_000)
    for (const { project } of customers.slice(1))
      assert.deepEqual(await entitlementsOf(project), ['active'])
    await kit.db.system`update project set moving_until = null`
  })

  it('invoices are listed for roles that manage payments and are empty without a customer in Stripe', async () => {
    const { project, user, id } = await customer()
    const invoices = async () => (await user.get('/panel/api/plan/invoices')).body.items
    assert.deepEqual(await invoices(), [])
    stripe.subscriptions.set(id, [{ status: 'active', offer: 'recado_plan' }])
    const [first, ...others] = await invoices()
    assert.deepEqual(others, [])
    assert.deepEqual(
      [first.number, first.amount, first.currency, first.status, first.url],
      ['R-0001', 19_900, 'brl', 'paid', 'https://invoice.stripe.test/0'],
    )
    assert.equal(new Date(first.at).toISOString(), first.at)
    stripe.forgotten.add(id)
    assert.deepEqual(await invoices(), [])
    const email = `atende-${project.projectId}@empresa.com.br`
    await user.post('/panel/api/members/invitations', { email, role: 'Atendente' })
    await kit.settle()
    const token = /token=(\S+)/.exec(kit.mails.findLast(({ to }) => to === email)?.text ?? '')?.[1]
    await user.post('/panel/api/accept-invitation', { token, password: PASSWORD })
    const attendant = await kit.login({ ...project, email })
    assert.equal((await attendant.get('/panel/api/plan/invoices')).status, 403)
  })

  it('a suspended Project can still open a checkout', async () => {
    const { project, user } = await customer()
    await kit.operator.projects.set(kit.db, project.projectId, 'x', { status: 'SUSPENDED' })
    assert.equal((await user.get('/panel/api/plan')).body.projectStatus, 'SUSPENDED')
    const offer = { offer: 'recado_plan' }
    assert.equal((await user.post('/panel/api/plan/checkout', offer)).status, 200)
    assert.equal((await user.get('/v1/keys')).status, 403)
  })
})
