// The WebSocket event stream, which carries the same events as webhooks.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { messageReceived } from '../../src/events/catalog/message-received.ts'
import { HOSTS, startTestApp, type TestApp } from '../kit/test-app.ts'
import { connectStream, refusedUpgrade, type StreamClient } from '../kit/websocket.ts'

let kit: TestApp
const clients: StreamClient[] = []
before(async () => {
  kit = await startTestApp()
})
after(async () => {
  for (const { socket } of clients) socket.terminate()
  await kit.close()
})

function connect(key: string | null, query = '', mode: 'test' | 'production' = 'test') {
  const client = connectStream({ port: kit.port, host: HOSTS[mode], key, query })
  clients.push(client)
  return client
}

async function ready() {
  const project = await kit.project()
  const api = await kit.key(project)
  const paired = await kit.pair(api)
  const listen = async (query = '') => {
    const client = connect(api.key, query)
    assert.equal((await client.next()).type, 'ready')
    return client
  }
  const write = async (text: string, from = paired.phoneBase) => {
    const other = await kit.phone(api)
    await api.post(`${other.base}/messages`, { to: paired.phone, type: 'text', text })
    await kit.settle()
    return from
  }
  return { project, api, paired, listen, write }
}

describe('event stream', () => {
  it('the event stream sends a ready frame first and then the same envelopes as webhooks', async () => {
    const { api, paired, write } = await ready()
    const receiver = await kit.receiver()
    await api.post('/v1/webhooks', { name: 'w', url: receiver.url })
    const client = connect(api.key)
    const first = await client.next()
    assert.deepEqual(Object.keys(first), ['type', 'connectionId', 'mode'])
    assert.equal(first.type, 'ready')
    assert.equal(first.mode, 'test')
    await write('Olá')
    const envelope = await client.next()
    assert.equal(envelope.event, 'message.received')
    assert.equal(envelope.instanceId, paired.id)
    assert.deepEqual(envelope, receiver.events('message.received')[0]?.body)
  })

  it('the event stream can be filtered by instance and event', async () => {
    const { api, paired, listen, write } = await ready()
    const other = await kit.pair(api, 'Vendas')
    const mine = await listen(`?instanceId=${paired.id}&events=message.received,message.status`)
    const theirs = await listen(`?instanceId=${other.id}`)
    const status = await listen('?events=message.status')
    await write('um')
    const { body: sent } = await api.post(`${paired.base}/messages`, { to: other.phone, text: 'x' })
    await kit.settle()
    const last = await status.next()
    assert.equal(last.event, 'message.status')
    assert.ok(last.data.waMessageIds.includes(sent.waMessageId))
    const names = (client: StreamClient) => client.frames.slice(1).map((frame) => frame.event)
    await mine.next()
    await theirs.next()
    assert.ok(names(mine).includes('message.received'))
    assert.ok(mine.frames.slice(1).every((frame) => frame.instanceId === paired.id))
    assert.ok(theirs.frames.slice(1).every((frame) => frame.instanceId === other.id))
    assert.ok(names(status).every((name) => name === 'message.status'))
  })

  it('the event stream carries no events of another Project or mode', async () => {
    const { project, listen, write } = await ready()
    const stranger = await kit.key(await kit.project())
    const live = await kit.key(project, 'production')
    const foreign = connect(stranger.key)
    const production = connect(live.key, '', 'production')
    assert.equal((await foreign.next()).mode, 'test')
    assert.equal((await production.next()).mode, 'production')
    const mine = await listen()
    await write('segredo')
    await mine.next()
    assert.equal(foreign.frames.length, 1)
    assert.equal(production.frames.length, 1)
  })

  it('the event stream does not replay earlier events', async () => {
    const { listen, write } = await ready()
    await write('antes')
    const client = await listen()
    await write('depois')
    assert.equal((await client.next()).data.message.text, 'depois')
  })

  it('the event stream carries events recorded by another node', async () => {
    const { api, paired, listen } = await ready()
    const client = await listen()
    // Simulates another node, which stores the event in the database and publishes its id on the bus.
    const at = new Date(kit.clock.now())
    const [row] = await kit.db.system<{ projectId: string }[]>`
      select project_id from instance where id = ${paired.id}`
    const body = JSON.stringify({ event: 'call.received', instanceId: paired.id })
    await kit.db.system`
      insert into event (id, project_id, mode, instance_id, name, body, created_at)
      values ('evt_outro', ${row?.projectId ?? ''}, 'test', ${paired.id}, 'call.received', ${body}, ${at})`
    const message = JSON.stringify({ eventId: 'evt_outro', at: at.getTime() })
    await kit.db.system`select pg_notify('recado_bus', ${`outro\nevents:${message}`})`
    assert.equal((await client.next()).event, 'call.received')
    assert.ok(api.key)
  })
})

