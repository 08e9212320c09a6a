// An instance belongs to one node at a time: what happens when it changes hands (docs/adr/0037).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NetworkAccount } from '../../src/networks/network.port.ts'
import { lockIsAwaited } from '../kit/lock-is-awaited.ts'
import { startScripted, type Scripted } from '../kit/scripted-network.ts'

let kit: Awaited<ReturnType<typeof startScripted>>
let refusals = 0
let opened: NetworkAccount[] = []
let onSend: () => Promise<void> = async () => {}
let onLogout: () => Promise<void> = async () => {}
before(async () => {
  const logout = async () => {
    await onLogout()
    return true
  }
  const onOpen = (account: NetworkAccount) => {
    opened.push(account)
    if (refusals-- > 0) throw new Error('the credentials cannot be read')
  }
  kit = await startScripted({}, { logout }, onOpen, () => onSend())
})
after(() => kit.app.close())

const { stringify } = JSON
const statusOf = async ({ api, base }: Scripted) => (await api.get(base)).body.status
const messageOf = async ({ api, base }: Scripted, id: string) =>
  (await api.get(`${base}/messages/${id}`)).body
/** As if another node had taken it over and died since. */
const lose = ({ id }: Scripted) =>
  kit.app.db.system`update instance set owner_node = 'gone', owner_epoch = -1 where id = ${id}`
/** Time for the nodes to review their instances. */
async function pass(ms: number): Promise<void> {
  await kit.app.jump(ms)
  await kit.app.settle()
}
/** The listener of the session that was opened last. */
async function send({ api, base }: Scripted, text: string) {
  const { status, body } = await api.post(`${base}/messages`, { to: '+55 11 98888-0002', text })
  assert.equal(status, 201, stringify(body))
  return body
}

describe('an instance that another node takes over', () => {
  it('an instance that was taken over is CONNECTING until its session is open, and sends the messages accepted until then', async () => {
    const instance = await kit.connect()
    await lose(instance)
    await pass(2000)
    assert.equal(await statusOf(instance), 'CONNECTING')
    const [last] = await kit.app.db.system`
      select from_status, to_status from instance_transition where instance_id = ${instance.id} order by id desc`
    assert.deepEqual({ ...last }, { fromStatus: 'CONNECTED', toStatus: 'CONNECTING' })
    const accepted = await send(instance, 'até já')
    await kit.app.settle()
    assert.ok(!kit.sent.some(({ waMessageId }) => waMessageId === accepted.waMessageId))
    await kit.listenerOf(instance.id).onStatus({ status: 'CONNECTED' })
    await pass(1000)
    assert.equal(await statusOf(instance), 'CONNECTED')
    assert.ok(kit.sent.some(({ waMessageId }) => waMessageId === accepted.waMessageId))
  })

  it('the messages of an instance that was taken over fail after ten minutes if its session never opens', async () => {
    const instance = await kit.connect()
    await lose(instance)
    await pass(2000)
    const { id } = await send(instance, 'em vão')
    await pass(599_000)
    assert.equal((await messageOf(instance, id)).status, 'queued')
    await pass(6000)
    const { status, error } = await messageOf(instance, id)
    assert.deepEqual([status, error.code], ['failed', 'INSTANCE_OFFLINE'])
  })

  it('an instance that was taken over is DISCONNECTED when its session cannot reach the network', async () => {
    const instance = await kit.connect()
    await lose(instance)
    await pass(2000)
    const change = { status: 'DISCONNECTED', reason: 'network', willReconnect: true } as const
    await kit.listenerOf(instance.id).onStatus(change)
    assert.equal(await statusOf(instance), 'DISCONNECTED')
  })

  it('a session that cannot be opened is retried with increasing delay', async () => {
    const instance = await kit.connect()
    refusals = 2
    opened = []
    await lose(instance)
    /** Lets time pass until the session is opened once more; returns how long that took. */
    const untilOpened = async (count: number): Promise<number> => {
      let ms = 0
      for (; opened.length < count; ms += 500) {
        assert.ok(ms < 10_000, `opened ${opened.length} times, not ${count}`)
        await pass(500)
      }
      assert.equal(opened.length, count)
      return ms
    }
    await untilOpened(1)
    assert.equal(await statusOf(instance), 'CONNECTING')
    assert.ok((await untilOpened(2)) >= 1000)
    const lines = kit.app.logs.filter((line) => line.includes('the credentials cannot be read'))
    assert.ok(lines.length > 0 && lines.every((line) => line.includes(`instance ${instance.id}`)))
    assert.ok((await untilOpened(3)) >= 2000)
    await kit.listenerOf(instance.id).onStatus({ status: 'CONNECTED' })
    assert.equal(await statusOf(instance), 'CONNECTED')
  })
})

