// One company exceeds its share; others must not be affected.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { connect } from 'node:net'
import { claimInstances } from '../../src/instances/ownership.sql.ts'
import { claimOutbox } from '../../src/messaging/messages/outbox.sql.ts'
import { findDueSchedules } from '../../src/messaging/schedules/schedules.sql.ts'
import { sharesOf } from '../../src/platform/db/shares.ts'
import { createIdempotencyService } from '../../src/platform/idempotency/idempotency.service.ts'
import { locksAreAwaited } from '../kit/lock-is-awaited.ts'
import { HOSTS, PASSWORD, startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp({ MEDIA_QUOTA_MB: '1' })
})
after(() => kit.close())

/** Thrown to roll back a transaction. */
class RolledBack extends Error {
  readonly value: string[]
  constructor(value: string[]) {
    super('rolled back')
    this.value = value
  }
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

// The clock stands still: what waits for a poll would wait forever.
describe('a company that does more than its share', () => {
  it('thousands of due scheduled messages of one company do not delay those of another', async () => {
    const [many, one] = [await kit.key(await kit.project()), await kit.key(await kit.project())]
    const at = (minutes: number) => new Date(kit.clock.now() + minutes * 60_000)
    const schedule = async (api: typeof one, minutes: number): Promise<string> => {
      const { base } = await kit.pair(api)
      const sendAt = at(minutes).toISOString()
      const message = { type: 'text', to: '5511988887777', text: 'x' }
      const { status, body } = await api.post(`${base}/scheduled-messages`, { sendAt, message })
      assert.equal(status, 201)
      return body.id
    }
    const first = await schedule(many, 10)
    await kit.db.system`
      insert into scheduled_message
      select (jsonb_populate_record(s, jsonb_build_object('id', s.id || n))).*
      from scheduled_message s, generate_series(1, 2500) n where id = ${first}`
    const reminder = await schedule(one, 11)
    const which = { most: 256, except: [] }
    const due = await findDueSchedules(kit.db, at(12), which)
    assert.equal(due[1]?.id, reminder)
    assert.equal(due.length, 256)
    await kit.db.system`delete from scheduled_message where id <> ${reminder}`
    assert.deepEqual(
      (await findDueSchedules(kit.db, at(12), which)).map(({ id }) => id),
      [reminder],
    )
  })

  it('concurrent requests cannot exceed the limit of scheduled messages', async () => {
    const api = await kit.key(await kit.project())
    const { base } = await kit.pair(api)
    const sendAt = new Date(kit.clock.now() + 600_000).toISOString()
    const schedule = () =>
      api.post(`${base}/scheduled-messages`, {
        sendAt,
        message: { type: 'text', to: '5511988887777', text: 'x' },
      })
    const { id } = (await schedule()).body
    await kit.db.system`
      insert into scheduled_message
      select (jsonb_populate_record(s, jsonb_build_object('id', s.id || n))).*
      from scheduled_message s, generate_series(1, 9997) n where id = ${id}`
    const answers = await Promise.all(Array.from({ length: 20 }, schedule))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [...Array.from({ length: 2 }, () => 201), ...Array.from({ length: 18 }, () => 400)],
    )
    await kit.db.system`delete from scheduled_message`
  })

  it('changes of one company that wait for each other do not block changes of another', async () => {
    const many = await kit.project()
    const key = await kit.key(many)
    const { base } = await kit.pair(key)
    const owner = await kit.login(many)
    const one = await kit.key(await kit.project())
    const message = { type: 'text', to: '5511988887777', text: 'x' }
    const sendAt = new Date(kit.clock.now() + 600_000).toISOString()
    let settled = 0
    const waiting = await kit.db.transaction(async (tx) => {
      await tx.system`select 1 from balance where project_id = ${many.projectId} for update`
      const image = { type: 'image', media: { url: 'https://x.invalid/a.jpg' } }
      const calls = Array.from({ length: 20 }, () => [
        key.post(`${base}/messages`, { to: '5511988887777', ...image }),
        key.post(`${base}/scheduled-messages`, { sendAt, message }),
        owner.post(`/panel/api/test${base}/messages`, { to: '5511988887777', text: 'x' }),
      ])
      const settling = calls.flat().map(async (call) => {
        const { status } = await call
        settled++
        return status
      })
      const made = await one.post('/v1/instances', { name: 'Loja' })
      assert.equal(made.status, 201)
      assert.equal((await one.delete(`/v1/instances/${made.body.id}`)).status, 204)
      assert.equal(settled, 0, 'the changes of the first company still wait')
      return settling
    })
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([201]))
  })