describe('rejected event stream clients', () => {
  it('an event stream with a missing or wrong key or a key of the other mode is closed with 4401', async () => {
    const { api } = await ready()
    for (const [key, mode] of [
      [null, 'test'],
      ['svc_test_nada', 'test'],
      [api.key, 'production'],
    ] as const) {
      const { code, reason } = await connect(key, '', mode).closed
      assert.equal(code, 4401)
      assert.match(reason, /credencial/)
    }
  })

  it('an event stream of a key for some instances names what the key forbids when it is closed', async () => {
    const project = await kit.project()
    const { id } = await kit.pair(await kit.key(project))
    const user = await kit.login(project)
    const { body } = await user.call('POST', '/v1/keys', {
      body: JSON.stringify({ name: 'uma', restrictions: { instanceIds: [id] } }),
      headers: { 'content-type': 'application/json', host: HOSTS.test },
    })
    const { code, reason } = await connect(body.key).closed
    assert.equal(code, 4401)
    assert.equal(
      reason,
      'esta chave só permite usar algumas instâncias, e esta operação vale para o projeto inteiro',
    )
  })

  it('an event stream is closed with 4401 as soon as its key is revoked', async () => {
    const { project, api, listen } = await ready()
    const client = await listen()
    const user = await kit.login(project)
    await user.delete(`/v1/keys/${api.keyId}`)
    assert.equal((await client.closed).code, 4401)
  })

  it('an event stream is closed with 4401 within 5 seconds after its key expires', async () => {
    const { api, listen } = await ready()
    const client = await listen()
    await kit.db
      .system`update api_key set expires_at = ${new Date(kit.clock.now())} where id = ${api.keyId}`
    await kit.settle()
    kit.clock.jump(5000)
    assert.equal((await client.closed).code, 4401)
  })

  it('an event stream is closed with 4403 within 5 seconds after its Project is suspended', async () => {
    const { project, api, listen } = await ready()
    const client = await listen()
    await kit.operator.projects.set(kit.db, project.projectId, 'project.suspend', {
      status: 'SUSPENDED',
    })
    await kit.settle()
    kit.clock.jump(5000)
    assert.equal((await client.closed).code, 4403)
    assert.equal((await connect(api.key).closed).code, 4403)
  })

  it('the event stream returns 400 for an unknown event and 404 for an instance of another Project', async () => {
    const { api } = await ready()
    const foreign = await ready()
    assert.equal(await refusedUpgrade(connect(api.key, '?events=message.received,foo')), 400)
    const query = `?instanceId=${foreign.paired.id}`
    assert.equal(await refusedUpgrade(connect(api.key, query)), 404)
  })

  it('the event stream does not accept a key in the URL', async () => {
    const { api } = await ready()
    assert.equal((await connect(null, `?token=${api.key}`).closed).code, 4401)
  })

  it('a request to the event stream without a WebSocket upgrade returns 426', async () => {
    const { api } = await ready()
    const { status, body } = await api.get('/v1/events')
    assert.equal(status, 426)
    assert.equal(body.error.code, 'UPGRADE_REQUIRED')
    // With a key, it validates what the WebSocket would ask for.
    const unknown = await api.get('/v1/events?instanceId=ins_nope')
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'NOT_FOUND'])
    assert.equal((await api.get('/v1/events?events=foo')).status, 400)
    assert.equal((await kit.client('test', `${api.key}x`).get('/v1/events')).status, 401)
    assert.equal((await kit.client('test').get('/v1/events')).status, 426)
  })
})

