// How long contacts wait for an answer: per conversation, and as figures of a Project.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Body } from '../kit/client.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'
import { summarizeReceived } from '../../src/messaging/messages/summarize-received.ts'
import type { MessageRow } from '../../src/model/message.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const MINUTE = 60_000

async function world() {
  const project = await kit.project()
  const api = await kit.key(project)
  const instance = await kit.pair(api)
  const ana = await kit.phone(api, { name: 'Ana' })
  const says = async (text: string) => {
    await api.post(`${ana.base}/messages`, { to: instance.phone, text })
    await kit.settle()
  }
  const reply = async (text: string) => {
    const sent = await api.post(`${instance.base}/messages`, { to: ana.phone, text })
    assert.equal(sent.status, 201)
    await kit.settle()
  }
  const list = async (): Promise<Body[]> => (await api.get('/v1/conversations')).body.items
  const waiting = async () => (await list())[0]?.waitingSince ?? null
  const report = async (query = ''): Promise<Body> =>
    (await api.get(`/v1/response-times${query}`)).body
  return { project, api, instance, ana, says, reply, list, waiting, report }
}

const seconds = ({ answered, medianSeconds, p90Seconds }: Body) => [
  answered,
  medianSeconds === null ? null : Math.round(medianSeconds),
  p90Seconds === null ? null : Math.round(p90Seconds),
]