describe('an instance that is logged out and connected again', () => {
  const pairing = [{ kind: 'device', id: 'creds', value: Buffer.from('the old pairing') }]
  /** Connects an instance with a stored pairing. */
  async function pair() {
    const instance = await kit.connect()
    const account = opened.findLast(({ instanceId }) => instanceId === instance.id)
    assert.ok(account)
    await account.credentials.save(pairing)
    return { ...instance, account }
  }

  it('a logout deletes the pairing and unlinks the device even if a connection is requested at once', async () => {
    let logouts = 0
    onLogout = async () => void logouts++
    for (let round = 0; round < 10; round++) {
      const { id, api, base, account } = await pair()
      await api.post(`${base}/logout`)
      assert.equal((await api.post(`${base}/connect`)).status, 200)
      await kit.app.settle()
      await pass(2000)
      assert.equal(await account.credentials.read('device', 'creds'), null)
      assert.equal(await statusOf({ api, base } as Scripted), 'CONNECTING')
      assert.equal(opened.at(-1)?.instanceId, id)
    }
    assert.equal(logouts, 10)
  })

  it('a connection that is requested while the network takes its time to log out begins without the old pairing', async () => {
    const { promise: loggedOut, resolve: finish } = Promise.withResolvers<void>()
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    onLogout = () => {
      ask()
      return loggedOut
    }
    const { id, api, base, account } = await pair()
    await api.post(`${base}/logout`)
    await asked
    const before = opened.length
    await api.post(`${base}/connect`)
    finish()
    await pass(2000)
    assert.deepEqual(
      opened.slice(before).map(({ instanceId }) => instanceId),
      [id],
    )
    assert.equal(await account.credentials.read('device', 'creds'), null)
  })

  it('a session of a node that has lost its instance cannot delete the pairing of the next', async () => {
    const { id, account } = await pair()
    await kit.app.db
      .system`insert into node (id, epoch, heartbeat_at, capacity, media_store, started_at)
      values ('other', 1, now(), 1, '', now())`
    await kit.app.db
      .system`update instance set owner_node = 'other', owner_epoch = 1 where id = ${id}`
    await assert.rejects(account.credentials.clear(), /own/i)
    assert.ok(await account.credentials.read('device', 'creds'))
    await kit.app.db.system`delete from node where id = 'other'`
  })
})

describe('a stuck queue of a connected instance', () => {
  /** The state that a fault would leave: stored as connected, with a session that is not. */
  async function pretend(): Promise<Scripted> {
    const instance = await kit.connect()
    const lost = { status: 'DISCONNECTED', reason: 'network', willReconnect: true } as const
    await instance.listener.onStatus(lost)
    await kit.app.db.system`update instance set status = 'CONNECTED' where id = ${instance.id}`
    return instance
  }

  it('the messages of a stuck queue fail within twenty minutes and are counted, and other queues are left alone', async () => {
    const [stuck, moving] = [await pretend(), await pretend()]
    const { id } = await send(stuck, 'parada')
    const long: string[] = []
    for (let count = 0; count < 30; count++) long.push((await send(moving, `${count}`)).id)
    for (const first of long.slice(0, 22)) {
      await pass(60_000)
      await kit.app.db.system`update message set status = 'delivered' where id = ${first}`
      await kit.app.db.system`delete from outbox where message_id = ${first}`
    }
    const { status, error } = await messageOf(stuck, id)
    assert.deepEqual([status, error.code], ['failed', 'INSTANCE_OFFLINE'])
    assert.match(await kit.app.metrics(), /messages_stuck_total 1/)
    assert.equal((await messageOf(moving, String(long.at(-1)))).status, 'queued')
  })

  it('a message that is claimed while its stuck queue is about to fail is sent and does not fail', async () => {
    const stuck = await pretend()
    const { id } = await send(stuck, 'quase parada')
    const { promise: claimed, resolve: claim } = Promise.withResolvers<void>()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    for (let minute = 0; minute < 9; minute++) await pass(60_000)
    const claiming = kit.app.db.transaction(async (tx) => {
      await tx.system`
        update outbox set sending = true, first_sent_at = ${new Date(kit.app.clock.now() + 11 * 60_000)}
        where message_id = ${id}`
      claim()
      await ended
    })
    await claimed
    const polled = (async () => {
      for (let minute = 0; minute < 12; minute++) {
        kit.app.clock.jump(60_000)
        await kit.app.db.system`select pg_sleep(0.02)`
      }
    })()
    await lockIsAwaited(kit.app.db)
    end()
    await Promise.all([claiming, polled])
    await kit.app.settle()
    assert.equal((await messageOf(stuck, id)).status, 'sending')
  })

  it('all messages of a stuck queue fail in one go, even if there are more than one batch of five hundred', async () => {
    const stuck = await pretend()
    const first = await send(stuck, 'parada')
    const count = 1100
    await kit.app.db.system`
      with more as (
        insert into message overriding user value select (jsonb_populate_record(m, jsonb_build_object(
          'id', m.id || n, 'wa_message_id', m.wa_message_id || n))).*
        from message m, generate_series(1, ${count}) n where m.id = ${first.id} returning *)
      insert into outbox (instance_id, seq, message_id, created_at, due_at)
      select m.instance_id, m.seq, m.id, m.created_at, o.due_at from more m, outbox o
      where o.message_id = ${first.id}`
    for (let minute = 0; minute < 21; minute++) await pass(60_000)
    const statuses = await kit.app.db.system`
      select status, error->>'code' as code, count(*)::int from message
      where instance_id = ${stuck.id} group by status, error->>'code'`
    assert.deepEqual(
      statuses.map((row) => ({ ...row })),
      [{ status: 'failed', code: 'INSTANCE_OFFLINE', count: count + 1 }],
    )
  })
})

