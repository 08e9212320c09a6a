// Instances on the official API, against a fake of Meta's Graph API.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { request } from 'undici'
import { startGraphServer, webhookHash, type GraphServer } from '../kit/graph-server.ts'
import { accountOf, connectShop, makeShop, type Shop } from '../kit/official-shop.ts'
import { HOSTS, startTestApp, type TestApp } from '../kit/test-app.ts'

const ANA = '5511988887777'
const DAY_MS = 24 * 3600_000

let kit: TestApp
let graph: GraphServer
before(async () => {
  graph = await startGraphServer()
  kit = await startTestApp({ PRODUCTION_NETWORK: 'whatsapp', CLOUD_API_URL: graph.url })
  graph.ports.set(HOSTS.production, kit.port)
})
after(async () => {
  await kit.close()
  graph.close()
})

const makeInstance = () => makeShop(kit, graph)
const connect = () => connectShop(kit, graph)

/** Posts a webhook as Meta does; returns the status of the response. */
async function tell({ id, number }: Shop, value: object, secret?: string): Promise<number> {
  const { body, headers } = graph.sign(number, value as Record<string, unknown>, secret)
  const answer = await request(`http://127.0.0.1:${kit.port}/cloud/${id}`, {
    method: 'POST',
    headers: { host: HOSTS.production, 'content-type': 'application/json', ...headers },
    body,
  })
  await answer.body.dump()
  await kit.settle()
  return answer.statusCode
}

const write = (shop: Shop, text = 'oi', from = ANA) =>
  tell(shop, graph.incoming(from, { type: 'text', text: { body: text } }, 'Ana', kit.clock.now()))
const send = ({ api, base }: Shop, text = 'olá', to = ANA) =>
  api.post(`${base}/messages/text`, { to, text })
const statusOf = async ({ api, base }: Shop, messageId: string) =>
  (await api.get(`${base}/messages/${messageId}`)).body
const creditsOf = ({ projectId }: Shop) => kit.operator.billing.credits(kit.db, projectId)

