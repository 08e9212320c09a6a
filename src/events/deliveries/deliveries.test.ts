// Internals of the delivery engine: leases, crashes and fencing, on a manual clock.
import assert from 'node:assert/strict'
import { PRESENCE_LOCK } from '../../platform/nodes/nodes.service.ts'
import { after, before, describe, it } from 'node:test'
import type { Db } from '../../platform/db/sql.ts'
import { messageReceived } from '../catalog/message-received.ts'
import { startTestApp, type TestApp } from '../../../test/kit/test-app.ts'
import { releaseEarlierLeases } from '../../platform/nodes/nodes.sql.ts'
import { finishAttempts } from './deliveries.sql.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

async function ready() {
  const project = await kit.project()
  const api = await kit.key(project)
  const receiver = await kit.receiver()
  const { id: instanceId } = await kit.pair(api)
  const { body: webhook } = await api.post('/v1/webhooks', {
    name: 'w',
    url: receiver.url,
    events: ['message.received'],
  })
  const record = () =>
    kit.db.transaction((tx) =>
      kit.app.events.record(tx, [
        {
          name: 'message.received',
          projectId: project.projectId,
          mode: 'test',
          instanceId,
          data: messageReceived.example,
        },
      ]),
    )
  const log = async () => (await api.get(`/v1/webhooks/${webhook.id}/deliveries`)).body.items
  return { api, receiver, webhook, record, log }
}

/** Inserts a delivery in the state in which another node would have left it. */
async function leaveBehind(
  webhookId: string,
  lease: { node: string | null; visibleInMs: number; crashes?: number },
) {
  const now = kit.clock.now()
  const at = new Date(now)
  const body = JSON.stringify({ event: 'message.received', data: { eventId: `evt_${webhookId}` } })
  await kit.db.system`
    insert into event (id, project_id, mode, instance_id, name, body, created_at)
    values (${`evt_${webhookId}`}, 'p', 'test', 'i', 'message.received', ${body}, ${at})`
  await kit.db.system`
    insert into delivery (webhook_id, webhook_generation, event_id, event_at, attempt, due_at, visible_at,
      lease_node, lease_epoch, crash_count)
    values (${webhookId}, 1, ${`evt_${webhookId}`}, ${at}, 1, ${at},
      ${new Date(now + lease.visibleInMs)}, ${lease.node}, 1, ${lease.crashes ?? 0})`
}