describe('a node that lost an instance without noticing', () => {
  it('a node that lost an instance stores nothing that its network reports', async () => {
    const instance = await kit.connect()
    const { listener, phone } = instance
    const sent = await send(instance, 'antes')
    await kit.app.settle()
    await lose(instance)
    const at = kit.app.clock.now()
    const sender = { phone: '5511988880002', lid: null, name: 'Ana' }
    const chatId = '5511988880002@s.whatsapp.net'
    const received = listener.onMessages([
      {
        waMessageId: 'LATE',
        chatId,
        chatType: 'direct',
        chatName: null,
        sender,
        fromMe: false,
        type: 'text',
        content: {
          type: 'text',
          text: 'tarde',
        },
        media: null,
        quoted: null,
        mentions: [],
        at,
        alreadyCounted: false,
      },
    ])
    await assert.rejects(received, /no longer owns/)
    const receipt = {
      waMessageIds: [String(sent.waMessageId)],
      chatId,
      at,
      party: sender,
      error: null,
    }
    await assert.rejects(
      listener.onReceipts([{ ...receipt, status: 'delivered' }]),
      /no longer owns/,
    )
    const happened = listener.onEvents([{ kind: 'contact', id: null, party: sender, at }])
    await assert.rejects(happened, /no longer owns/)
    const { body: list } = await instance.api.get(`${instance.base}/messages`)
    assert.ok(!stringify(list).includes('LATE'), phone)
    assert.equal((await messageOf(instance, sent.id)).status, 'sending')
  })

  it('a node that lost an instance writes no credentials, so that no ratchet goes backwards', async () => {
    const instance = await kit.connect()
    const { credentials } = opened.findLast(({ instanceId }) => instanceId === instance.id) ?? {}
    assert.ok(credentials)
    await credentials.save([{ kind: 'session', id: 'a', value: Buffer.from('1') }])
    await lose(instance)
    const late = credentials.save([
      { kind: 'session', id: 'a', value: Buffer.from('0') },
      { kind: 'session', id: 'b', value: Buffer.from('0') },
    ])
    await assert.rejects(late, /no longer owns/)
    assert.deepEqual([...(await credentials.load('session'))], [['a', Buffer.from('1')]])
  })

  it('a node that lost an instance requeues no message that the new owner has claimed', async () => {
    const instance = await kit.connect()
    onSend = async () => {
      await lose(instance)
      throw new Error('the connection is gone')
    }
    const { id } = await send(instance, 'de quem é?')
    await kit.app.settle()
    onSend = async () => {}
    const [row] = await kit.app.db.system<
      { dueAt: Date }[]
    >`select due_at from outbox where message_id = ${id}`
    assert.ok(row && row.dueAt.getTime() > kit.app.clock.now() + 30_000, String(row?.dueAt))
  })

  it('a node that lost an instance sends no message', async () => {
    const instance = await kit.connect()
    await lose(instance)
    const { waMessageId } = await send(instance, 'não por aqui')
    await pass(1000)
    assert.ok(!kit.sent.some((message) => message.waMessageId === waMessageId))
  })
})

