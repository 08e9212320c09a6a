import type { BaileysEventMap, WAMessageKey, WASocket } from 'baileys'
import type { Logger } from 'pino'
import type { Activity } from '../../lib/activity.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import { random } from '../../lib/ids.ts'
import type { NetworkAccount, NetworkListener, NetworkSession } from '../network.port.ts'
import {
  createAuthState,
  isBusiness,
  loadAuthState,
  saveMutations,
  SENT,
  type AuthState,
} from './auth-state.ts'
import type { Baileys } from './baileys.ts'
import { endingOf } from './close-codes.ts'
import { createCommands } from './commands.ts'
import { createEar, type Ear } from './ear.ts'
import type { WhatsAppMedia } from './media.ts'
import { openLine, type LineSettings } from './line.ts'
import { toParty } from './people.ts'
import { createTeller, type Teller } from './teller.ts'
import { createValve, type Valve } from './valve.ts'

const FIRST_CODE_MS = 60_000
const NEXT_CODE_MS = 20_000
const CODES = 6
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 60_000
const YIELD_MS = 30_000

/** What stands behind a session while its line lives; another line has its own. */
type Life = {
  valve: Valve
  teller: Teller
  ear: Ear
  state: AuthState
  socket: WASocket | null
}

/** One account's session on WhatsApp: its lines, one after the other, until it is closed. */
export function openSession(deps: {
  baileys: Baileys
  clock: Clock
  activity: Activity
  logger: Logger
  settings: LineSettings
  account: NetworkAccount
  listener: NetworkListener
  media: WhatsAppMedia
  onError: (error: unknown) => void
}): NetworkSession {
  const { baileys, clock, activity, logger, settings, account, listener, media, onError } = deps
  let life: Life | null = null
  let closed = false
  let codes = 0
  let retries = 0
  let yielded = false
  let timer: Timer | null = null
  const names = new Map<string, string>()

  const inBackground = (work: () => Promise<void>) => void activity.run(work).catch(onError)

  async function connect(): Promise<void> {
    if (closed) return
    const loaded = await loadAuthState(baileys, account.credentials)
    if (closed) return
    const valve = createValve({
      clock,
      save: (mutations) => saveMutations(baileys, account.credentials, mutations),
      onError: (error) => {
        onError(error)
        void life?.socket?.end(undefined)
      },
    })
    const teller = createTeller({ clock, listener, onError })
    const state = createAuthState(baileys, loaded, valve)
    const self = () => toParty([state.creds.me?.id, state.creds.me?.lid])
    const findPoll = (id: string) => sentBefore({ id })
    const ear = createEar({ baileys, clock, valve, teller, self, names, findPoll })
    const mine: Life = { valve, teller, ear, state, socket: null }
    life = mine
    mine.socket = openLine({
      ...{ baileys, settings, state, valve, logger },
      getMessage: (key) => sentBefore(key),
      events: {
        event(name, value) {
          if (life === mine) hear(mine, name, value)
        },
        acknowledged(stanza) {
          if (life === mine) ear.acknowledged(stanza)
        },
        inGroup(stanza) {
          if (life === mine) ear.groupNews(stanza)
        },
      },
    })
  }

  async function sentBefore(key: WAMessageKey) {
    const bytes = await account.credentials.read(SENT, key.id ?? '')
    return bytes ? baileys.proto.Message.decode(bytes) : undefined
  }

  function hear(mine: Life, name: keyof BaileysEventMap, value: unknown): void {
    switch (name) {
      case 'connection.update':
        return moved(mine, value as BaileysEventMap['connection.update'])
      case 'creds.update':
        return mine.state.update(value as BaileysEventMap['creds.update'])
      default:
        mine.ear.event(name, value)
    }
  }

  function moved(mine: Life, update: BaileysEventMap['connection.update']): void {
    if (update.qr) {
      const life = codes++ === 0 ? FIRST_CODE_MS : NEXT_CODE_MS
      const at = clock.now()
      const { qr: code } = update
      inBackground(() => listener.code({ code, at, expiresAt: at + life }))
    }
    if (update.connection === 'open') inBackground(() => opened(mine))
    if (update.connection === 'close') {
      const error = update.lastDisconnect?.error as { output?: { statusCode?: number } } | undefined
      inBackground(() => ended(mine, error?.output?.statusCode))
    }
  }

  async function opened(mine: Life): Promise<void> {
    retries = 0
    yielded = false
    await mine.valve.settled()
    if (life === mine) await listener.status({ status: 'CONNECTED' })
  }

  /** A line is over. What it had not kept is forgotten with it: the network tells it again on the next one. */
  async function ended(mine: Life, code: number | undefined): Promise<void> {
    if (life !== mine || closed) return
    const paired = mine.state.paired()
    // Credentials that the telephone has just signed are kept before the next line reads them.
    await mine.valve.settled()
    drop(mine)
    const ending = endingOf(code, paired || codes < CODES)
    switch (ending.next) {
      case 'restart':
        if (paired) await tellPaired(mine.state)
        return connect()
      case 'codes_expired':
        return listener.status({ status: 'CODES_EXPIRED' })
      case 'log_out':
        await account.credentials.clear()
        return listener.status({ status: 'LOGGED_OUT', reason: ending.reason })
      case 'ban':
        await account.credentials.clear()
        return listener.status({ status: 'BANNED', reason: ending.reason, restrictedUntil: null })
      case 'outdated':
        return listener.status({ status: 'DISCONNECTED', reason: 'client_outdated' })
      case 'yield':
        await listener.status({ status: 'DISCONNECTED', reason: 'replaced' })
        if (!yielded) again(YIELD_MS)
        yielded = true
        return
      case 'retry':
        if (paired) await listener.status({ status: 'DISCONNECTED', reason: 'network' })
        // Full jitter: a fleet that lost its network does not come back in one moment.
        return again(random() * Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** retries++))
    }
  }

  function again(ms: number): void {
    timer?.cancel()
    if (!closed) timer = clock.after(ms, () => inBackground(connect))
  }

  function drop(mine: Life): void {
    mine.valve.close()
    mine.teller.close()
    if (life === mine) life = null
  }

  async function tellPaired({ creds }: AuthState): Promise<void> {
    const { phone, lid } = toParty([creds.me?.id, creds.me?.lid])
    if (!phone) return
    const business = isBusiness(creds)
    const profileName = creds.me?.name ?? ''
    await listener.status({ status: 'PAIRED', phone, lid, profileName, business })
  }

  inBackground(connect)
  return {
    ...createCommands({
      ...{ baileys, clock, media },
      line: () => (life?.socket ? { ...life, socket: life.socket } : null),
      report: (receipt) => life?.ear.report(receipt),
    }),
    async requestCode() {
      if (life || closed) return
      codes = 0
      await connect()
    },
    async logout() {
      const mine = life
      if (!mine?.socket || !mine.state.paired()) return false
      const { socket, state } = mine
      const jid = state.creds.me?.id ?? ''
      const device = { tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }
      const attrs = { to: 's.whatsapp.net', type: 'set', xmlns: 'md' }
      // Unlike the engine's own logout, this waits for the answer.
      const answer = await socket.query({ tag: 'iq', attrs, content: [device] }).catch(onError)
      drop(mine)
      void socket.end(undefined)
      return answer !== undefined
    },
    async close() {
      closed = true
      timer?.cancel()
      const mine = life
      if (!mine) return
      drop(mine)
      void mine.socket?.end(undefined)
    },
  }
}
