import type { BusTopics } from '../platform/bus/bus.port.ts'
import type { Mode } from '../kernel/config/config.ts'
import { UNWATCHED_POLL_MS, type DueWatch } from '../platform/db/due-watch.ts'
import type { Db } from '../platform/db/sql.ts'
import type { PendingWork } from '../kernel/pending-work.ts'
import { delay, type Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import { createLoop } from '../kernel/loop.ts'
import {
  NetworkRejection,
  type NetworkCommands,
  type NetworkSession,
  type RejectionReason,
} from '../networks/network.port.ts'
import type { OpenSessions } from './open-sessions.service.ts'
import { fail, type Failure } from '../kernel/phrases/fail.ts'
import type { InstanceStatus } from '../model/vocabulary.ts'
import {
  storeResult,
  insertCommand,
  findResult,
  sweepCommands,
  anyCommandPending,
  claimCommands,
  type CommandRow,
} from './network-commands.sql.ts'

/** How long a caller waits for the result of a command. */
const COMMAND_TIMEOUT_MS = 20_000
const RESULT_POLL_MS = 500
const CLAIM_BATCH_SIZE = 50
/** Maximum concurrent commands per instance; pairing codes are counted separately and limited to one. */
const MAX_IN_FLIGHT = 100
const BUSY_RETRY_AFTER_S = 5
/** Statuses in which a pairing code may be requested. */
const PAIRING_STATUSES: InstanceStatus[] = ['CONNECTING', 'QR']

/** Identifies a received file to download from its network. */
export type FetchFile = { projectId: string; mode: Mode; mediaId: string }
/** The commands of sessions, plus the download of a received file that is still stored on the network. */
type Commands = NetworkCommands & { fetchFile(input: FetchFile): Promise<boolean> }
type Name = keyof Commands
type Input<Command extends Name> = Parameters<Commands[Command]>[0]
type Result<Command extends Name> = Awaited<ReturnType<Commands[Command]>>
type CommandResult = { result?: unknown; refusal?: RejectionReason; failed?: true }

/** Runs commands on the session of an instance, on whichever node it is open. */
export type NetworkCommander = {
  /**
   * Runs a command on the session of an instance, on this node or on the one that holds the session, and returns its
   * result. Throws 409 if the instance is not connected or its network refuses, 503 if too many commands are running or
   * no result arrives in time.
   */
  run<Command extends Name>(
    instanceId: string,
    name: Command,
    input: Input<Command>,
  ): Promise<Result<Command>>
  /** Returns the connected session of an instance if it is open on this node, else null. */
  localSession: OpenSessions['connectedSession']
  stop(): Promise<void>
}

/**
 * Creates the commander, which forwards commands to the node that holds the session. Commands and results are stored in
 * the database; the bus only wakes the nodes, so that a lost bus message delays a command without losing it.
 */
export function createNetworkCommander(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  bus: BusTopics
  dueWatch: DueWatch
  sessions: Pick<OpenSessions, 'connectedSession' | 'session' | 'open'>
  fetchFile: (session: NetworkSession, input: FetchFile) => Promise<boolean>
  onError: (error: unknown, task?: string) => void
}): NetworkCommander {
  const { db, clock, activity, bus, dueWatch, sessions, fetchFile, onError } = deps
  const waiting = new Map<string, () => void>()
  const inFlight = new Map<string, number>()

  /** Returns the session for a command: it must be connected, except to request a pairing code. */
  const sessionFor = (instanceId: string, name: Name) =>
    name === 'requestPairingCode'
      ? sessions.session(instanceId)
      : sessions.connectedSession(instanceId)

  async function execute(
    session: NetworkSession,
    name: Name,
    input: object,
  ): Promise<CommandResult> {
    try {
      if (name === 'fetchFile') return { result: await fetchFile(session, input as FetchFile) }
      return { result: await session[name](input as never) }
    } catch (error) {
      if (error instanceof NetworkRejection) return { refusal: error.reason }
      onError(error, `running command ${name}`)
      return { failed: true }
    }
  }

  /** Runs the commands that other nodes have stored for sessions of this node. */
  async function runPending(): Promise<boolean> {
    const ids = sessions.open()
    if (ids.length === 0) return false
    const taken = await claimCommands(db, ids, CLAIM_BATCH_SIZE, new Date(clock.now()))
    for (const command of taken)
      void activity
        .run(() => runOne(command))
        .catch((error: unknown) => onError(error, `running command ${command.id}`))
    return taken.length === CLAIM_BATCH_SIZE
  }

  async function runOne({ id, instanceId, name, input }: CommandRow): Promise<void> {
    const session = sessionFor(instanceId, name as Name)
    const answer = session ? await execute(session, name as Name, input) : { failed: true }
    await storeResult(db, id, answer)
    bus.publishToOthers('commandResults', { commandId: id })
  }

  async function runRemotely(
    instanceId: string,
    name: Name,
    input: object,
  ): Promise<CommandResult> {
    const id = newId('req', clock.now())
    const until = clock.now() + COMMAND_TIMEOUT_MS
    const statuses = name === 'requestPairingCode' ? PAIRING_STATUSES : ['CONNECTED']
    const command = { id, instanceId, name, input, expiresAt: new Date(until), statuses }
    if (!(await insertCommand(db, command))) throw notConnected()
    try {
      // Read after registering the waiter, so that a result stored in between is found.
      for (;;) {
        const answered = new Promise<void>((resolve) => waiting.set(id, resolve))
        bus.publishToOthers('commands', { instanceId })
        const answer = await findResult<CommandResult>(db, id)
        if (answer) return answer
        if (clock.now() >= until) return { failed: true }
        await Promise.race([answered, delay(clock, RESULT_POLL_MS)])
      }
    } finally {
      waiting.delete(id)
    }
  }

  /** Runs `work` within the concurrency limit of its instance. Throws 503 above it, 409 for a second pairing code. */
  async function withLimit<T>(instanceId: string, name: Name, work: () => Promise<T>): Promise<T> {
    const pairing = name === 'requestPairingCode'
    const key = pairing ? `${instanceId} ${name}` : instanceId
    const count = inFlight.get(key) ?? 0
    if (pairing && count > 0) throw fail('conflict', (say) => say.instances.codeUnderWay)
    if (count >= MAX_IN_FLIGHT) {
      throw fail('unavailable', (say) => say.network.busy, { retryAfter: BUSY_RETRY_AFTER_S })
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

  async function dispatch(instanceId: string, name: Name, input: object): Promise<CommandResult> {
    const session = sessionFor(instanceId, name)
    if (!session) return runRemotely(instanceId, name, input)
    const { promise: late, resolve } = Promise.withResolvers<CommandResult>()
    const timer = clock.after(COMMAND_TIMEOUT_MS, () => resolve({ failed: true }))
    try {
      return await Promise.race([execute(session, name, input), late])
    } finally {
      timer.cancel()
    }
  }

  async function sweep(): Promise<boolean> {
    await sweepCommands(db, new Date(clock.now()))
    return false
  }

  const loop = createLoop({
    task: 'running commands of other nodes',
    clock,
    activity,
    everyMs: () => UNWATCHED_POLL_MS,
    run: runPending,
    onError,
  })
  const sweeper = createLoop({
    task: 'removing old commands',
    clock,
    activity,
    everyMs: () => 60_000,
    run: sweep,
    onError,
  })
  const unsubscribe = [
    bus.subscribe('commands', loop.wake),
    dueWatch.watch((now) => {
      const ids = sessions.open()
      return ids.length === 0 ? null : anyCommandPending(db, ids, now)
    }, loop.wake),
    bus.subscribe('commandResults', ({ commandId }) => waiting.get(commandId)?.()),
  ]
  return {
    localSession: sessions.connectedSession,
    async run(instanceId, name, input) {
      const answer = await withLimit(instanceId, name, () => dispatch(instanceId, name, input))
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

function refused(reason: RejectionReason): Failure {
  return fail('conflict', (say) => say.network[reason])
}