describe('status changes that a session reports in quick succession', () => {
  it('a node that drains also hands over what it cannot connect, and nothing that shows a code', async () => {
    const { db, clock } = kit.app
    const cut = await kit.connect()
    const pairing = await kit.connect()
    await cut.listener.onStatus({ status: 'DISCONNECTED', reason: 'network', willReconnect: true })
    const expiresAt = clock.now() + 3_600_000
    await pairing.listener.onCode({ code: 'x', at: clock.now(), expiresAt })
    // A node that could take them over, and that this one believes to be alive.
    const beat = new Date(clock.now() + 3_600_000)
    await db.system`insert into node (id, epoch, heartbeat_at) values ('other', 999999, ${beat})`
    await db.system`update node set draining = true where id <> 'other'`
    for (let turn = 0; turn < 30; turn++) await pass(2000)
    const owners = await db.system<{ id: string; isHere: boolean }[]>`
      select id, owner_node is not null as is_here from instance
      where id in (${cut.id}, ${pairing.id})`
    await db.system`delete from node where id = 'other'`
    await db.system`update node set draining = false`
    const isHere = new Map(owners.map((row) => [row.id, row.isHere]))
    assert.deepEqual([isHere.get(cut.id), isHere.get(pairing.id)], [false, true])
    await pass(2000)
  })

  it('a session that reports DISCONNECTED while its CONNECTED is being stored sends nothing afterwards', async () => {
    const { db } = kit.app
    const instance = await kit.connect()
    const disconnected = { status: 'DISCONNECTED', reason: 'network', willReconnect: true } as const
    await instance.listener.onStatus(disconnected)
    const { waMessageId } = await send(instance, 'cedo demais')
    // Delays the commit of DISCONNECTED until this test releases its lock.
    await db.system`create function wait_for_test() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(4711); return new; end'`
    await db.system`create trigger wait_for_test before insert on instance_transition
      for each row when (new.to_status = 'DISCONNECTED') execute function wait_for_test()`
    const lock = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holder = db.transaction(async (tx) => {
      await tx.system`select pg_advisory_xact_lock(4711)`
      locked.resolve()
      await lock.promise
    })
    await locked.promise
    const connecting = instance.listener.onStatus({ status: 'CONNECTED' })
    const disconnecting = instance.listener.onStatus(disconnected)
    await connecting
    // Time for the outbound worker, which a connected instance wakes at once.
    for (let round = 0; round < 20; round++) await db.system`select 1`
    lock.resolve()
    await Promise.all([holder, disconnecting])
    await db.system`drop trigger wait_for_test on instance_transition`
    await pass(1000)
    assert.equal(await statusOf(instance), 'DISCONNECTED')
    assert.ok(!kit.sent.some((message) => message.waMessageId === waMessageId))
    await instance.listener.onStatus({ status: 'CONNECTED' })
    await pass(1000)
    assert.ok(kit.sent.some((message) => message.waMessageId === waMessageId))
  })
  it('a locked instance does not delay the status changes of other sessions', async () => {
    const [one, two] = [await kit.connect(), await kit.connect()]
    const lost = { status: 'DISCONNECTED', reason: 'network', willReconnect: true } as const
    const release = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = kit.app.db.transaction(async (tx) => {
      await tx.system`select from instance where id = ${one.id} for update`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const stored: string[] = []
    const waiting = kit
      .listenerOf(one.id)
      .onStatus(lost)
      .then(() => stored.push('locked'))
    await kit.listenerOf(two.id).onStatus(lost)
    stored.push('other')
    release.resolve()
    await Promise.all([holding, waiting])
    assert.deepEqual(stored, ['other', 'locked'])
    assert.deepEqual([await statusOf(one), await statusOf(two)], ['DISCONNECTED', 'DISCONNECTED'])
  })

  it('status changes are stored in the order in which a session reports them', async () => {
    const instance = await kit.connect()
    const disconnected = { status: 'DISCONNECTED', reason: 'network', willReconnect: true } as const
    const changes = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0 ? disconnected : ({ status: 'CONNECTED' } as const),
    )
    await Promise.all(changes.map((change) => instance.listener.onStatus(change)))
    const stored = await kit.app.db.system<{ toStatus: string }[]>`
      select to_status from instance_transition where instance_id = ${instance.id}
      order by id desc limit ${changes.length}`
    assert.deepEqual(
      stored.map(({ toStatus }) => toStatus).toReversed(),
      changes.map(({ status }) => status),
    )
  })
})
