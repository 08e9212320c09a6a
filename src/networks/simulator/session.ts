import type { Readable } from 'node:stream'
import type { Db } from '../../platform/db/sql.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { delay, type Clock, type Timer } from '../../kernel/clock.ts'
import { retryUntil } from '../../kernel/retry-until.ts'
import type { StoredContent } from '../../model/message.ts'
import type { InboundMessage, NetworkListener, Receipt } from '../network-events.port.ts'
import {
  NetworkRejection,
  type NetworkAccount,
  type NetworkSession,
  type OutboundMessage,
} from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import type { Groups } from './groups.ts'
import { createChatCommands } from './chat-commands.ts'
import { createGroupAndLabelCommands } from './group-and-label-commands.ts'
import { createSimulatedHistory } from './history.ts'
import { lookUp } from './look-up-numbers.ts'
import { createSimulatedProfiles } from './profiles.ts'
import { createSimulatedTemplates } from './templates.ts'
import { DISCONNECT_MS, PRESENCE_MS } from './magic-numbers.ts'
import { createPairingCodes } from './pairing-codes.ts'
import type { Person } from './route-message.ts'
import { isLinked, unlinkInstance, type DueEvent, type SimulatorEvent } from './simulator.sql.ts'
import { endCall } from './groups-labels-calls.sql.ts'
import { toEnvelope } from './to-envelope.ts'
import type { SimulatedNetwork } from './simulated-network.ts'

/** Opens files by media id. The simulator transfers no bytes, because the media module already stores them. */
export type SimulatorFiles = {
  open(owner: PhoneScope, mediaId: string): Promise<Readable>
}

const RETRY_MS = 1000
const DEVICE = 'device'

/** A session that also delivers the events queued for its instance. */
export type SimulatorSession = NetworkSession & {
  /** Whether queued events can be delivered now. */
  canDeliver(): boolean
  /** Delivers due events in order; calls `onCommitted` with the ids of each committed part. */
  deliver(due: DueEvent[], onCommitted: (ids: string[]) => Promise<void>): Promise<void>
}

/** The account as it is stored. */
type StoredSelf = Person & { business?: boolean }