  it('sends of one company that wait for a lock do not delay sends of another in the same batch', async () => {
    const many = await kit.project()
    const [key, one] = [await kit.key(many), await kit.key(await kit.project())]
    const [{ base }, { base: other }] = [await kit.pair(key), await kit.pair(one)]
    const send = (api: typeof one, path: string) =>
      api.post(`${path}/messages`, { to: '5511988887777', text: 'x' })
    let settled = 0
    const waiting = await kit.db.transaction(async (tx) => {
      await tx.system`select 1 from balance where project_id = ${many.projectId} for update`
      const locked: Promise<number>[] = []
      for (let round = 0; round < 5; round++) {
        const own = send(key, base)
        locked.push(own.then(({ status }) => (settled++, status)))
        assert.equal((await send(one, other)).status, 201)
      }
      assert.equal(settled, 0, 'the sends of the first company still wait')
      return locked
    })
    assert.deepEqual(await Promise.all(waiting), [201, 201, 201, 201, 201])
    const { body } = await key.get(`${base}/messages`)
    assert.equal(body.items.length, 5)
  })

  it('many waiting instances of one company do not keep those of another from connecting', async () => {
    const [many, one] = [await kit.key(await kit.project()), await kit.key(await kit.project())]
    const create = async (api: typeof one): Promise<string> =>
      (await api.post('/v1/instances', { name: 'x' })).body.id
    const first = await create(many)
    const next = await create(one)
    await kit.db.system`
      insert into instance
      select (jsonb_populate_record(i, jsonb_build_object('id', i.id || n, 'status', 'CONNECTING'))).*
      from instance i, generate_series(1, 30) n where id = ${first}`
    await kit.db.system`update instance set status = 'CONNECTING' where id = ${next}`
    const owner = { node: 'nod_x', epoch: 1 }
    const claim = { unclaimable: [], most: 2, now: new Date(kit.clock.now()) }
    const claimed = await kit.db
      .transaction(async (tx) => {
        const rows = await claimInstances(tx, owner, claim)
        throw new RolledBack(rows.map(({ id }) => id))
      })
      .catch((error: unknown) =>
        error instanceof RolledBack ? error.value : Promise.reject(error),
      )
    assert.deepEqual(claimed, [`${first}1`, next])
    await kit.db.system`delete from instance where id like ${`${first}_%`} or id = ${next}`
  })

  it('one claim of messages is limited, and the instances that have some share it in the order of acceptance', async () => {
    const api = await kit.key(await kit.project())
    const create = async (): Promise<string> =>
      (await api.post('/v1/instances', { name: 'x' })).body.id
    const [many, few] = [await create(), await create()]
    const owner = { node: 'nod_x', epoch: 1 }
    const now = new Date(kit.clock.now())
    const claimed = await kit.db
      .transaction(async (tx) => {
        await tx.system`
          update instance set owner_node = ${owner.node}, owner_epoch = ${owner.epoch}
          where id in (${many}, ${few})`
        await tx.system`
          insert into outbox (instance_id, seq, message_id, created_at, due_at)
          select ${many}, n, 'msg_' || n, ${now}, ${now} from generate_series(1, 200) n
          union all select ${few}, n, 'msg_' || n, ${now}, ${now} from generate_series(201, 203) n`
        const instances = [many, few].map((id) => ({ id, most: 128, paced: false }))
        const claim = (most: number) =>
          claimOutbox(tx, { owner, instances, most, retryAt: now }, now)
        const seqsOf = (rows: Awaited<ReturnType<typeof claim>>, id: string) =>
          rows
            .filter(({ instanceId }) => instanceId === id)
            .map(({ seq }) => String(seq))
            .toSorted()
        const limited = await claim(8)
        const whole = await claim(1000)
        throw new RolledBack([
          ...seqsOf(limited, many),
          ...seqsOf(limited, few),
          `${seqsOf(whole, many).length}`,
        ])
      })
      .catch((error: unknown) =>
        error instanceof RolledBack ? error.value : Promise.reject(error),
      )
    assert.deepEqual(claimed, ['1', '2', '3', '4', '5', '201', '202', '203', '128'])
  })