describe('an instance on the official API', () => {
  it('an account that Meta accepts connects the instance, and Meta sends its webhooks here', async () => {
    const shop = await makeInstance()
    const early = await shop.api.post(`${shop.base}/connect`)
    assert.equal(early.status, 409)
    assert.equal((await shop.api.get(`${shop.base}/cloud-account`)).status, 404)
    const { status, body } = await shop.api.put(
      `${shop.base}/cloud-account`,
      accountOf(shop.number),
    )
    assert.equal(status, 200)
    const url = `http://${HOSTS.production}/cloud/${shop.id}`
    assert.equal(body.webhook.url, url)
    assert.equal(body.webhook.configured, true)
    assert.equal(shop.number.callback, url)
    assert.ok(shop.number.subscribed)
    await kit.settle()
    const { body: instance } = await shop.api.get(shop.base)
    assert.deepEqual(
      [instance.status, instance.network, instance.phone, instance.profileName],
      ['CONNECTED', 'cloud_api', shop.number.phone, 'Loja'],
    )
    const { text } = await shop.api.get(`${shop.base}/cloud-account`)
    assert.ok(!text.includes(shop.number.accessToken) && !text.includes(shop.number.appSecret))
    assert.ok(!kit.logs.join().includes(shop.number.accessToken))
  })

  it('an account that Meta rejects is not stored, and the error names the field', async () => {
    const shop = await makeInstance()
    const good = accountOf(shop.number)
    const other = graph.number('551130009999')
    const wrong = {
      accessToken: 'EAAGaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      phoneNumberId: other.phoneNumberId,
      businessAccountId: other.businessAccountId,
    }
    const wrongSecret = '0123456789abcdef0123456789abcdef'
    for (const [field, value] of Object.entries({ ...wrong, appSecret: wrongSecret })) {
      const path = `${shop.base}/cloud-account`
      const { status, body } = await shop.api.put(path, { ...good, [field]: value })
      assert.deepEqual([status, body.error.field], [400, field])
    }
    assert.equal((await shop.api.get(`${shop.base}/cloud-account`)).status, 404)
    const phone = await shop.api.post('/v1/instances', { name: 'Celular' })
    const path = `/v1/instances/${phone.body.id}/cloud-account`
    assert.equal((await shop.api.put(path, good)).status, 409)
  })

  it('outside of the day after a person writes, only a template is accepted, and nothing is charged', async () => {
    const shop = await connect()
    const before = await creditsOf(shop)
    const refused = await send(shop)
    assert.deepEqual([refused.status, refused.body.error.reason], [409, 'OUTSIDE_WINDOW'])
    assert.equal(await creditsOf(shop), before)
    const template = { name: 'pedido_enviado', variables: ['Ana', '123'] }
    const started = await shop.api.post(`${shop.base}/messages/template`, { to: ANA, template })
    assert.equal(started.status, 201)
    assert.equal(started.body.text, 'pedido_enviado: Ana · 123')
    assert.equal((await send(shop)).status, 409)
    assert.equal(await write(shop), 200)
    assert.equal((await send(shop)).status, 201)
    await kit.jump(DAY_MS - 60_000)
    assert.equal((await send(shop)).status, 201)
    await kit.jump(120_000)
    assert.equal((await send(shop)).status, 409)
    assert.deepEqual(
      shop.number.posted.map(({ body }) => body['type']),
      ['template', 'text', 'text'],
    )
    assert.deepEqual(shop.number.posted[0]?.body['template'], {
      name: 'pedido_enviado',
      language: { code: 'pt_BR' },
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Ana' },
            { type: 'text', text: '123' },
          ],
        },
      ],
    })
  })

  it('kinds that a network cannot send are refused before a credit is taken', async () => {
    const shop = await connect()
    await write(shop)
    const before = await creditsOf(shop)
    const poll = { to: ANA, question: 'Quando?', options: ['hoje', 'amanhã'] }
    assert.equal((await shop.api.post(`${shop.base}/messages/poll`, poll)).status, 409)
    const group = await send(shop, 'oi', '120363025555555555@g.us')
    assert.equal(group.status, 409)
    assert.equal(await creditsOf(shop), before)
    const project = await kit.project()
    const sandbox = await kit.key(project)
    const { base } = await kit.pair(sandbox)
    const template = { name: 'pedido_enviado' }
    const answer = await sandbox.post(`${base}/messages/template`, { to: ANA, template })
    assert.equal(answer.status, 409)
  })

  it('statuses of Meta move a message, and a failure after acceptance returns its credit', async () => {
    const shop = await connect()
    await write(shop)
    const before = await creditsOf(shop)
    const { body: good } = await send(shop, 'um')
    const { body: bad } = await send(shop, 'dois')
    await kit.settle()
    const [first, second] = shop.number.posted
    assert.ok(first && second)
    for (const status of ['sent', 'delivered', 'read'])
      assert.equal(await tell(shop, graph.status(first, status)), 200)
    assert.equal((await statusOf(shop, good.id)).status, 'read')
    await tell(shop, graph.status(second, 'failed', 131_026))
    const failed = await statusOf(shop, bad.id)
    assert.deepEqual([failed.status, failed.error.code], ['failed', 'NUMBER_NOT_ON_NETWORK'])
    assert.equal(await creditsOf(shop), before - 2, 'a message that Meta has accepted is paid for')
  })

  it('a message whose response is lost is posted once, and its status determines the outcome', async () => {
    const shop = await connect()
    await write(shop)
    graph.faults.push('lost answer', 'lost answer')
    const { body: settled } = await send(shop, 'um')
    await kit.settle()
    const { body: unknown } = await send(shop, 'dois', '5511977776666')
    assert.equal(unknown.error.reason, 'OUTSIDE_WINDOW')
    await write(shop, 'oi', '5511977776666')
    const before = await creditsOf(shop)
    const { body: lost } = await send(shop, 'dois', '5511977776666')
    for (let minute = 0; minute < 3; minute++) await kit.jump(60_000)
    const [first] = shop.number.posted
    assert.ok(first)
    await tell(shop, graph.status(first, 'delivered'))
    assert.equal((await statusOf(shop, settled.id)).status, 'delivered')
    for (let minute = 0; minute < 5; minute++) await kit.jump(60_000)
    const failed = await statusOf(shop, lost.id)
    assert.deepEqual([failed.status, failed.error.code], ['failed', 'OUTCOME_UNKNOWN'])
    assert.equal(await creditsOf(shop), before)
    assert.equal(shop.number.posted.length, 2)
  })

  it('a message that Meta rejects for now is sent later, in order, and one that it rejects for good fails', async () => {
    const shop = await connect()
    await write(shop)
    graph.faults.push({ code: 130_429, status: 429 })
    const ids: string[] = []
    for (const text of ['um', 'dois', 'três']) ids.push((await send(shop, text)).body.id)
    await kit.settle()
    await kit.jump(31_000)
    await kit.jump(31_000)
    const texts = shop.number.posted.map(({ body }) => (body['text'] as { body: string }).body)
    assert.deepEqual(texts, ['um', 'dois', 'três'])
    graph.faults.push({ code: 131_047 })
    const { body: last } = await send(shop, 'quatro')
    await kit.settle()
    const failed = await statusOf(shop, last.id)
    assert.deepEqual([failed.status, failed.error.code], ['failed', 'WINDOW_CLOSED'])
  })

  it('without webhooks, a message that Meta accepted counts as sent after a minute', async () => {
    const shop = await connect()
    await write(shop)
    const { body } = await send(shop)
    await kit.jump(61_000)
    await kit.jump(1000)
    assert.equal((await statusOf(shop, body.id)).status, 'sent')
    assert.equal(shop.number.posted.length, 1)
  })

  it('a webhook with a wrong signature, or about another number, changes nothing', async () => {
    const [shop, other] = [await connect(), await connect()]
    const value = graph.incoming(ANA, { type: 'text', text: { body: 'falsa' } })
    assert.equal(await tell(shop, value, other.number.appSecret), 403)
    const foreign = { ...shop, number: { ...other.number, appSecret: shop.number.appSecret } }
    assert.equal(await tell(foreign, value), 200)
    for (const { api, base } of [shop, other])
      assert.deepEqual((await api.get(`${base}/messages`)).body.items, [])
    const unknown = { ...shop, id: 'ins_01jcqz3v8xf6k9m2n4p5r7s8t9' }
    assert.equal(await tell(unknown, value), 403)
    const url = `http://127.0.0.1:${kit.port}/cloud/${shop.id}`
    const headers = { host: HOSTS.production }
    const guess = await request(`${url}?hub.mode=subscribe&hub.verify_token=x`, { headers })
    await guess.body.dump()
    assert.equal(guess.statusCode, 403)
  })

  it('a repeated webhook records its message once, with its quote, its file and what a button returned', async () => {
    const shop = await connect()
    await write(shop)
    const { body: own } = await send(shop, 'Confirma?')
    await kit.settle()
    const [posted] = shop.number.posted
    const answer = graph.incoming(ANA, {
      type: 'interactive',
      context: { id: posted?.wamid, from: shop.number.phone },
      interactive: { type: 'button_reply', button_reply: { id: 'sim', title: 'Sim' } },
    })
    for (let count = 0; count < 2; count++) assert.equal(await tell(shop, answer), 200)
    const { body } = await shop.api.get(`${shop.base}/messages?direction=inbound`)
    assert.equal(body.items.length, 2)
    const [{ text, content, quoted }] = body.items
    assert.equal(text, 'Sim')
    assert.deepEqual(content, { reply: { kind: 'button', id: 'sim', title: 'Sim' } })
    assert.equal(quoted.waMessageId, own.waMessageId)
  })

  it('a number that Meta writes in another way has one conversation', async () => {
    const shop = await connect()
    const canonical = '551188885555'
    graph.spellings.set('5511988885555', canonical)
    const template = { name: 'pedido_enviado' }
    const to = '5511988885555'
    await shop.api.post(`${shop.base}/messages/template`, { to, template })
    await kit.settle()
    await write(shop, 'oi', canonical)
    assert.equal((await send(shop, 'olá', to)).status, 201)
    await kit.settle()
    assert.equal(shop.number.posted.at(-1)?.body['to'], `+${canonical}`)
    const { body } = await shop.api.get(`${shop.base}/conversations`)
    assert.equal(body.items.length, 1)
    const [first] = shop.number.posted
    assert.ok(first)
    await tell(shop, graph.status(first, 'delivered'))
    const { body: sent } = await shop.api.get(`${shop.base}/messages?direction=outbound`)
    assert.deepEqual(
      (sent.items as { status: string }[]).map(({ status }) => status),
      ['sending', 'delivered'],
    )
  })

  it('a contact who wrote first can be answered under either spelling of their number', async () => {
    const shop = await connect()
    await write(shop, 'oi', '551177774444')
    const answer = await send(shop, 'olá', '5511977774444')
    assert.equal(answer.status, 201)
    assert.equal(answer.body.chat.id, '551177774444@s.whatsapp.net')
  })

  it('a number that is logged out and connected again posts nothing twice', async () => {
    const shop = await connect()
    await write(shop)
    for (const text of ['um', 'dois', 'três']) await send(shop, text)
    await kit.settle()
    assert.equal((await shop.api.post(`${shop.base}/logout`)).status, 200)
    await kit.settle()
    const account = accountOf(shop.number)
    assert.equal((await shop.api.put(`${shop.base}/cloud-account`, account)).status, 200)
    for (let minute = 0; minute < 3; minute++) await kit.jump(60_000)
    assert.equal((await shop.api.get(shop.base)).body.status, 'CONNECTED')
    assert.equal(shop.number.posted.length, 3)
  })

  it('a pending logout does not delete an account that was stored after it', async () => {
    const shop = await connect()
    assert.equal((await shop.api.post(`${shop.base}/logout`)).status, 200)
    await kit.settle()
    const later = new Date(kit.clock.now() + 3600_000)
    await kit.db.system`update instance set forget_at = ${later} where id = ${shop.id}`
    const account = accountOf(shop.number)
    assert.equal((await shop.api.put(`${shop.base}/cloud-account`, account)).status, 200)
    for (let turn = 0; turn < 3; turn++) await kit.jump(11_000)
    assert.equal((await shop.api.get(`${shop.base}/cloud-account`)).status, 200)
    assert.equal((await shop.api.get(shop.base)).body.status, 'CONNECTED')
  })

  it('while Meta is unreachable, one message at a time probes whether it has recovered', async () => {
    const shop = await connect()
    const people = Array.from({ length: 12 }, (_, index) => `55119444455${10 + index}`)
    for (const phone of people) await write(shop, 'oi', phone)
    for (let count = 0; count < 12; count++) graph.faults.push('gateway')
    for (const phone of people) await send(shop, 'olá', phone)
    for (let second = 0; second < 10; second++) await kit.jump(1000)
    const failed = 12 - graph.faults.length
    assert.ok(failed >= 2 && failed <= 5, `${failed} requests`)
    graph.faults.length = 0
    for (let second = 0; second < 40; second++) await kit.jump(1000)
    assert.equal(shop.number.posted.length, 12 - failed)
  })

  it('statuses that arrive together for a message whose response was lost are all applied', async () => {
    const shop = await connect()
    await write(shop)
    graph.faults.push('lost answer')
    const { body } = await send(shop)
    await kit.settle()
    const [posted] = shop.number.posted
    assert.ok(posted)
    const told = ['sent', 'delivered', 'read'].map((status) =>
      tell(shop, graph.status(posted, status)),
    )
    assert.deepEqual(await Promise.all(told), [200, 200, 200])
    assert.equal((await statusOf(shop, body.id)).status, 'read')
  })

  it('a message of an unknown outcome waits for its status after the instance was away', async () => {
    const shop = await connect()
    await write(shop)
    graph.faults.push('lost answer')
    const { body } = await send(shop)
    await kit.settle()
    await shop.api.post(`${shop.base}/disconnect`)
    for (let minute = 0; minute < 7; minute++) await kit.jump(60_000)
    await shop.api.post(`${shop.base}/connect`)
    await kit.jump(2000)
    const [posted] = shop.number.posted
    assert.ok(posted)
    await tell(shop, graph.status(posted, 'delivered'))
    assert.equal((await statusOf(shop, body.id)).status, 'delivered')
  })

  it('an outage of Meta holds back the messages that follow, which are sent after it recovers', async () => {
    const shop = await connect()
    await write(shop)
    await write(shop, 'oi', '5511955554444')
    graph.faults.push('gateway')
    const { body: lost } = await send(shop, 'um')
    const { body: later } = await send(shop, 'dois', '5511955554444')
    await kit.settle()
    for (let second = 0; second < 5; second++) await kit.jump(1000)
    assert.equal((await shop.api.get(shop.base)).body.status, 'CONNECTED')
    const texts = shop.number.posted.map(({ body }) => (body['text'] as { body: string }).body)
    assert.deepEqual(texts, ['dois'])
    for (let minute = 0; minute < 6; minute++) await kit.jump(60_000)
    assert.equal((await statusOf(shop, lost.id)).error.code, 'OUTCOME_UNKNOWN')
    assert.equal((await statusOf(shop, later.id)).status, 'sent')
  })

  it('a permission that one request lacks fails that message, and the instance stays connected', async () => {
    const shop = await connect()
    await write(shop)
    graph.faults.push({ code: 10, status: 403 })
    const { body } = await send(shop)
    await kit.settle()
    assert.equal((await statusOf(shop, body.id)).error.code, 'RESTRICTED')
    assert.equal((await shop.api.get(shop.base)).body.status, 'CONNECTED')
    assert.equal((await send(shop, 'de novo')).status, 201)
  })

  it('a file that a person sends is stored, and one of the company is uploaded once', async () => {
    const shop = await connect()
    const bytes = Buffer.from('%PDF-1.4 uma nota')
    const document = {
      id: graph.addFile(bytes, 'application/pdf'),
      mime_type: 'application/pdf',
      filename: 'nota.pdf',
      sha256: webhookHash(bytes),
    }
    await tell(shop, graph.incoming(ANA, { type: 'document', document }, 'Ana', kit.clock.now()))
    const { body } = await shop.api.get(`${shop.base}/messages`)
    const [{ id, media }] = body.items
    assert.deepEqual([media.status, media.fileName], ['available', 'nota.pdf'])
    const { bytes: stored } = await shop.api.download(`${shop.base}/messages/${id}/media`)
    assert.deepEqual(stored, bytes)
  })

  it('contacts are blocked and unblocked by number', async () => {
    const shop = await connect()
    const path = `${shop.base}/blocked/${ANA}`
    assert.equal((await shop.api.put(path)).status, 204)
    assert.deepEqual([...shop.number.blocked], [ANA])
    assert.equal((await shop.api.delete(path)).status, 204)
    assert.deepEqual([...shop.number.blocked], [])
  })

  it('a status of Meta counts after the installation was away for longer than a message may wait', async () => {
    const shop = await connect()
    await write(shop)
    const { body } = await send(shop)
    await kit.settle()
    await shop.api.post(`${shop.base}/disconnect`)
    for (let minute = 0; minute < 12; minute++) await kit.jump(60_000)
    assert.equal((await statusOf(shop, body.id)).status, 'sending')
    await shop.api.post(`${shop.base}/connect`)
    await kit.settle()
    const [posted] = shop.number.posted
    assert.ok(posted)
    await tell(shop, graph.status(posted, 'delivered'))
    assert.equal((await statusOf(shop, body.id)).status, 'delivered')
    assert.equal(shop.number.posted.length, 1)
  })

  it('a connection that opens brings the webhooks back from another address', async () => {
    const shop = await connect()
    shop.number.callback = 'https://antigo.exemplo.com.br/cloud/x'
    // As it is after a move: the old installation had directed them to itself.
    await kit.db.system`
      delete from instance_credential where instance_id = ${shop.id} and id = 'directed'`
    await shop.api.post(`${shop.base}/disconnect`)
    await kit.settle()
    await shop.api.post(`${shop.base}/connect`)
    await kit.settle()
    assert.equal(shop.number.callback, `http://${HOSTS.production}/cloud/${shop.id}`)
  })

  it('a quote of a message that Meta never accepted is left out', async () => {
    const shop = await connect()
    await write(shop)
    graph.faults.push({ code: 131_047 })
    const { body: failed } = await send(shop, 'um')
    await kit.settle()
    const quote = { to: ANA, text: 'dois', quotedWaMessageId: failed.waMessageId }
    await shop.api.post(`${shop.base}/messages/text`, quote)
    await kit.settle()
    const last = shop.number.posted.at(-1)
    assert.deepEqual(last?.body['text'], { body: 'dois', preview_url: false })
    assert.equal(last.body['context'], undefined)
  })

  it('an instance whose token Meta no longer accepts is logged out, and its queued messages fail', async () => {
    const shop = await connect()
    await write(shop)
    shop.number.accessToken = 'EAAGoutro'
    const { body } = await send(shop)
    await kit.settle()
    assert.equal((await shop.api.get(shop.base)).body.status, 'LOGGED_OUT')
    assert.equal((await send(shop)).status, 409)
    for (let minute = 0; minute < 11; minute++) await kit.jump(60_000)
    const failed = await statusOf(shop, body.id)
    assert.equal(failed.status, 'failed')
    assert.equal(shop.number.posted.length, 0)
  })

  it('templates are submitted, listed with the verdict of Meta, and deleted', async () => {
    const shop = await connect()
    const path = `${shop.base}/templates`
    const body = {
      name: 'pedido_enviado',
      category: 'UTILITY',
      body: 'Oi, {{1}}! O pedido {{2}} saiu.',
      variables: ['Ana', '123'],
    }
    const created = await shop.api.post(path, body)
    assert.deepEqual([created.status, created.body.status], [201, 'PENDING'])
    assert.equal((await shop.api.post(path, body)).status, 409)
    Object.assign(shop.number.templates[0] ?? {}, { status: 'APPROVED' })
    const { body: list } = await shop.api.get(path)
    assert.deepEqual(
      list.items.map((one: { name: string; status: string; body: string }) => [
        one.name,
        one.status,
        one.body,
      ]),
      [['pedido_enviado', 'APPROVED', body.body]],
    )
    assert.equal((await shop.api.delete(`${path}/pedido_enviado`)).status, 204)
    assert.equal((await shop.api.delete(`${path}/pedido_enviado`)).status, 409)
  })
})