/** Opens one account's session on the simulated network. */
export function openSession(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  account: NetworkAccount
  listener: NetworkListener
  /** Wakes the loop that delivers queued events. */
  wake: (instanceId: string) => void
  /** Shows "typing…" to viewers of the recipient's virtual phone. */
  showTyping: (message: { chatId: string; typingMs: number; recording?: boolean }) => void
  world: SimulatedNetwork
  groups: Groups
  files: SimulatorFiles
  onError: (error: unknown, task?: string) => void
}): SimulatorSession {
  const { db, clock, activity, account, listener, wake, onError } = deps
  const { showTyping, world, groups, files } = deps
  const { instanceId, projectId, mode } = account
  const scope = { projectId, mode }
  let self: Person | null = null
  let connected = false
  let connectedAt = 0
  let closed = false
  let timer: Timer | null = null
  const ending = Promise.withResolvers<void>()

  const inBackground = (work: () => Promise<void>) => void activity.run(work).catch(onError)
  /** Whether the phone runs WhatsApp Business; null for one that was paired before this was stored. */
  let isBusiness: boolean | null = null
  /** Whether the stored account, if any, has been loaded: before, nothing is delivered. */
  let started = false
  const repeat = (task: string, work: () => Promise<void>) =>
    inBackground(() => retryUntil({ clock, over: () => closed, task, onError }, work))
  const codes = createPairingCodes({
    db,
    clock,
    scope,
    instanceId,
    listener,
    mayOffer: () => !closed && !self,
    wake: () => wake(instanceId),
    inBackground,
  })

  async function start(): Promise<void> {
    const stored = (await account.credentials.load(DEVICE)).get('self')
    if (closed) return
    if (stored && (await isLinked(db, instanceId))) {
      const { business, ...person } = JSON.parse(stored.toString()) as StoredSelf
      self = person
      isBusiness = business ?? null
      await connect()
    } else if (stored) {
      await end('LOGGED_OUT')
    } else {
      await codes.offer()
    }
    started = true
    wake(instanceId)
  }

  async function connect(): Promise<void> {
    if (closed) return
    connected = true
    connectedAt = clock.now()
    // PAIRED is lost if the process ends before it is stored.
    const identity =
      self && isBusiness !== null
        ? { phone: self.phone, lid: self.lid, profileName: self.name ?? '', business: isBusiness }
        : null
    await listener.onStatus({ status: 'CONNECTED', identity })
    wake(instanceId)
  }

  async function end(status: 'LOGGED_OUT' | 'BANNED'): Promise<void> {
    self = null
    connected = false
    await account.credentials.clear()
    if (status === 'LOGGED_OUT') await listener.onStatus({ status, reason: 'device_removed' })
    else await listener.onStatus({ status, reason: 'banned', restrictedUntil: null })
  }

  function requireSelf(): Person {
    if (!self || !connected)
      throw new Error(`instance ${instanceId} is not connected to the simulator`)
    return self
  }

  const history = createSimulatedHistory({ ...deps, scope, self: requireSelf, inBackground })

  async function pair(event: Extract<SimulatorEvent, { kind: 'paired' }>): Promise<void> {
    codes.stop()
    const { phone, lid, name, business } = event
    const paired = { phone, lid, name }
    const value = Buffer.from(JSON.stringify({ ...paired, business }))
    await account.credentials.save([{ kind: DEVICE, id: 'self', value }])
    await listener.onStatus({ status: 'PAIRED', phone, lid, profileName: name, business })
    const states = await groups.initialEvents(db, scope, phone)
    await listener.onEvents(states.map((state) => ({ ...state, id: null })))
    // Last: if any of this fails, the event is delivered again, as long as the session is not paired.
    self = paired
    isBusiness = business
    await connect()
    inBackground(() => history.share(account.settings.historySync))
  }

  async function drop(): Promise<void> {
    connected = false
    timer = clock.after(DISCONNECT_MS, () => repeat('reconnecting', connect))
    await listener.onStatus({ status: 'DISCONNECTED', reason: 'network', willReconnect: true })
  }

  async function routeBatch(batch: OutboundMessage[], me: Person): Promise<void> {
    const envelopes = batch.map((message) => toEnvelope(message, me, instanceId))
    const routed = await world.carry(db, scope, envelopes)
    inBackground(() => report(routed.flatMap((one) => one.receipts)))
    if (routed.some((one) => one.drops)) await drop()
  }

  /** Retries until the listener has committed the receipts, as a real network redelivers them. */
  async function report(receipts: Receipt[]): Promise<void> {
    while (!closed) {
      try {
        await listener.onReceipts(receipts)
        return
      } catch (error) {
        onError(error, 'reporting receipts')
        await Promise.race([delay(clock, RETRY_MS), ending.promise])
      }
    }
  }

  /** Marks a message that was sent while the account was not connected. */
  function asDelivered(message: InboundMessage): InboundMessage {
    if (message.at >= connectedAt || message.fromMe || message.type === 'system') return message
    return { ...message, content: { ...message.content, recovered: true } as StoredContent }
  }

  async function deliverEvent({ id, event }: DueEvent): Promise<void> {
    if (event.kind === 'paired') await pair(event)
    else if (event.kind === 'unpaired') await end('LOGGED_OUT')
    else if (event.kind === 'banned') await end('BANNED')
    else if (event.kind === 'receipt') await listener.onReceipts([event.receipt])
    else if (event.kind === 'happening') await listener.onEvents([{ ...event.happening, id }])
  }

  repeat('starting', start)
  const parts = { db, clock, scope, instanceId, world, groups, self: requireSelf }
  return {
    canDeliver: () => !closed && started && (connected || !self),
    async deliver(due, onCommitted) {
      // Consecutive messages are delivered as one batch, every other event alone, in the order of the queue.
      for (let rest = due; rest.length > 0;) {
        const run = rest.findIndex(({ event }) => event.kind !== 'received')
        const dueNow = run === 0 ? rest.slice(0, 1) : rest.slice(0, run < 0 ? rest.length : run)
        const messages = dueNow.flatMap(({ event }) =>
          event.kind === 'received' ? asDelivered(event.message) : [],
        )
        if (messages.length > 0) await listener.onMessages(messages)
        else for (const one of dueNow) await deliverEvent(one)
        await onCommitted(dueNow.map(({ id }) => id))
        rest = rest.slice(dueNow.length)
      }
    },
    async requestCode() {
      if (!self) await codes.begin()
    },
    requestPairingCode: async () => (self ? null : codes.requestTyped()),
    async send(messages) {
      const me = requireSelf()
      let batch: OutboundMessage[] = []
      for (const message of messages) {
        if (message.typingMs > 0) {
          if (batch.length > 0) await routeBatch(batch, me)
          batch = []
          showTyping(message)
          await Promise.race([delay(clock, message.typingMs), ending.promise])
        }
        batch.push(message)
      }
      // If the session was closed during a typing delay, the rest is still unsent and the caller retries it.
      if (!connected)
        throw new Error(`cannot send: instance ${instanceId} disconnected from the simulator`)
      await routeBatch(batch, me)
      return []
    },
    // Virtual phones do not show read receipts of instances.
    markRead: async () => null,
    async showPresence({ chatId, state }) {
      requireSelf()
      const typingMs = state === 'paused' ? 0 : PRESENCE_MS
      showTyping({ chatId, typingMs, recording: state === 'recording' })
      return null
    },
    lookUp: ({ phones }) => lookUp(db, scope, phones),
    async edit({ text, ...message }) {
      await world.change(db, scope, requireSelf(), { ...message, byInstance: instanceId }, { text })
      return null
    },
    async revoke({ chatId, waMessageId, sentAt }) {
      const change = { chatId, waMessageId, sentAt, byInstance: instanceId }
      await world.change(db, scope, requireSelf(), change, 'deleted')
      return null
    },
    ...createGroupAndLabelCommands(parts),
    ...createChatCommands(parts),
    requestHistory: history.requestHistory,
    ...createSimulatedTemplates(account.credentials),
    ...createSimulatedProfiles({ db, scope, groups, self: requireSelf }),
    async rejectCall({ callId }) {
      if (!(await endCall(db, scope, callId, 'rejected'))) throw new NetworkRejection('unknown')
      return null
    },
    download: (source) => files.open(scope, (source as { mediaId: string }).mediaId),
    async logout() {
      self = null
      return unlinkInstance(db, instanceId)
    },
    async close() {
      closed = true
      connected = false
      timer?.cancel()
      ending.resolve()
      codes.stop()
      await codes.withdraw()
    },
  }
}