describe('event stream health', () => {
  it('the event stream pings every 25 seconds and ends when no pong arrives within 10 seconds', async () => {
    const { api, listen } = await ready()
    const client = await listen()
    const unresponsive = connectStream({
      port: kit.port,
      host: HOSTS.test,
      key: api.key,
      autoPong: false,
    })
    clients.push(unresponsive)
    await unresponsive.next()
    const pinged = [client, unresponsive].map(({ socket }) => once(socket, 'ping'))
    await kit.settle()
    kit.clock.jump(25_000)
    await Promise.all(pinged)
    // The pong to this ping proves that the server has already processed the earlier pong of the client.
    const pongReceived = once(client.socket, 'pong')
    client.socket.ping()
    await pongReceived
    await kit.settle()
    kit.clock.jump(10_000)
    assert.equal((await unresponsive.closed).code, 1006)
    assert.equal(client.socket.readyState, client.socket.OPEN)
  })

  it('the event stream ends with 1009 on a message over 4 KiB and with 1008 on the eleventh message in a second', async () => {
    const { listen } = await ready()
    const long = await listen()
    long.socket.send('x'.repeat(4097))
    assert.equal((await long.closed).code, 1009)
    const often = await listen()
    for (let count = 0; count < 11; count++) often.socket.send('oi')
    assert.equal((await often.closed).code, 1008)
  })

  it('the event stream ends with 1008 for a client that floods it with control frames', async () => {
    const { listen } = await ready()
    for (const frame of ['ping', 'pong'] as const) {
      const flood = await listen()
      for (let count = 0; count < 11; count++) flood.socket[frame]()
      assert.equal((await flood.closed).code, 1008, frame)
    }
  })

  it('the event stream of a client that does not read ends with 1013 without affecting other clients', async () => {
    const { listen, project, paired } = await ready()
    const slow = await listen()
    const quick = await listen()
    slow.socket.pause()
    const draft = {
      name: 'message.received' as const,
      projectId: project.projectId,
      mode: 'test' as const,
      instanceId: paired.id,
      data: {
        waMessageId: 'x',
        message: { ...messageReceived.example.message, text: 'x'.repeat(60_000) },
      },
    }
    for (let count = 0; count < 200; count++) {
      await kit.app.events.record(kit.db, [draft])
      await quick.next()
    }
    slow.socket.resume()
    assert.equal((await slow.closed).code, 1013)
    const text = await kit.metrics()
    assert.match(text, /ws_closed_total\{code="1013"\} 1\n/)
    assert.equal(quick.frames.length, 201)
  })

  it('the event stream ends with 1012 when no bus message arrives from other live nodes for 5 seconds', async () => {
    const { listen } = await ready()
    const client = await listen()
    const beat = () =>
      kit.db.system`
        insert into node (id, epoch, heartbeat_at) values ('outro', 1, ${new Date(kit.clock.now())})
        on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`
    for (let second = 0; second < 8; second++) {
      await beat()
      await kit.jump(1000)
    }
    assert.equal((await client.closed).code, 1012)
    await kit.db.system`delete from node where id = 'outro'`
    await kit.jump(2000)
  })

  it('the event stream ends with 1012 when events of other nodes may have been missed', async () => {
    const { listen } = await ready()
    const client = await listen()
    await kit.db.system`
      insert into node (id, epoch, heartbeat_at) values ('outro', 1, ${new Date(kit.clock.now())})`
    // This node learns of the other one, and sends it a heartbeat.
    await kit.jump(2000)
    await kit.db.system`delete from node where id = 'outro'`
    await kit.db.system`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen%'`
    assert.equal((await client.closed).code, 1012)
  })

  it('the event stream ends with 1012 when the server stops', async () => {
    const second = await startTestApp()
    const project = await second.project()
    const { key } = await second.key(project)
    const client = connectStream({ port: second.port, host: HOSTS.test, key })
    await client.next()
    await second.close()
    assert.equal((await client.closed).code, 1012)
  })
})
