import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTestApp } from '../../../test/kit/test-app.ts'
import { newId } from '../../kernel/ids.ts'
import { createDueWatch } from '../../platform/db/due-watch.ts'
import { createLocalTopics } from '../../platform/bus/local-topics.ts'
import { createMemoryCredentials, createRecordingListener, exampleFile } from '../conformance.ts'
import { createSimulator } from './simulator.ts'

it('a code stays valid when another node still shows codes for the instance and then closes its session', async (t) => {
  const kit = await startTestApp()
  t.after(() => kit.close())
  const { db, clock } = kit
  const { activity } = kit.app
  const onError = (error: unknown) => {
    throw error
  }
  const dueWatch = createDueWatch({ db, clock, activity, onError })
  t.after(() => dueWatch.stop())
  const startNode = () => {
    const bus = createLocalTopics(onError)
    return createSimulator({ db, clock, activity, bus, dueWatch, files: exampleFile(), onError })
  }
  const [one, two] = [startNode(), startNode()]
  const scope = { projectId: (await kit.project()).projectId, mode: 'test' as const }
  const phone = await one.phones.create(db, scope, {
    name: 'Loja',
    phone: null,
    business: false,
    most: 10,
  })
  assert.ok(typeof phone !== 'string')
  const account = {
    instanceId: newId('ins', clock.now()),
    ...scope,
    credentials: createMemoryCredentials(),
    settings: {
      proxyUrl: null,
      rejectCalls: false,
      downloadMedia: true,
      historySync: 'none' as const,
    },
  }
  const [before, after] = [createRecordingListener(), createRecordingListener()]
  const old = one.network.open(account, before.listener)
  await activity.idle()
  const current = two.network.open(account, after.listener)
  await activity.idle()
  // The old session shows a new code and is closed only then.
  clock.jump(60_000)
  await activity.idle()
  await old.close()
  await activity.idle()

  const { code } = after.reportedEvents.codes.at(-1) ?? {}
  assert.equal(await two.phones.scan(db, scope, phone, code ?? ''), true)
  await current.close()
})

it('a pairing that cannot be stored is delivered again', async (t) => {
  const kit = await startTestApp()
  t.after(() => kit.close())
  const { db, clock } = kit
  const { activity } = kit.app
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const dueWatch = createDueWatch({ db, clock, activity, onError })
  t.after(() => dueWatch.stop())
  const bus = createLocalTopics(onError)
  const node = createSimulator({
    db,
    clock,
    activity,
    bus,
    dueWatch,
    files: exampleFile(),
    onError,
  })
  const scope = { projectId: (await kit.project()).projectId, mode: 'test' as const }
  const input = { name: 'Loja', phone: null, business: false, most: 10 }
  const phone = await node.phones.create(db, scope, input)
  assert.ok(typeof phone !== 'string')
  const { reportedEvents, listener } = createRecordingListener()
  let failures = 1
  const account = {
    instanceId: newId('ins', clock.now()),
    ...scope,
    credentials: {
      ...createMemoryCredentials(),
      save: async () => {
        if (failures-- > 0) throw new Error('the database is away')
      },
    },
    settings: {
      proxyUrl: null,
      rejectCalls: false,
      downloadMedia: true,
      historySync: 'none' as const,
    },
  }
  const session = node.network.open(account, listener)
  await activity.idle()
  const { code } = reportedEvents.codes.at(-1) ?? {}
  assert.equal(await node.phones.scan(db, scope, phone, code ?? ''), true)
  for (let seconds = 0; seconds < 10; seconds++) {
    await activity.idle()
    clock.jump(1000)
  }
  await activity.idle()
  assert.equal(failures, -1, 'stored at the second attempt')
  assert.deepEqual(
    reportedEvents.statuses.map(({ status }) => status),
    ['PAIRED', 'CONNECTED'],
  )
  assert.ok(errors.length > 0)
  await session.close()
})
