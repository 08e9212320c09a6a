import type { BusTopics } from '../platform/bus/bus.port.ts'
import type { Mode } from '../kernel/config/config.ts'
import type { Db } from '../platform/db/sql.ts'
import type { Activity } from '../kernel/activity.ts'
import { delay, type Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import { createLoop } from '../kernel/loop.ts'
import {
  NetworkRefusal,
  type NetworkCommands,
  type NetworkSession,
  type RefusalReason,
} from '../networks/network.port.ts'
import type { OpenSessions } from './open-sessions.service.ts'
import { fail, type Failure } from '../kernel/phrases/fail.ts'
import type { InstanceStatus } from '../model/records.schemas.ts'
import {
  answerCommand,
  insertCommand,
  readAnswer,
  sweepCommands,
  takeCommands,
  type CommandRow,
} from './network-commands.sql.ts'

/** As long as a caller waits for a network. */
const PATIENCE_MS = 20_000
const LOOK_MS = 2000
const ASK_AGAIN_MS = 500
const AT_ONCE = 50
/** Commands of one instance that may wait for its network at the same time, and codes to pair with. */
const MAX_IN_FLIGHT = 100
const BUSY_SECONDS = 5
/** A session that is just being opened answers when it is. */
const PAIRING: InstanceStatus[] = ['CONNECTING', 'QR']

/** Beside what sessions do themselves: to fetch a file that came with a message and is kept by the network still. */
/** Names a received file that is to be fetched from its network. */
export type FetchFile = { projectId: string; mode: Mode; mediaId: string }
type Commands = NetworkCommands & { fetchFile(input: FetchFile): Promise<boolean> }
type Name = keyof Commands
type Input<Command extends Name> = Parameters<Commands[Command]>[0]
type Result<Command extends Name> = Awaited<ReturnType<Commands[Command]>>
type Answer = { result?: unknown; refusal?: RefusalReason; failed?: true }

export type NetworkCommander = {
  /**
   * Has the session of an instance do something, here or on the node that holds it, and answers its result. Throws
   * 409 when the instance is not connected or its network refuses, 503 when no answer came in time.
   */
  run<Command extends Name>(
    instanceId: string,
    name: Command,
    input: Input<Command>,
  ): Promise<Result<Command>>
  /** The same, if this node holds the session; null at once if not. */
  here: OpenSessions['online']
  stop(): Promise<void>
}

/**
 * Carries commands to the one node that holds an instance's session: a row in the database says what is asked and
 * what came of it, and the bus only wakes people up.
 */
export function createNetworkCommander(deps: {
  db: Db
  clock: Clock
  activity: Activity
  bus: BusTopics
  sessions: Pick<OpenSessions, 'online' | 'session' | 'open'>
  fetchFile: (session: NetworkSession, input: FetchFile) => Promise<boolean>
  onError: (error: unknown) => void
}): NetworkCommander {
  const { db, clock, activity, bus, sessions, fetchFile, onError } = deps
  const waiting = new Map<string, () => void>()
  const inFlight = new Map<string, number>()

  /** Only a session that is connected can do anything, but for the code that connects it. */
  const sessionFor = (instanceId: string, name: Name) =>
    name === 'requestPairingCode' ? sessions.session(instanceId) : sessions.online(instanceId)

  async function carryOut(session: NetworkSession, name: Name, input: object): Promise<Answer> {
    try {
      if (name === 'fetchFile') return { result: await fetchFile(session, input as FetchFile) }
      return { result: await session[name](input as never) }
    } catch (error) {
      if (error instanceof NetworkRefusal) return { refusal: error.reason }
      onError(error)
      return { failed: true }
    }
  }

  /** Does what others ask of the sessions that this node holds. */
  async function serve(): Promise<boolean> {
    const ids = sessions.open()
    if (ids.length === 0) return false
    const taken = await takeCommands(db, ids, AT_ONCE, new Date(clock.now()))
    for (const command of taken) void activity.run(() => serveOne(command)).catch(onError)
    return taken.length === AT_ONCE
  }

  async function serveOne({ id, instanceId, name, input }: CommandRow): Promise<void> {
    const session = sessionFor(instanceId, name as Name)
    const answer = session ? await carryOut(session, name as Name, input) : { failed: true }
    await answerCommand(db, id, answer)
    bus.publishToOthers('commandResults', { commandId: id })
  }

  async function ask(instanceId: string, name: Name, input: object): Promise<Answer> {
    const id = newId('req', clock.now())
    const until = clock.now() + PATIENCE_MS
    const statuses = name === 'requestPairingCode' ? PAIRING : ['CONNECTED']
    const command = { id, instanceId, name, input, expiresAt: new Date(until), statuses }
    if (!(await insertCommand(db, command))) throw notConnected()
    try {
      // Told between the insert and the first look, an answer is found by that look.
      for (;;) {
        const told = new Promise<void>((resolve) => waiting.set(id, resolve))
        bus.publishToOthers('commands', { instanceId })
        const answer = await readAnswer<Answer>(db, id)
        if (answer) return answer
        if (clock.now() >= until) return { failed: true }
        await Promise.race([told, delay(clock, ASK_AGAIN_MS)])
      }
    } finally {
      waiting.delete(id)
    }
  }

  /** Runs work while it is counted; refuses what exceeds the limit of its instance. */
  async function counted<T>(instanceId: string, name: Name, work: () => Promise<T>): Promise<T> {
    const pairing = name === 'requestPairingCode'
    const key = pairing ? `${instanceId} ${name}` : instanceId
    const count = inFlight.get(key) ?? 0
    if (pairing && count > 0) throw fail('conflict', (say) => say.instances.codeUnderWay)
    if (count >= MAX_IN_FLIGHT) {
      throw fail('unavailable', (say) => say.network.busy, { retryAfter: BUSY_SECONDS })
    }
    inFlight.set(key, count + 1)
    try {
      return await work()
    } finally {
      const left = (inFlight.get(key) ?? 1) - 1
      if (left > 0) inFlight.set(key, left)
      else inFlight.delete(key)
    }
  }

  async function obey(instanceId: string, name: Name, input: object): Promise<Answer> {
    const session = sessionFor(instanceId, name)
    if (!session) return ask(instanceId, name, input)
    const { promise: late, resolve } = Promise.withResolvers<Answer>()
    const timer = clock.after(PATIENCE_MS, () => resolve({ failed: true }))
    try {
      return await Promise.race([carryOut(session, name, input), late])
    } finally {
      timer.cancel()
    }
  }

  async function sweep(): Promise<boolean> {
    await sweepCommands(db, new Date(clock.now()))
    return false
  }

  const loop = createLoop({ clock, activity, everyMs: () => LOOK_MS, run: serve, onError })
  const sweeper = createLoop({ clock, activity, everyMs: () => 60_000, run: sweep, onError })
  const unsubscribe = [
    bus.subscribe('commands', loop.wake),
    bus.subscribe('commandResults', ({ commandId }) => waiting.get(commandId)?.()),
  ]
  return {
    here: sessions.online,
    async run(instanceId, name, input) {
      const answer = await counted(instanceId, name, () => obey(instanceId, name, input))
      if (answer.refusal) throw refused(answer.refusal)
      if (answer.failed) throw fail('unavailable', (say) => say.network.noAnswer)
      return answer.result as never
    },
    async stop() {
      for (const end of unsubscribe) end()
      await Promise.all([loop.stop(), sweeper.stop()])
    },
  }
}

function notConnected(): Failure {
  const reason = 'INSTANCE_NOT_CONNECTED'
  return fail('conflict', (say) => say.instances.notConnected, { reason })
}

function refused(reason: RefusalReason): Failure {
  return fail('conflict', (say) => say.network[reason])
}
