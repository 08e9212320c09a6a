import { setTimeout as pause } from 'node:timers/promises'
import { createSystemClock } from '../../kernel/clock.ts'
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/kit/test-app.ts'
import type { Bus } from './bus.port.ts'
import { openPostgresBus } from './postgres.ts'

/** What went wrong in the background: what nobody can read, and nothing else. */
const wrong: unknown[] = []
const onError = (error: unknown) => void wrong.push(error)

/** What every driver must do: two nodes, each hearing the other and itself, and nobody hearing twice. */
function describeBus(name: string, openPair: () => Promise<[Bus, Bus, () => Promise<void>]>): void {
  describe(`the bus over ${name}`, () => {
    it('wakes subscribers of a topic here at once and on the other node, once each', async () => {
      const [here, there, flush] = await openPair()
      const heard: string[] = []
      here.subscribe('outbound', (id) => heard.push(`here ${id}`))
      there.subscribe('outbound', (id) => heard.push(`there ${id}`))
      there.subscribe('webhooks', (id) => heard.push(`wrong ${id}`))
      const arrived = new Promise<void>((resolve) => {
        there.subscribe('outbound', (id) => id === 'last' && resolve())
      })
      here.publish('outbound', 'ins_1')
      here.publish('outbound', 'ins_1')
      here.publish('outbound', 'a:b@c.d')
      here.publish('outbound', 'last')
      assert.deepEqual(heard, ['here ins_1', 'here ins_1', 'here a:b@c.d', 'here last'])
      await flush()
      await arrived
      const remote = heard.filter((line) => line.startsWith('there'))
      assert.deepEqual(new Set(remote), new Set(['there ins_1', 'there a:b@c.d', 'there last']))
      assert.ok(!heard.some((line) => line.startsWith('wrong')))
      await here.close()
      await there.close()
    })

    it('tells on what comes behind a message that somebody cannot read', async () => {
      const [here, there, flush] = await openPair()
      there.subscribe('typing', () => {
        throw new Error('cannot read it')
      })
      const arrived = new Promise<void>((resolve) => there.subscribe('events', () => resolve()))
      here.tellOthers('typing', 'x')
      here.tellOthers('events', 'evt_1@5')
      await flush()
      await arrived
      assert.deepEqual(
        wrong.splice(0).map((error) => (error as Error).message),
        ['cannot read it'],
      )
      await here.close()
      await there.close()
    })

    it('tells the others alone what is for them', async () => {
      const [here, there, flush] = await openPair()
      const heard: string[] = []
      here.subscribe('events', (id) => heard.push(`here ${id}`))
      const arrived = new Promise<void>((resolve) => there.subscribe('events', () => resolve()))
      here.tellOthers('events', 'evt_1@5')
      await flush()
      await arrived
      assert.deepEqual(heard, [])
      await here.close()
      await there.close()
    })

    it('forgets who unsubscribed', async () => {
      const [here, there] = await openPair()
      let count = 0
      here.subscribe('instances', () => count++)()
      here.publish('instances', 'x')
      assert.equal(count, 0)
      await here.close()
      await there.close()
    })
  })
}

let started: Promise<TestApp> | undefined
after(async () => (await started)?.close())

describeBus('PostgreSQL', async () => {
  const { db: database, clock, jump } = await (started ??= startTestApp())
  const open = (nodeId: string) =>
    openPostgresBus({ database, clock, nodeId, othersAlive: () => true, onError })
  return [await open('a'), await open('b'), () => jump(5)]
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

  it('over NATS opens without a server, says so, and carries what is published once there is one', async () => {
    const first = await startNats(natsServer)
    await first.stop()
    const silent = () => {}
    const open = (nodeId: string) =>
      openNatsBus({ url: first.url, clock: createSystemClock(), nodeId, onError: silent })
    const [a, b] = await Promise.all([open('a'), open('b')])
    assert.deepEqual([a.connected(), b.connected()], [false, false])
    a.publish('outbound', 'nobody hears it')
    const heard = Promise.withResolvers<string>()
    b.subscribe('outbound', heard.resolve)
    const late = await startNats(natsServer, Number(new URL(first.url).port))
    while (!a.connected() || !b.connected()) await pause(50)
    a.publish('outbound', 'ins_1')
    assert.equal(await heard.promise, 'ins_1')
    await late.stop()
    while (a.connected()) await pause(50)
    await Promise.all([a.close(), b.close()])
  })
}
