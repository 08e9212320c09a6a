import { randomBytes } from 'node:crypto'
import type { Db } from '../../db/sql.ts'
import type { Activity } from '../../lib/activity.ts'
import { delay, type Clock, type Timer } from '../../lib/clock.ts'
import type {
  NetworkAccount,
  NetworkListener,
  NetworkSession,
  OutboundMessage,
  Receipt,
} from '../network.port.ts'
import { behaviourOf, DROPPED_MS } from './magic-numbers.ts'
import { judgeSend, toInbound, toInbox, type Self } from './judge-send.ts'
import {
  dropPairing,
  enqueueEvents,
  findPhones,
  insertInbox,
  isLinked,
  savePairing,
  unlinkInstance,
  type SimulatorEvent,
} from './simulator.sql.ts'

/** How long each code can be scanned; six, then it is over (contract §2.1). */
const CODE_LIVES_MS = [60_000, 20_000, 20_000, 20_000, 20_000, 20_000]
const TELL_AGAIN_MS = 1000
const DEVICE = 'device'

export type SimulatorSession = NetworkSession & {
  /** Whether what waits for the instance can be told now. */
  online(): boolean
  /** Whether the account has a phone. */
  hear(events: SimulatorEvent[]): Promise<void>
}

/** One account's connection to the simulated network. */
export function openSession(deps: {
  db: Db
  clock: Clock
  activity: Activity
  account: NetworkAccount
  listener: NetworkListener
  /** Wakes whoever tells instances what waits for them. */
  wake: (instanceId: string) => void
  onError: (error: unknown) => void
}): SimulatorSession {
  const { db, clock, activity, account, listener, wake, onError } = deps
  const { instanceId, projectId, mode } = account
  const scope = { projectId, mode }
  let self: Self | null = null
  let connected = false
  let closed = false
  let timer: Timer | null = null
  let codesUsed = 0
  const ending = Promise.withResolvers<void>()

  const inBackground = (work: () => Promise<void>) => void activity.run(work).catch(onError)

  async function begin(): Promise<void> {
    const stored = (await account.credentials.load(DEVICE)).get('self')
    if (closed) return
    if (stored && (await isLinked(db, instanceId))) {
      self = JSON.parse(stored.toString()) as Self
      await connect()
    } else if (stored) {
      await logOut()
    } else {
      await offerCode()
    }
  }

  async function connect(): Promise<void> {
    if (closed) return
    connected = true
    await listener.status({ status: 'CONNECTED' })
    wake(instanceId)
  }

  async function offerCode(): Promise<void> {
    timer?.cancel()
    if (closed || self) return
    const life = CODE_LIVES_MS[codesUsed++]
    if (life === undefined) {
      await dropPairing(db, instanceId)
      await listener.status({ status: 'CODES_EXPIRED' })
      return
    }
    const code = `2@${randomBytes(48).toString('base64')}`
    const at = clock.now()
    const expiresAt = at + life
    // Before anything that may fail: the next code must come whatever becomes of this one.
    timer = clock.after(life, () => inBackground(offerCode))
    await savePairing(db, scope, { instanceId, code, expiresAt: new Date(expiresAt) })
    await listener.code({ code, at, expiresAt })
    // A scan that came before this node knew of it is found now.
    wake(instanceId)
  }

  async function logOut(): Promise<void> {
    self = null
    connected = false
    await account.credentials.clear()
    await listener.status({ status: 'LOGGED_OUT', reason: 'device_removed' })
  }

  async function pair(event: Extract<SimulatorEvent, { kind: 'paired' }>): Promise<void> {
    timer?.cancel()
    const { phone, lid, name, business } = event
    self = { phone, lid, name }
    const value = Buffer.from(JSON.stringify(self))
    await account.credentials.save([{ kind: DEVICE, id: 'self', value }])
    await listener.status({ status: 'PAIRED', phone, lid, profileName: name, business })
    await connect()
  }

  async function drop(): Promise<void> {
    connected = false
    timer = clock.after(DROPPED_MS, () => inBackground(connect))
    await listener.status({ status: 'DISCONNECTED', reason: 'network' })
  }

  async function hand(batch: OutboundMessage[], me: Self): Promise<void> {
    const keys = batch.flatMap(({ chatId }) => [chatId, chatId.split('@')[0] ?? ''])
    const rows = await findPhones(db, scope, [...new Set(keys)])
    const phones = new Map(
      rows.flatMap((row) => [[row.phone, row] as const, [row.lid, row] as const]),
    )
    const now = clock.now()
    const outcomes = batch.map((message) => ({ message, ...judgeSend(message, phones, me, now) }))
    const inbox = outcomes.flatMap(({ message, target }) =>
      target ? [toInbox(message, target, me, instanceId, now)] : [],
    )
    const events = outcomes.flatMap(({ message, target, later }) => [
      ...later.map(({ inMs, event }) => ({ instanceId, dueAt: new Date(now + inMs), event })),
      ...(target?.instanceIds ?? []).map((linked) => ({
        instanceId: linked,
        dueAt: new Date(now),
        event: { kind: 'received' as const, message: toInbound(message, me, now) },
      })),
    ])
    if (inbox.length > 0 || events.length > 0) {
      await db.transaction(async (tx) => {
        if (inbox.length > 0) await insertInbox(tx, inbox)
        if (events.length > 0) await enqueueEvents(tx, events)
      })
      for (const id of new Set(events.map((event) => event.instanceId))) wake(id)
    }
    inBackground(() => report(outcomes.flatMap((outcome) => outcome.now)))
    if (outcomes.some((outcome) => outcome.drops)) await drop()
  }

  /** Like any network, this one tells again what was not heard. */
  async function report(receipts: Receipt[]): Promise<void> {
    while (!closed) {
      try {
        await listener.receipts(receipts)
        return
      } catch (error) {
        onError(error)
        await Promise.race([delay(clock, TELL_AGAIN_MS), ending.promise])
      }
    }
  }

  async function tell(event: SimulatorEvent): Promise<void> {
    if (event.kind === 'paired') await pair(event)
    else if (event.kind === 'unpaired') await logOut()
    else if (event.kind === 'receipt') await listener.receipts([event.receipt])
    else await listener.received([event.message])
  }

  inBackground(begin)
  return {
    online: () => !closed && (connected || !self),
    async hear(events) {
      const messages = events.flatMap((event) => (event.kind === 'received' ? [event.message] : []))
      // A run of messages is told at once; anything else keeps its place in the order.
      if (messages.length === events.length) await listener.received(messages)
      else for (const event of events) await tell(event)
    },
    async requestCode() {
      if (!self && codesUsed > CODE_LIVES_MS.length) codesUsed = 0
      if (!self && codesUsed === 0) await offerCode()
    },
    async requestPairingCode() {
      if (self) return null
      const letters = randomBytes(8).toString('hex').toUpperCase().slice(0, 8)
      const code = `${letters.slice(0, 4)}-${letters.slice(4)}`
      const expiresAt = clock.now() + (CODE_LIVES_MS[0] ?? 0)
      await savePairing(db, scope, { instanceId, code, expiresAt: new Date(expiresAt) })
      return { code, expiresAt }
    },
    async send(messages) {
      if (!self || !connected) throw new Error('not connected')
      const me = self
      let batch: OutboundMessage[] = []
      for (const message of messages) {
        if (message.typingMs > 0) {
          if (batch.length > 0) await hand(batch, me)
          batch = []
          await Promise.race([delay(clock, message.typingMs), ending.promise])
        }
        batch.push(message)
      }
      // Whoever closed meanwhile finds the message still unsent, and sends it again.
      if (!connected) throw new Error('not connected')
      await hand(batch, me)
    },
    markRead: async () => {},
    async lookUp(inputs) {
      const rows = await findPhones(db, scope, inputs)
      return inputs.map((input) => {
        const exists = behaviourOf(input) !== 'not_on_network'
        const lid = rows.find((row) => row.phone === input)?.lid ?? null
        return { input, exists, phone: exists ? input : null, lid: exists ? lid : null }
      })
    },
    async logout() {
      self = null
      return unlinkInstance(db, instanceId)
    },
    async close() {
      closed = true
      connected = false
      timer?.cancel()
      ending.resolve()
      if (!self) await dropPairing(db, instanceId)
    },
  }
}
