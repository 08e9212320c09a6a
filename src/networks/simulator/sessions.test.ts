import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { startTestApp } from '../../../test/kit/test-app.ts'
import { newId } from '../../kernel/ids.ts'
import { createDueWatch } from '../../platform/db/due-watch.ts'
import { createLocalTopics } from '../../platform/bus/local-topics.ts'
import { createMemoryCredentials, createRecordingListener, exampleFile } from '../conformance.ts'
import { createSimulator } from './simulator.ts'

const SETTINGS = {
  proxyUrl: null,
  rejectCalls: false,
  downloadMedia: true,
  historySync: 'none' as const,
}

/** A database, and what is needed to start nodes with simulators on it, and phones in them. */
async function start(t: TestContext, onError: (error: unknown) => void) {
  const kit = await startTestApp()
  t.after(() => kit.close())
  const { db, clock } = kit
  const { activity } = kit.app
  const dueWatch = createDueWatch({ db, clock, activity, onError })
  t.after(() => dueWatch.stop())
  const startNode = () => {
    const bus = createLocalTopics(onError)
    return createSimulator({ db, clock, activity, bus, dueWatch, files: exampleFile(), onError })
  }
  const scope = { projectId: (await kit.project()).projectId, mode: 'test' as const }
  const newPhone = async ({ phones }: ReturnType<typeof startNode>, name = 'Loja') => {
    const phone = await phones.create(db, scope, { name, phone: null, business: false, most: 10 })
    assert.ok(typeof phone !== 'string')
    return phone
  }
  const newAccount = () => ({
    instanceId: newId('ins', clock.now()),
    ...scope,
    credentials: createMemoryCredentials(),
    settings: SETTINGS,
  })
  return { db, clock, activity, scope, startNode, newPhone, newAccount }
}

const rethrow = (error: unknown) => {
  throw error
}

it('a code stays valid when another node still shows codes for the instance and then closes its session', async (t) => {
  const { db, clock, activity, scope, ...make } = await start(t, rethrow)
  const [one, two] = [make.startNode(), make.startNode()]
  const phone = await make.newPhone(one)
  const account = make.newAccount()
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
  const errors: unknown[] = []
  const { db, clock, activity, scope, ...make } = await start(t, (error) => errors.push(error))
  const node = make.startNode()
  const phone = await make.newPhone(node)
  const { reportedEvents, listener } = createRecordingListener()
  let failures = 1
  const credentials = {
    ...createMemoryCredentials(),
    save: async () => {
      if (failures-- > 0) throw new Error('the database is away')
    },
  }
  const account = { ...make.newAccount(), credentials }
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

it('an account that does not take its messages delays no other account, and gets all of them in order', async (t) => {
  const { db, activity, scope, ...make } = await start(t, rethrow)
  const node = make.startNode()
  const contact = await make.newPhone(node, 'Ana')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const open = async (wait: () => Promise<void>) => {
    const phone = await make.newPhone(node)
    const { reportedEvents, listener } = createRecordingListener()
    const onMessages: typeof listener.onMessages = async (messages) => {
      await wait()
      await listener.onMessages(messages)
    }
    const session = node.network.open(make.newAccount(), { ...listener, onMessages })
    await activity.idle()
    const { code } = reportedEvents.codes.at(-1) ?? {}
    assert.equal(await node.phones.scan(db, scope, phone, code ?? ''), true)
    await activity.idle()
    const write = (text: string) =>
      node.phones.sendMessage(db, scope, contact, {
        to: phone.phone,
        content: { type: 'text', text },
        media: null,
        quotedWaMessageId: null,
        mentions: [],
      })
    const textsOf = () =>
      reportedEvents.messages.map(({ content }) => ('text' in content ? content.text : null))
    return { session, write, textsOf }
  }
  const slow = await open(() => released)
  const quick = await open(() => Promise.resolve())
  await slow.write('um')
  // Written while the first is held, so that they are due together with what the other account receives.
  await slow.write('dois')
  for (const text of ['três', 'quatro']) {
    await quick.write(text)
    await until(() => quick.textsOf().includes(text))
  }
  assert.deepEqual(slow.textsOf(), [])
  await slow.write('cinco')
  release()
  await activity.idle()
  assert.deepEqual(slow.textsOf(), ['um', 'dois', 'cinco'])
  assert.deepEqual(quick.textsOf(), ['três', 'quatro'])
  await slow.session.close()
  await quick.session.close()
})

/** Resolves once it is so: the event loop turns, and the clock stands still. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}
