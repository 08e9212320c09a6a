import { setTimeout as pause } from 'node:timers/promises'
import { createSystemClock } from '../../kernel/clock.ts'
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/kit/test-app.ts'
import type { Bus } from './bus.port.ts'
import { createLocalTopics } from './local-topics.ts'
import { openPostgresBus } from './postgres.ts'

/** Errors reported in the background; each test removes the ones it expects. */
const wrong: unknown[] = []
const onError = (error: unknown) => void wrong.push(error)

const TYPING = {
  projectId: 'prj_1',
  mode: 'test',
  instanceId: 'ins_1',
  chatId: 'x',
  ms: 1,
  recording: false,
} as const

/** The contract of every bus driver, run on a pair of nodes. `flush` sends what a node has queued. */
function describeBus(name: string, openPair: () => Promise<[Bus, Bus, () => Promise<void>]>): void {
  describe(`the bus over ${name}`, () => {
    it('the bus delivers a message to each subscriber of its topic, synchronously on this node and once on the other', async () => {
      const [here, there, flush] = await openPair()
      const received: string[] = []
      here.subscribe('outbound', ({ instanceId }) => received.push(`here ${instanceId}`))
      there.subscribe('outbound', ({ instanceId }) => received.push(`there ${instanceId}`))
      there.subscribe('webhooks', ({ webhookId }) => received.push(`wrong ${webhookId}`))
      const arrived = new Promise<void>((resolve) => {
        there.subscribe('outbound', ({ instanceId }) => instanceId === 'last' && resolve())
      })
      for (const instanceId of ['ins_1', 'ins_1', 'a:b @c.d\n"', 'last']) {
        here.publish('outbound', { instanceId })
      }
      assert.deepEqual(received, ['here ins_1', 'here ins_1', 'here a:b @c.d\n"', 'here last'])
      await flush()
      await arrived
      const remote = received.filter((line) => line.startsWith('there'))
      assert.deepEqual(new Set(remote), new Set(['there ins_1', 'there a:b @c.d\n"', 'there last']))
      assert.ok(!received.some((line) => line.startsWith('wrong')))
      await here.close()
      await there.close()
    })

    it('the bus reports a subscriber that throws and delivers the messages that follow', async () => {
      const [here, there, flush] = await openPair()
      there.subscribe('typing', () => {
        throw new Error('cannot read it')
      })
      const arrived = new Promise<void>((resolve) => there.subscribe('events', () => resolve()))
      here.publishToOthers('typing', TYPING)
      here.publishToOthers('events', { eventId: 'evt_1', at: 5 })
      await flush()
      await arrived
      assert.deepEqual(
        wrong.splice(0).map((error) => (error as Error).message),
        ['cannot read it'],
      )
      await here.close()
      await there.close()
    })

    it('publishToOthers delivers a message to other nodes only', async () => {
      const [here, there, flush] = await openPair()
      const received: string[] = []
      here.subscribe('events', ({ eventId }) => received.push(`here ${eventId}`))
      const arrived = new Promise<void>((resolve) => there.subscribe('events', () => resolve()))
      here.publishToOthers('events', { eventId: 'evt_1', at: 5 })
      await flush()
      await arrived
      assert.deepEqual(received, [])
      await here.close()
      await there.close()
    })

    it('the bus delivers nothing to a subscriber that has unsubscribed', async () => {
      const [here, there] = await openPair()
      let count = 0
      here.subscribe('instances', () => count++)()
      here.publish('instances', null)
      assert.equal(count, 0)
      await here.close()
      await there.close()
    })
  })
}

describe('publishEncoded', () => {
  it('messages from another node that are not JSON are skipped and reported', () => {
    const errors: Error[] = []
    const topics = createLocalTopics((error) => void errors.push(error as Error))
    const received: unknown[] = []
    topics.subscribe('media', (message) => received.push(message))
    topics.publishEncoded('media', 'med_1')
    topics.publishEncoded('media', '{"mediaId":"med_2"}')
    assert.deepEqual(received, [{ mediaId: 'med_2' }])
    assert.match(errors[0]?.message ?? '', /topic media: med_1/)
  })
})

