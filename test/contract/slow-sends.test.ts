// What happens to messages while their network is slow, hangs, or comes back at the last moment.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { DeferredMessage, OutboundMessage } from '../../src/networks/network.port.ts'
import { lockProjects } from '../../src/company/projects/projects.service.ts'
import { mergeConversations } from '../../src/messaging/conversations/merge-conversations.sql.ts'
import { inboundMessage } from '../kit/inbound-message.ts'
import { lockIsAwaited } from '../kit/lock-is-awaited.ts'
import { startScripted, type Scripted } from '../kit/scripted-network.ts'

type Send = (messages: OutboundMessage[], until?: number) => Promise<DeferredMessage[]>

let kit: Awaited<ReturnType<typeof startScripted>>
let onSend: Send
let left: string[]
before(async () => {
  kit = await startScripted({}, { send: (messages, until) => onSend(messages, until) })
})
after(() => kit.app.close())

const take: Send = async (messages) => {
  left.push(...messages.map(({ waMessageId }) => waMessageId))
  return []
}
beforeEach(() => {
  left = []
  onSend = take
})

async function post({ api, base }: Scripted, digits: number) {
  const { status, body } = await api.post(`${base}/messages/text`, {
    to: `55119800000${digits}`,
    text: 'oi',
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body as { id: string; waMessageId: string; chat: { id: string } }
}
const read = async ({ api, base }: Scripted, id: string) =>
  (await api.get(`${base}/messages/${id}`)).body
const creditsOf = ({ project }: Scripted) =>
  kit.app.operator.billing.credits(kit.app.db, project.projectId)

/** Locks the data of a company as a long transaction does; returns the function that ends it. */
async function lock({ project }: Scripted): Promise<() => Promise<void>> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const holding = kit.app.db.transaction(async (tx) => {
    await lockProjects(tx, [project.projectId])
    hold()
    await ended
  })
  await held
  return async () => {
    end()
    await holding
  }
}

/** Lets time pass without waiting for the batch that is under way. */
async function pass(ms: number, isDone: () => boolean | Promise<boolean>): Promise<void> {
  for (let passed = 0; passed < ms && !(await isDone()); passed += 1000) {
    kit.app.clock.jump(1000)
    // Statements of the workers.
    await kit.app.db.system`select pg_sleep(0.01)`
  }
}

describe('a message behind slow ones', () => {
  it('a message that no batch has started does not fail, no matter how long the others take, and is eventually sent', async () => {
    const one = await kit.connect()
    let batches = 0
    onSend = async (messages, until = 0) => {
      batches++
      assert.ok(until > kit.app.clock.now(), 'a batch has an end')
      return messages.map(({ waMessageId }) => ({
        waMessageId,
        retryAt: kit.app.clock.now() + 60_000,
        notAttempted: true,
      }))
    }
    const { id, waMessageId } = await post(one, 10)
    for (let minute = 0; minute < 15; minute++) await kit.app.jump(61_000)
    assert.ok(batches > 10, `${batches} batches`)
    assert.equal((await read(one, id)).status, 'queued')
    onSend = take
    await kit.app.jump(61_000)
    assert.deepEqual(left, [waMessageId])
  })

  it('a session that never finishes a batch blocks its instance for at most three minutes', async () => {
    const one = await kit.connect()
    onSend = () => new Promise(() => {})
    await post(one, 20)
    await kit.app.db.system`select pg_sleep(0.05)`
    onSend = take
    const { waMessageId } = await post(one, 21)
    await pass(200_000, () => left.includes(waMessageId))
    assert.ok(left.includes(waMessageId))
    await kit.app.settle()
  })
})

describe('received messages of a company whose data is locked', () => {
  it('received messages of a locked company wait for the lock in order, and those of another company do not wait', async () => {
    const [locked, free] = [await kit.connect(), await kit.connect()]
    const sender = { phone: '5511980000051', lid: null, name: 'Ana' }
    const chatId = '5511980000051@s.whatsapp.net'
    const message = () => inboundMessage(kit.app.clock, { chatId, sender })
    const idsOf = async ({ api, base }: Scripted): Promise<string[]> =>
      (await api.get(`${base}/messages`)).body.items
        .map(({ waMessageId }: { waMessageId: string }) => waMessageId)
        .toReversed()
    const unlock = await lock(locked)
    const [first, second, other] = [message(), message(), message()]
    const waiting = locked.listener.onMessages([first])
    await free.listener.onMessages([other])
    assert.deepEqual(await idsOf(free), [other.waMessageId])
    await lockIsAwaited(kit.app.db)
    const behind = locked.listener.onMessages([second])
    assert.deepEqual(await idsOf(locked), [])
    await Promise.all([unlock(), waiting, behind])
    assert.deepEqual(await idsOf(locked), [first.waMessageId, second.waMessageId])
  })
})

describe('receipts of a company whose data is locked', () => {
  it('a failure waits for the lock of its company and is refunded, and receipts that arrive with it do not wait', async () => {
    const [locked, free] = [await kit.connect(), await kit.connect()]
    const [failing, sent] = [await post(locked, 30), await post(locked, 31)]
    const late = await post(locked, 34)
    const [other, otherFailing] = [await post(free, 32), await post(free, 33)]
    await kit.app.settle()
    const before = await creditsOf(locked)
    const receiptOf = (
      message: { waMessageId: string; chat: { id: string } },
      status: 'failed' | 'sent',
    ) => ({
      waMessageIds: [message.waMessageId],
      chatId: message.chat.id,
      status,
      at: kit.app.clock.now(),
      party: null,
      error: status === 'failed' ? { code: 'UNKNOWN' as const, retryable: false } : null,
    })
    const unlock = await lock(locked)
    const waiting = locked.listener.onReceipts([
      receiptOf(failing, 'failed'),
      // Follows a failure, which wins.
      receiptOf(late, 'failed'),
      receiptOf(late, 'sent'),
    ])
    await Promise.all([
      locked.listener.onReceipts([receiptOf(sent, 'sent')]),
      free.listener.onReceipts([receiptOf(other, 'sent'), receiptOf(otherFailing, 'failed')]),
    ])
    assert.deepEqual(
      [
        (await read(locked, failing.id)).status,
        (await read(locked, sent.id)).status,
        (await read(free, other.id)).status,
        (await read(free, otherFailing.id)).status,
      ],
      ['sending', 'sent', 'sent', 'failed'],
    )
    await lockIsAwaited(kit.app.db)
    await Promise.all([unlock(), waiting])
    for (const { id } of [failing, late]) {
      const { status, error } = await read(locked, id)
      assert.deepEqual([status, error?.code], ['failed', 'UNKNOWN'])
    }
    assert.equal(await creditsOf(locked), before + 2)
  })
})

describe('a message whose conversation is merged', () => {
  it('a message that waits for the merge of its conversation is stored in the one that is kept', async () => {
    const one = await kit.connect()
    const [from, into] = [await post(one, 40), await post(one, 41)]
    await kit.app.settle()
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    const { promise: merged, resolve: merge } = Promise.withResolvers<void>()
    const target = await read(one, into.id)
    const merging = kit.app.db.transaction(async (tx) => {
      const locked = await lockProjects(tx, [one.project.projectId])
      const kept = { conversationId: target.conversationId, chatId: into.chat.id }
      await mergeConversations(locked, one.id, from.chat.id, kept)
      merge()
      await finished
    })
    await merged
    const { conversationId } = await read(one, from.id)
    const body = { conversationId, text: 'durante' }
    const sending = one.api.post(`${one.base}/messages/text`, body)
    await lockIsAwaited(kit.app.db)
    finish()
    await merging
    const { body: sent } = await sending
    assert.deepEqual([sent.conversationId, sent.chat.id], [target.conversationId, into.chat.id])
    const [kept] = await kit.app.db.system`
      select last_message_id from conversation where id = ${target.conversationId}`
    assert.equal(kept?.lastMessageId, sent.id)
  })

  it('a merge keeps the message that was accepted here, and not the copy of it from the history', async () => {
    const one = await kit.connect()
    const lid = '123456789012345@lid'
    const { body } = await one.api.post(`${one.base}/messages/text`, {
      to: lid,
      text: 'oi',
      clientReference: 'pedido-1',
    })
    await kit.app.settle()
    const [phone, waMessageId] = ['5511977770001', String(body.waMessageId)]
    const sender = { phone: one.phone, lid: null, name: null }
    const chatId = `${phone}@s.whatsapp.net`
    const copy = inboundMessage(kit.app.clock, { waMessageId, chatId, sender, fromMe: true })
    await kit.listenerOf(one.id).onHistory([{ ...copy, starred: false, status: 'sent' } as never])
    const contact = {
      kind: 'contact',
      party: { phone, lid, name: 'Ana' },
      at: kit.app.clock.now(),
      id: null,
    }
    await kit.listenerOf(one.id).onEvents([contact as never])
    await kit.app.settle()
    const stored = await kit.app.db.system`
      select id, client_reference from message where instance_id = ${one.id} and wa_message_id = ${waMessageId}`
    assert.deepEqual(
      stored.map((row) => ({ ...row })),
      [{ id: body.id, clientReference: 'pedido-1' }],
    )
  })
})

describe('a reply that comes before the receipt', () => {
  it('a reply to a campaign counts even if the network has not acknowledged the message yet', async () => {
    const one = await kit.connect()
    const { projectId } = one.project
    const addons = ['mass_sending'] as const
    await kit.app.operator.projects.set(kit.app.db, projectId, 'addon.grant', {
      addons: [...addons],
    })
    const campaign = {
      name: 'Novembro',
      instanceIds: [one.id],
      message: { type: 'text', text: 'Oi' },
      recipients: [{ to: '+55 11 98000-0050' }],
    }
    const { body, status } = await one.api.post('/v1/campaigns', campaign)
    assert.equal(status, 201, JSON.stringify(body))
    await one.api.post(`/v1/campaigns/${body.id}/start`)
    await pass(60_000, () => left.length > 0)
    await kit.app.settle()
    const chatId = '5511980000050@s.whatsapp.net'
    const sender = { phone: '5511980000050', lid: null, name: null }
    await kit.listenerOf(one.id).onMessages([inboundMessage(kit.app.clock, { chatId, sender })])
    await kit.app.settle()
    const { counts } = (await one.api.get(`/v1/campaigns/${body.id}`)).body
    assert.equal(counts.replied, 1)
  })
})

describe('a message that is sent at the last moment', () => {
  it('a message whose instance reconnects while its failure waits is sent and charged, and does not fail', async () => {
    const one = await kit.connect()
    await one.listener.onStatus({ status: 'DISCONNECTED', reason: 'network', willReconnect: true })
    const { id, waMessageId, chat } = await post(one, 30)
    const credits = await creditsOf(one)
    const { promise: unlocked, resolve: unlock } = Promise.withResolvers<void>()
    const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
    const locking = kit.app.db.transaction(async (tx) => {
      await tx.system`select 1 from balance where project_id = ${one.project.projectId} for update`
      lock()
      await unlocked
    })
    await locked
    kit.app.clock.jump(606_000)
    await lockIsAwaited(kit.app.db)
    await kit.listenerOf(one.id).onStatus({ status: 'CONNECTED' })
    await pass(5000, () => left.includes(waMessageId))
    assert.ok(left.includes(waMessageId))
    unlock()
    await locking
    await kit.app.settle()
    await kit.listenerOf(one.id).onReceipts([
      {
        waMessageIds: [waMessageId],
        chatId: chat.id,
        status: 'sent',
        at: kit.app.clock.now(),
        party: null,
        error: null,
      },
    ])
    await kit.app.settle()
    assert.equal((await read(one, id)).status, 'sent')
    assert.equal(await creditsOf(one), credits)
  })
})