describe('a campaign on the official API', () => {
  it('a campaign on the official API sends templates, and skips people to whom nothing else may be sent', async () => {
    const shop = await connect()
    await kit.operator.projects.set(kit.db, shop.projectId, 'addon.grant', {
      addons: ['mass_sending'],
    })
    await write(shop)
    const types: unknown[] = []
    const run = async (message: object) => {
      const { body } = await shop.api.post('/v1/campaigns', {
        name: 'Novidades',
        instanceIds: [shop.id],
        message,
        recipients: [ANA, '5511966665555'].map((to) => ({ to, variables: { nome: 'Ana' } })),
      })
      assert.equal((await shop.api.post(`/v1/campaigns/${body.id}/start`)).status, 200)
      for (let count = 0; count < 4; count++) await kit.jump(10_000)
      for (const message of shop.number.posted.splice(0)) {
        types.push(message.body['type'])
        await tell(shop, graph.status(message, 'sent'))
      }
      const { body: list } = await shop.api.get(`/v1/campaigns/${body.id}/recipients`)
      return (list.items as { status: string; reason: string | null }[]).map(
        ({ status, reason }) => reason ?? status,
      )
    }
    assert.deepEqual(await run({ type: 'text', text: 'Oi, {{nome}}' }), ['sent', 'OUTSIDE_WINDOW'])
    const template = { name: 'novidades', variables: ['{{nome}}'] }
    assert.deepEqual(await run({ type: 'template', template }), ['sent', 'sent'])
    const { body: phone } = await shop.api.post('/v1/instances', { name: 'Celular' })
    const mixed = await shop.api.post('/v1/campaigns', {
      name: 'Mista',
      instanceIds: [shop.id, phone.id],
      message: { type: 'template', template },
    })
    assert.deepEqual([mixed.status, mixed.body.error.field], [400, 'instanceIds'])
    const poll = { type: 'poll', question: 'Quando?', options: ['hoje', 'amanhã'] }
    assert.deepEqual(await run(poll), ['NOT_ON_NETWORK', 'NOT_ON_NETWORK'])
    assert.deepEqual(types, ['text', 'template', 'template'])
  })
})

