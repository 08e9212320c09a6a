// The health of a number, and what lowers it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Client } from '../kit/client.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

const HOUR_MS = 3600_000
let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const numberOf = (index: number, ending: string) => `55119${8000 + index}${ending}`

async function ready() {
  const api = await kit.key(await kit.project())
  return { api, instance: await kit.pair(api) }
}

async function sendTo(api: Client, base: string, ending: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const sent = await api.post(`${base}/messages`, { to: numberOf(index, ending), text: 'oi' })
    assert.equal(sent.status, 201, sent.text)
  }
  await kit.settle()
}

describe('the health of a number', () => {
  it('the health of a new instance is good, and unknown figures are null', async () => {
    const { api, instance } = await ready()
    const { status, body } = await api.get(`${instance.base}/health`)
    assert.equal(status, 200)
    assert.deepEqual([body.score, body.level, body.reasons], [100, 'good', []])
    assert.equal(body.metrics.sent, 0)
    assert.equal(body.metrics.deliveredShare, null)
    assert.equal(body.metrics.newChatsAllowance, 20)
  })

  it('the health of a number falls with undelivered messages, wrong numbers and unanswered chats', async () => {
    const { api, instance } = await ready()
    const { base, phone } = instance
    await sendTo(api, base, '5555', 10)
    await sendTo(api, base, '0002', 10)
    await sendTo(api, base, '0003', 10)
    const ana = await kit.phone(api)
    await api.post(`${ana.base}/messages`, { to: phone, text: 'oi' })
    await kit.settle()
    await api.post(`${base}/messages`, { to: ana.phone, text: 'olá' })
    await kit.settle()
    await kit.jump(2 * HOUR_MS)
    const { body } = await api.get(`${base}/health`)
    const { sent, received, deliveredShare, wrongNumberShare, newChats } = body.metrics
    assert.deepEqual([sent, received, newChats], [31, 1, 20])
    assert.equal(deliveredShare, 0.524)
    assert.equal(wrongNumberShare, 0.323)
    const codes = body.reasons.map(({ code }: { code: string }) => code)
    assert.deepEqual(codes, ['UNDELIVERED', 'COLD_UNANSWERED', 'WRONG_NUMBERS'])
    const lost = body.reasons.reduce(
      (sum: number, { points }: { points: number }) => sum + points,
      0,
    )
    assert.equal(body.score, 100 - lost)
    assert.equal(body.level, 'risk')
    const [worst] = body.reasons
    assert.match(worst.message, /^Só 52% das mensagens chegaram/)
    const english = await api.get(`${base}/health`, undefined, { 'accept-language': 'en' })
    assert.match(english.body.reasons[0].message, /^Only 52% of the messages/)
    // What is older than seven days no longer counts.
    await kit.jump(8 * 24 * HOUR_MS)
    const later = (await api.get(`${base}/health`)).body
    assert.deepEqual([later.score, later.metrics.sent], [100, 0])
  })

  it('the health of a number counts the chats that a number begins against the age of its connection', async () => {
    const { api, instance } = await ready()
    await sendTo(api, instance.base, '7777', 21)
    const { body } = await api.get(`${instance.base}/health`)
    assert.equal(body.metrics.mostNewChatsInADay, 21)
    const codes = body.reasons.map(({ code }: { code: string }) => code)
    assert.ok(codes.includes('TOO_MANY_NEW_CHATS'))
  })

  it('a banned number scores 0, and other Projects get 404', async () => {
    const { api, instance } = await ready()
    await api.post(`${instance.phoneBase}/ban`)
    await kit.settle()
    const { body } = await api.get(`${instance.base}/health`)
    assert.deepEqual([body.score, body.level, body.reasons[0].code], [0, 'risk', 'BANNED'])
    const other = await kit.key(await kit.project())
    assert.equal((await other.get(`${instance.base}/health`)).status, 404)
  })
})