describe('the time until an answer', () => {
  it('the response time runs from the first unanswered message of the contact to the next message to them', async () => {
    const { api, says, reply, waiting, report } = await world()
    assert.deepEqual(seconds((await report()).total), [0, null, null])
    const asked = kit.clock.now()
    await says('tem bolo?')
    assert.equal(Date.parse(await waiting()), asked)
    const isListed = async (awaiting: boolean) =>
      (await api.get(`/v1/conversations?awaitingReply=${awaiting}`)).body.items.length
    assert.deepEqual([await isListed(true), await isListed(false)], [1, 0])
    await kit.jump(2 * MINUTE)
    await says('alô?')
    assert.equal(Date.parse(await waiting()), asked, 'more of the same wait')
    await kit.jump(MINUTE)
    await reply('tem!')
    assert.equal(await waiting(), null)
    assert.deepEqual([await isListed(true), await isListed(false)], [0, 1])
    assert.deepEqual(seconds((await report()).total), [1, 180, 180])
    await reply('de cenoura')
    assert.equal((await report()).total.answered, 1, 'a second answer ends nothing')
    await says('quero um')
    await kit.jump(MINUTE)
    await reply('feito')
    const { total, days } = await report()
    assert.deepEqual(seconds(total), [2, 120, 168])
    assert.equal(days.length, 7)
    assert.deepEqual(seconds(days.at(-1)), [2, 120, 168])
    assert.deepEqual(seconds(days[0]), [0, null, null])
  })

  it('a wait for an answer ends with an answer from the phone, or uncounted when the conversation is closed', async () => {
    const { api, instance, ana, says, waiting, list, report } = await world()
    await says('oi')
    await kit.jump(MINUTE)
    const typed = await api.post(`${instance.phoneBase}/messages`, { to: ana.phone, text: 'olá' })
    assert.equal(typed.status, 201)
    await kit.settle()
    assert.equal(await waiting(), null)
    assert.deepEqual(seconds((await report('?origin=phone')).total), [1, 60, 60])
    assert.equal((await report('?origin=api')).total.answered, 0)
    await says('obrigada!')
    assert.notEqual(await waiting(), null)
    const [{ id, instanceId }] = (await list()) as [Body]
    const closed = await api.patch(`/v1/instances/${instanceId}/conversations/${id}`, {
      status: 'done',
    })
    assert.equal(closed.body.waitingSince, null)
    assert.equal((await report()).total.answered, 1)
  })

  it('a campaign message does not end a wait for an answer, and groups have no response times', async () => {
    const { project, api, instance, ana, says, waiting, list } = await world()
    await kit.operator.projects.set(kit.db, project.projectId, 'addon.grant', {
      addons: ['mass_sending'],
    })
    await says('oi')
    const campaign = await api.post('/v1/campaigns', {
      name: 'Natal',
      instanceIds: [instance.id],
      message: { type: 'text', text: 'Panetone!' },
      recipients: [{ to: ana.phone }],
      pacing: null,
    })
    await api.post(`/v1/campaigns/${campaign.body.id}/start`)
    for (let tick = 0; tick < 5; tick++) await kit.jump(MINUTE)
    const [conversation] = await list()
    assert.equal(conversation?.lastMessage.text, 'Panetone!')
    assert.notEqual(await waiting(), null)
    const { body: group } = await api.post(`${instance.base}/groups`, {
      subject: 'Equipe',
      participants: [ana.phone],
    })
    await api.post(`${ana.base}/messages`, { to: group.chatId ?? group.id, text: 'bom dia' })
    await kit.settle()
    const found = (await list()).find(({ chat }) => chat.type === 'group')
    assert.equal(found?.waitingSince, null)
  })

  it('merging two conversations of a contact does not restart a wait that has been answered', async () => {
    const { api, instance, ana, says, list } = await world()
    const [row] = await kit.db.system`select lid from simulator_phone where id = ${ana.id}`
    const send = (to: string) => api.post(`${instance.base}/messages`, { to, text: 'olá' })
    const { conversationId } = (await send(String(row?.['lid']))).body
    await kit.settle()
    // As if the contact had written under this id, and the answer below had gone to the other one.
    await kit.db.system`
      update conversation set waiting_since = last_message_at where id = ${conversationId}`
    await kit.jump(MINUTE)
    await send(ana.phone)
    await kit.jump(MINUTE)
    assert.equal((await list()).length, 2)
    const asked = kit.clock.now()
    await says('obrigada')
    const [merged, ...others] = await list()
    assert.deepEqual(others, [])
    assert.equal(Date.parse(merged?.waitingSince), asked)
  })

  it('merging a conversation into a new one keeps its wait, its status and whether it is archived', async () => {
    const { api, instance, ana, list } = await world()
    const [row] = await kit.db.system`select lid from simulator_phone where id = ${ana.id}`
    const lid = String(row?.['lid'])
    const { body: sent } = await api.post(`${instance.base}/messages`, { to: lid, text: 'olá' })
    await kit.settle()
    const path = `${instance.base}/conversations/${sent.conversationId}`
    await api.patch(path, { archived: true, status: 'done' })
    await kit.db.system`
      update conversation set waiting_since = last_message_at where id = ${sent.conversationId}`
    await api.post(`${instance.base}/contacts/import`, { contacts: [{ phone: ana.phone }] })
    const merged = await api.post(`${instance.base}/contacts/${ana.phone}/merge`, { with: lid })
    assert.equal(merged.status, 200)
    const { items } = (await api.get('/v1/conversations?archived=true')).body
    assert.deepEqual(
      items.map((one: { status: string; archived: boolean; waitingSince: string | null }) => [
        one.status,
        one.archived,
        one.waitingSince !== null,
      ]),
      [['done', true, true]],
    )
    assert.equal((await list()).length, 1)
  })

  it('response times are visible only to their own Project and mode, for at most 90 days, and can be filtered by instance', async () => {
    const { api, instance, project, says, reply, report } = await world()
    await says('oi')
    await reply('olá')
    assert.equal((await report(`?instanceId=${instance.id}`)).total.answered, 1)
    assert.equal((await report('?instanceId=ins_outra')).total.answered, 0)
    const others = [await kit.key(project, 'production'), await kit.key(await kit.project())]
    for (const other of others)
      assert.equal((await other.get('/v1/response-times')).body.total.answered, 0)
    for (const query of ['?days=0', '?days=91', '?days=x', '?origin=campaign', '?day=3'])
      assert.equal((await api.get(`/v1/response-times${query}`)).status, 400, query)
    await kit.jump(8 * 24 * 60 * MINUTE)
    assert.equal((await report()).total.answered, 0)
    assert.equal((await report('?days=10')).total.answered, 1)
    // Kept for as long as a report covers it.
    const rows = async () =>
      (await kit.db.system`select 1 from response_time where instance_id = ${instance.id}`).length
    assert.equal(await rows(), 1)
    await kit.jump(84 * 24 * 60 * MINUTE)
    await kit.jump(60 * MINUTE)
    assert.equal(await rows(), 0)
  })

  it('every wait that starts and ends within one batch is counted, and late messages start none', () => {
    const at = (second: number) => new Date(second * 1000)
    const row = (direction: string, second: number, type = 'text') =>
      ({
        id: `m${second}`,
        conversationId: 'c',
        chatType: 'direct',
        direction,
        type,
        content: { type },
        createdAt: at(second),
      }) as MessageRow
    const waitsOf = (
      rows: MessageRow[],
      known: { lastMessageAt: Date | null; waitingSince: Date | null },
    ) => {
      const [news] = summarizeReceived(rows.toReversed(), new Set(), new Map([['c', known]]))
      const seconds = (date: Date | null) => date && date.getTime() / 1000
      return [
        seconds(news?.waitingSince ?? null),
        news?.waits.map(({ askedAt, answeredAt }) => [seconds(askedAt), seconds(answeredAt)]),
      ]
    }
    const nothing = { lastMessageAt: null, waitingSince: null }
    const [they, we] = [
      (second: number, type?: string) => row('inbound', second, type),
      (second: number, type?: string) => row('outbound', second, type),
    ]
    const busy = [they(10), they(11), we(20), they(30), we(45), they(50)]
    assert.deepEqual(waitsOf(busy, nothing), [
      50,
      [
        [10, 20],
        [30, 45],
      ],
    ])
    const answered = { lastMessageAt: at(100), waitingSince: null }
    assert.deepEqual(waitsOf([they(10)], answered), [null, []], 'answered before it arrived')
    assert.deepEqual(waitsOf([they(10), they(110)], answered), [110, []])
    assert.deepEqual(waitsOf([we(10), they(20)], answered), [null, []])
    const waiting = { lastMessageAt: at(100), waitingSince: at(100) }
    assert.deepEqual(waitsOf([we(10)], waiting), [100, []], 'written before the question')
    assert.deepEqual(waitsOf([we(130)], waiting), [null, [[100, 130]]])
    assert.deepEqual(waitsOf([we(130, 'reaction')], waiting), [100, []])
    assert.deepEqual(waitsOf([they(130, 'reaction')], answered), [null, []])
  })
})