describe('the official API in the sandbox', () => {
  it('an instance of test mode has templates and the same day to answer, with virtual phones', async () => {
    const api = await kit.key(await kit.project())
    const own = await kit.pair(api, 'Oficial', {}, { network: 'cloud_api' })
    const { base } = own
    const ana = await kit.phone(api, { name: 'Ana' })
    assert.equal(
      (await api.put(`${base}/cloud-account`, accountOf(graph.number('551130001234')))).status,
      409,
    )
    const body = { name: 'boas_vindas', category: 'MARKETING', body: 'Oi, {{1}}!' }
    assert.equal((await api.post(`${base}/templates`, body)).body.status, 'APPROVED')
    const text = { to: ana.phone, text: 'oi' }
    assert.equal(
      (await api.post(`${base}/messages/text`, text)).body.error.reason,
      'OUTSIDE_WINDOW',
    )
    const template = { name: 'boas_vindas', variables: ['Ana'] }
    const sent = await api.post(`${base}/messages/template`, { to: ana.phone, template })
    await kit.settle()
    assert.equal((await api.get(`${base}/messages/${sent.body.id}`)).body.status, 'delivered')
    await api.post(`${ana.base}/messages`, { to: own.phone, text: 'olá' })
    await kit.settle()
    assert.equal((await api.post(`${base}/messages/text`, text)).status, 201)
  })
})