let started: Promise<TestApp> | undefined
after(async () => (await started)?.close())

describeBus('PostgreSQL', async () => {
  const { db: database, clock, jump } = await (started ??= startTestApp())
  const open = (nodeId: string) =>
    openPostgresBus({ database, clock, nodeId, othersAlive: () => true, onError })
  return [await open('a'), await open('b'), () => jump(5)]
})

it('the bus over PostgreSQL reports that messages may be missing after its connection was lost, and sends what is queued when it closes', async () => {
  const { db: database, clock } = await (started ??= startTestApp())
  const open = (nodeId: string) =>
    openPostgresBus({ database, clock, nodeId, othersAlive: () => true, onError })
  const [a, b] = [await open('a'), await open('b')]
  const gap = Promise.withResolvers<null>()
  a.subscribe('gap', gap.resolve)
  a.publish('webhooks', { webhookId: 'whk_1' })
  await database.system`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ilike 'listen%'`
  await gap.promise
  const received = Promise.withResolvers<{ instanceId: string }>()
  b.subscribe('outbound', received.resolve)
  a.publish('outbound', { instanceId: 'ins_1' })
  // Before its timer sends it.
  await a.close()
  assert.deepEqual(await received.promise, { instanceId: 'ins_1' })
  await b.close()
})

const natsServer = spawnSync('which', ['nats-server']).stdout.toString().trim()
if (natsServer === '') {
  it('the bus over NATS', { skip: 'install nats-server to run it (apt-get install nats-server)' })
} else {
  const { startNats } = await import('../../../test/kit/nats.ts')
  const { openNatsBus } = await import('./nats.ts')
  let server: Awaited<ReturnType<typeof startNats>> | undefined
  after(() => server?.stop())
  describeBus('NATS', async () => {
    const { url } = (server ??= await startNats(natsServer))
    const open = (nodeId: string) =>
      openNatsBus({ url, clock: createSystemClock(), nodeId, onError })
    const pair = [await open('a'), await open('b')] as const
    return [...pair, async () => {}]
  })

  it('the NATS bus signs in with the user, the password or the token of its URL', async () => {
    for (const [credentials, options] of [
      ['nos:1234%2F@', ['--user', 'nos', '--pass', '1234/']],
      ['um-token@', ['--auth', 'um-token']],
    ] as const) {
      const guarded = await startNats(natsServer, undefined, [...options])
      const url = guarded.url.replace('//', `//${credentials}`)
      const bus = await openNatsBus({ url, clock: createSystemClock(), nodeId: 'a', onError })
      assert.equal(bus.connected(), true, credentials)
      await bus.close()
      await guarded.stop()
    }
  })

  it('the NATS bus opens without a server, reports that it is not connected, and delivers messages once a server is available', async () => {
    const first = await startNats(natsServer)
    await first.stop()
    const silent = () => {}
    const open = (nodeId: string) =>
      openNatsBus({ url: first.url, clock: createSystemClock(), nodeId, onError: silent })
    const [a, b] = await Promise.all([open('a'), open('b')])
    assert.deepEqual([a.connected(), b.connected()], [false, false])
    a.publish('outbound', { instanceId: 'lost' })
    const received = Promise.withResolvers<{ instanceId: string }>()
    b.subscribe('outbound', received.resolve)
    const late = await startNats(natsServer, Number(new URL(first.url).port))
    while (!a.connected() || !b.connected()) await pause(50)
    a.publish('outbound', { instanceId: 'ins_1' })
    assert.deepEqual(await received.promise, { instanceId: 'ins_1' })
    await late.stop()
    while (a.connected()) await pause(50)
    await Promise.all([a.close(), b.close()])
  })
}