describe('a delivery that another node leased', () => {
  it('a delivery leased by another node is not sent before the lease expires, and is taken over afterwards', async () => {
    const { receiver, webhook } = await ready()
    await leaveBehind(webhook.id, { node: 'outro', visibleInMs: 30_000 })
    await kit.jump(29_000)
    assert.equal(receiver.received.length, 0)
    await kit.jump(2_000)
    assert.equal(receiver.received.length, 1)
  })

  /** Advances the clock in steps, so that the nodes check one another in between. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) await kit.jump(500)
  }
  async function addNode(id: string, epoch: number): Promise<void> {
    const beat = new Date(kit.clock.now())
    await kit.db
      .system`insert into node (id, epoch, heartbeat_at, started_at) values (${id}, ${epoch}, ${beat}, ${beat})`
  }
  const isBuried = async (id: string) =>
    (await kit.db.system`select id from node where id = ${id}`).length === 0

  it('a delivery is taken over within 8 seconds after its node’s last heartbeat, even if the node’s connection stays open', async () => {
    const { receiver, webhook } = await ready()
    const { release } = kit.db.holdAdvisoryLock([PRESENCE_LOCK, 99])
    await addNode('morto', 99)
    await leaveBehind(webhook.id, { node: 'morto', visibleInMs: 30_000 })
    await pass(5000)
    assert.equal(receiver.received.length, 0)
    await pass(3000)
    assert.equal(receiver.received.length, 1)
    assert.ok(await isBuried('morto'))
    await release()
  })

  it('a delivery stays with a node of an earlier version, which registers no connection, while its heartbeat is recent', async () => {
    const { receiver, webhook } = await ready()
    await pass(6000)
    await addNode('antigo', 97)
    await kit.db.system`update node set started_at = null where id = 'antigo'`
    await leaveBehind(webhook.id, { node: 'antigo', visibleInMs: 30_000 })
    await pass(3000)
    assert.equal(receiver.received.length, 0)
    assert.equal(await isBuried('antigo'), false)
    await kit.db.system`delete from node where id = 'antigo'`
  })

  it('a delivery is taken over within 3 seconds after its node’s last heartbeat if the node’s connection is closed', async () => {
    const { receiver, webhook } = await ready()
    // The node checks regularly before this: the grace period after a gap between checks does not apply.
    await pass(6000)
    await addNode('acabado', 98)
    await leaveBehind(webhook.id, { node: 'acabado', visibleInMs: 30_000 })
    await pass(3000)
    assert.equal(receiver.received.length, 1)
    assert.ok(await isBuried('acabado'))
  })

  it('an attempt that crashed its node three times counts as failed, and the delivery is retried on schedule', async () => {
    const { receiver, webhook, log } = await ready()
    await leaveBehind(webhook.id, { node: 'outro', visibleInMs: 0, crashes: 2 })
    await kit.jump(1000)
    assert.equal(receiver.received.length, 0)
    const [item] = await log()
    assert.equal(item.errorReason, 'erro de rede: interrompida')
    assert.equal(item.attempt, 1)
    await kit.jump(1_100)
    assert.equal(receiver.received.length, 1)
    assert.equal((await log())[0].attempt, 2)
  })
})

describe('a delivery that this node holds', () => {
  it('a delivery is neither sent nor retried twice when its result cannot be stored for longer than its lease', async () => {
    const { receiver, record } = await ready()
    receiver.answer = (response) => void response.writeHead(500).end()
    const gate = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<Db>()
    const locking = kit.db.transaction(async (tx) => {
      await tx.system`lock table webhook_status in access exclusive mode`
      locked.resolve(tx)
      await gate.promise
    })
    const holder = await locked.promise
    const arrived = new Promise<void>((resolve) => {
      receiver.answer = (response) => {
        response.writeHead(500).end()
        resolve()
      }
    })
    await record()
    await arrived
    for (let count = 0; count < 10; count++) {
      kit.clock.jump(5000)
      // On the connection that holds the lock: the others may be queued behind statements that wait for it.
      await holder.system`select 1`
    }
    gate.resolve()
    await locking
    await kit.settle()
    assert.equal(receiver.received.length, 1)
    await kit.jump(1100)
    assert.equal(receiver.received.length, 2)
    await kit.jump(1100)
    assert.equal(receiver.received.length, 2)
  })

  it('a delivery that waits for its retry keeps its due time when its node restarts', async () => {
    const { webhook } = await ready()
    const now = kit.clock.now()
    await leaveBehind(webhook.id, { node: 'velho', visibleInMs: 46_000 })
    await kit.db
      .system`update delivery set due_at = ${new Date(now + 16_000)} where lease_node = 'velho'`
    await releaseEarlierLeases(kit.db, 'velho', 99, new Date(now))
    const [row] = await kit.db.system<{ visibleAt: Date; leaseNode: string | null }[]>`
      select visible_at, lease_node from delivery where webhook_id = ${webhook.id}`
    assert.equal(row?.visibleAt.getTime(), now + 16_000)
    assert.equal(row?.leaseNode, null)
    await kit.jump(17_000)
  })
})

describe('a stale worker', () => {
  it('a worker with an outdated epoch can neither delete nor reschedule a delivery', async () => {
    const { webhook } = await ready()
    await leaveBehind(webhook.id, { node: 'dono', visibleInMs: 60_000 })
    const [row] = await kit.db.system<{ id: number }[]>`
      select id from delivery where webhook_id = ${webhook.id}`
    const now = new Date(kit.clock.now())
    const attempt = {
      id: row?.id ?? 0,
      webhookId: webhook.id,
      eventId: 'e',
      event: 'message.received',
      attempt: 1,
      success: true,
      statusCode: 200,
      reason: null,
      durationMs: 1,
      endedAt: now,
      nextDueAt: null,
      leasedUntil: null,
    }
    const stale = await finishAttempts(kit.db, { node: 'dono', epoch: 0 }, [attempt])
    assert.equal(stale.size, 0)
    const kept = await kit.db.system`select id from delivery where webhook_id = ${webhook.id}`
    assert.equal(kept.length, 1)
    const owner = await finishAttempts(kit.db, { node: 'dono', epoch: 1 }, [attempt])
    assert.equal(owner.size, 1)
  })
})

describe('recording events', () => {
  it('an event, its deliveries and the change that it reports are committed together or not at all', async () => {
    const { receiver, record } = await ready()
    const count = async () => {
      const [row] = await kit.db.system<{ n: number }[]>`
        select (select count(*) from event) + (select count(*) from delivery) as n`
      return row?.n
    }
    const before_ = await count()
    const broken = kit.db.transaction(async (tx) => {
      await tx.system`insert into audit (at, actor, action, object) values (now(), 'x', 'x', 'x')`
      throw new Error('the change failed')
    })
    await assert.rejects(broken)
    assert.equal(await count(), before_)
    await record()
    await kit.settle()
    assert.equal(receiver.received.length, 1)
  })

  it('300 events recorded at the same time are each delivered once', async () => {
    const { receiver, webhook, record } = await ready()
    await Promise.all(Array.from({ length: 300 }, record))
    await kit.settle()
    assert.equal(receiver.received.length, 300)
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 300)
    const [left] = await kit.db.system<{ n: number }[]>`
      select count(*) as n from delivery where webhook_id = ${webhook.id}`
    assert.equal(left?.n, 0)
  })
})

describe('an endpoint that hangs', () => {
  it('an endpoint that hangs takes at most 64 connections, and other endpoints are served at the same time', async () => {
    const slow = await ready()
    const quick = await ready()
    slow.receiver.answer = () => {}
    await Promise.all(Array.from({ length: 200 }, slow.record))
    await quick.record()
    const served = new Promise<void>((resolve) => {
      quick.receiver.answer = (response) => {
        response.writeHead(200).end()
        resolve()
      }
    })
    await quick.record()
    await served
    assert.ok(slow.receiver.received.length <= 64)
    slow.receiver.answer = (response) => void response.writeHead(200).end()
    kit.clock.jump(15_000)
    await kit.settle()
  })
})