  it('a company has at most 500 instances in the sandbox, even under concurrent requests', async () => {
    const api = await kit.key(await kit.project())
    const { id } = (await api.post('/v1/instances', { name: 'x' })).body
    await kit.db.system`
      insert into instance select (jsonb_populate_record(i, jsonb_build_object('id', i.id || n))).*
      from instance i, generate_series(1, 497) n where id = ${id}`
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => api.post('/v1/instances', { name: 'y' })),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 2)
    const refused = answers.find(({ status }) => status === 409)
    assert.match(refused?.body.error.message, /^limite de 500 instâncias/)
  })

  it('delayed inbox responses of one company do not exhaust those of another', async () => {
    const open = async () => {
      const api = await kit.key(await kit.project())
      const { body } = await api.post('/v1/simulator/inboxes', { name: 'x' })
      const path = `/v1/simulator/inboxes/${body.id}`
      await api.put(`${path}/answer`, { status: 200, times: 1000, timeout: true })
      const requests = async () => (await api.get(`${path}/requests?limit=200`)).body.items.length
      return { post: () => kit.client('test').post(`/caixa/${body.id}`, {}), requests }
    }
    const [many, one] = [await open(), await open()]
    let held = 120
    const answers = Array.from({ length: held }, () => many.post().finally(() => held--))
    while (held > 20) await new Promise((resolve) => setImmediate(resolve))
    let isHeld = true
    const late = one.post().finally(() => (isHeld = false))
    while ((await one.requests()) === 0);
    await kit.client('test').get('/healthz')
    assert.equal(isHeld, true)
    await kit.jump(20_000)
    for (const { status } of await Promise.all([late, ...answers])) assert.equal(status, 200)
  })

  it('a company that has reached its storage quota for outgoing files still receives files', async () => {
    const [many, one] = [await kit.key(await kit.project()), await kit.key(await kit.project())]
    const { base, phone } = await kit.pair(many)
    const friend = await kit.phone(many)
    const media = { base64: Buffer.alloc(900_000, 'x').toString('base64'), mimeType: 'text/plain' }
    const send = (path: string, to: string, file = media) =>
      many.post(`${path}/messages`, { to, type: 'document', media: file })
    assert.equal((await send(base, friend.phone)).status, 201)
    const refused = await send(base, friend.phone)
    assert.deepEqual(
      [refused.status, refused.body.error.message],
      [413, 'limite de 1 MB de arquivos para envio atingido: eles saem sozinhos quando vencem'],
    )
    const byUrl = await many.post(`${base}/messages`, {
      to: friend.phone,
      type: 'document',
      media: { url: 'https://example.com/x.pdf' },
    })
    assert.equal(byUrl.status, 201, 'there is room for some of it')
    const small = { base64: 'eA==', mimeType: 'text/plain' }
    const other = await kit.pair(one)
    const { status } = await one.post(`${other.base}/messages`, {
      to: '5511988887777',
      type: 'document',
      media: small,
    })
    assert.equal(status, 201)
    assert.equal((await send(friend.base, phone, small)).status, 201)
    await kit.settle()
    const { items } = (await many.get(`${base}/messages?direction=inbound`)).body
    assert.equal(items[0].media.status, 'available')
    // Room again, once files have expired.
    await kit.db.system`update media set status = 'expired' where instance_id is null`
    await kit.jump(10_000)
    assert.equal((await send(base, friend.phone)).status, 201)
  })

  it('a request that records a thousand events for many webhooks delays no delivery of another company', async () => {
    const [many, one] = [await kit.key(await kit.project()), await kit.key(await kit.project())]
    const [crowded, calm] = [await kit.pair(many), await kit.pair(one)]
    const [silent, prompt] = [await kit.receiver(), await kit.receiver()]
    silent.answer = () => {}
    const events = ['contact.updated']
    for (let count = 0; count < 25; count++)
      await many.post('/v1/webhooks', { name: `w${count}`, url: `${silent.url}/${count}`, events })
    await one.post('/v1/webhooks', { name: 'w', url: prompt.url, events })
    const rename = (api: typeof one, base: string, name: string, people: number) =>
      api.post(`${base}/contacts/import`, {
        contacts: Array.from({ length: people }, (_, index) => ({
          phone: `55119${10_000_000 + index}`,
          name,
        })),
      })
    await rename(one, calm.base, 'Ana', 1)
    await rename(many, crowded.base, 'Ana', 1000)
    assert.equal((await rename(many, crowded.base, 'Bia', 1000)).status, 200)
    assert.equal((await rename(one, calm.base, 'Bia', 1)).status, 200)
    await until(() => prompt.events('contact.updated').length === 1)
    assert.ok(silent.received.length < 25_000)
    const [row] = await kit.db.system<{ leased: number; waiting: number }[]>`
      select count(*) filter (where lease_node is not null)::int as leased, count(*)::int as waiting
      from delivery`
    assert.ok((row?.waiting ?? 0) >= 24_000, 'the events of the first were recorded, too')
    assert.ok((row?.leased ?? 0) < 5000, 'and most of them wait in the database')
    // What hangs would keep the next tests waiting until it times out.
    await kit.db.system`delete from delivery`
    silent.close()
  })

  it('requests of one company to a hanging network delay no request with an Idempotency-Key of another', async () => {
    const store = createIdempotencyService({ db: kit.db, clock: kit.clock })
    const scopeOf = async () => {
      const { projectId } = await kit.project()
      return { projectId, mode: 'test' as const, keyId: null }
    }
    const [one, other, third] = [await scopeOf(), await scopeOf(), await scopeOf()]
    let [asking, made] = [0, 0]
    const network = Promise.withResolvers<void>()
    const answer = { status: 201, body: '{}' }
    const once = (scope: typeof one, asks: 'database' | 'network', work: () => Promise<void>) =>
      store.once(scope, `k${++made}`, Buffer.from('x'), () => work().then(() => answer), asks)
    const hanging = [one, other].flatMap((scope) =>
      Array.from({ length: 40 }, () =>
        once(scope, 'network', () => {
          asking++
          return network.promise
        }),
      ),
    )
    await until(() => asking === 32)
    for (const asks of ['database', 'network'] as const)
      assert.equal((await once(third, asks, async () => {})).status, 201)
    assert.equal(asking, 32)
    network.resolve()
    await Promise.all(hanging)
  })

  for (const [how, aborts] of [
    ['wait', false],
    ['were aborted', true],
  ] as const) {
    it(`reads of one company that ${how} do not exhaust the connections of others`, async () => {
      const [one, owner] = [await kit.key(await kit.project()), await kit.project()]
      const keys = await Promise.all(
        Array.from({ length: 4 }, async () => (await kit.key(await kit.project())).key),
      )
      await kit.db.session((sql) =>
        sql.begin(async (tx) => {
          await tx`lock table inbox in access exclusive mode`
          const sockets = keys.flatMap((key) =>
            Array.from({ length: 3 }, () => {
              const socket = connect(kit.port, '127.0.0.1')
              socket.on('error', () => {})
              socket.write(
                `GET /v1/simulator/inboxes HTTP/1.1\r\nHost: ${HOSTS.test}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
              )
              return socket
            }),
          )
          await locksAreAwaited(kit.db, 1)
          if (aborts) for (const socket of sockets) socket.destroy()
          await kit.db.system`select pg_sleep(0.2)`
          const [row] = await tx<{ count: number }[]>`
            select count(*)::int as count from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database()`
          assert.ok(
            Number(row?.count) <= sharesOf(kit.db.poolSize).reads.max,
            `${row?.count} reads`,
          )
          const panel = kit.client('production')
          const login = { email: owner.email, password: PASSWORD }
          const answers = await Promise.all([
            one.post('/v1/instances', { name: 'x' }),
            panel.get('/readyz'),
            panel.post('/v1/auth/login', login),
          ])
          assert.deepEqual(
            answers.map(({ status }) => status),
            [201, 200, 200],
          )
          for (const socket of sockets) socket.destroy()
        }),
      )
    })
  }

  it('events that all instances of one company report at once do not exhaust the connections of others', async () => {
    const [many, one] = [await kit.project(), await kit.key(await kit.project())]
    const api = await kit.key(many)
    const members: string[] = []
    for (let index = 0; index < kit.db.poolSize; index++) members.push((await kit.pair(api)).phone)
    const ana = await kit.phone(api, { name: 'Ana' })
    const group = { subject: 'Obras', participants: members }
    const { body } = await api.post(`${ana.base}/groups`, group)
    await kit.settle()
    const renamed = await kit.db.session((sql) =>
      sql.begin(async (tx) => {
        await tx`select from balance where project_id = ${many.projectId} for update`
        const renaming = api.patch(`${ana.base}/groups/${body.id}`, { subject: 'Reforma' })
        await locksAreAwaited(kit.db, 1)
        await tx`select pg_sleep(0.5)`
        const [row] = await tx<{ count: number }[]>`
          select count(*)::int as count from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`
        const { changes, reported } = sharesOf(kit.db.poolSize)
        assert.ok(Number(row?.count) <= changes.max + reported.maxPerKey, `${row?.count} wait`)
        assert.equal((await one.post('/v1/instances', { name: 'x' })).status, 201)
        return renaming
      }),
    )
    assert.equal(renamed.status, 200)
    await kit.settle()
    const { items } = (await api.get('/v1/instances')).body
    const names = await Promise.all(
      items.map(async ({ id }: { id: string }) => {
        const { body: groups } = await api.get(`/v1/instances/${id}/groups`)
        return groups.items[0].subject
      }),
    )
    assert.deepEqual(new Set(names), new Set(['Reforma']))
  })

  it('statements that occupy the whole pool delay neither the health check nor the heartbeat', async () => {
    const beats = async () =>
      (await kit.db.vital.system`select heartbeat_at from node`)[0]?.['heartbeatAt']
    const before = await beats()
    let ended = 0
    const busy = Array.from({ length: kit.db.poolSize }, () =>
      kit.db.system`select pg_sleep(2)`.then(() => ended++),
    )
    kit.clock.jump(1000)
    while (Number(await beats()) === Number(before));
    assert.equal((await kit.client('production').get('/readyz')).status, 200)
    assert.equal(ended, 0)
    await Promise.all(busy)
  })

  it('an unresponsive mail server delays neither sign-ins nor changes of other companies', async () => {
    const [inviting, other] = [await kit.project(), await kit.project()]
    const owner = await kit.login(inviting, 'production')
    const key = await kit.key(other)
    const revoker = await kit.login(other, 'test')
    const panel = kit.client('production')
    const release = kit.holdMails()
    const company = { company: 'X', taxId: '11222333000181', password: 'outra senha bem longa 77' }
    const invited = { email: 'convidada@empresa.com.br', role: 'Admin' }
    const waiting = [
      panel.post('/panel/api/signup', { ...company, email: 'nova@empresa.com.br' }),
      owner.post('/panel/api/members/invitations', invited),
    ]
    await kit.db.system`select pg_sleep(0.3)`
    const login = { email: other.email, password: PASSWORD }
    assert.equal((await key.post('/v1/instances', { name: 'y' })).status, 201)
    assert.equal((await revoker.delete(`/v1/keys/${key.keyId}`)).status, 204)
    assert.equal((await panel.post('/v1/auth/login', login)).status, 200)
    release()
    for (const { status } of await Promise.all(waiting)) assert.ok(status < 300, `${status}`)
  })

  it('many sends by URL are accepted at once without blocking the database for others', async () => {
    const [many, one] = [await kit.key(await kit.project()), await kit.key(await kit.project())]
    const { base } = await kit.pair(many)
    const { base: other } = await kit.pair(one)
    const body = { to: '5511988887777', type: 'image', media: { url: 'https://x.invalid/a.jpg' } }
    const answers = await Promise.all([
      ...Array.from({ length: 60 }, () => many.post(`${base}/messages`, body)),
      one.post(`${other}/messages`, { to: '5511988887777', text: 'oi' }),
    ])
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  })
})
