import type { BaileysEventMap, BinaryNode, WAMessageKey, WASocket } from 'baileys'
import type { Logger } from 'pino'
import type { AddressPolicy } from '../../lib/address-policy.ts'
import type { Activity } from '../../lib/activity.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import { random } from '../../lib/ids.ts'
import type { Egress } from '../../lib/safe-fetch.ts'
import type { NetworkAccount, NetworkListener, NetworkSession } from '../network.port.ts'
import {
  createAuthState,
  isBusiness,
  loadAuthState,
  saveMutations,
  SENT,
  type AuthState,
} from './auth-state.ts'
import { loadBaileys, type Baileys } from './baileys.ts'
import { endingOf } from './close-codes.ts'
import { createCommands } from './commands.ts'
import { createEar, type Ear } from './ear.ts'
import { createKnownGroups, type KnownGroups } from './known-groups.ts'
import { openLine, type LineSettings } from './line.ts'
import { createWhatsAppMedia } from './media.ts'
import { toParty } from './people.ts'
import { createPreviews } from './previews.ts'
import { createRestrictions } from './restrictions.ts'
import { createTeller, type Teller } from './teller.ts'
import { createValve, type Valve } from './valve.ts'

const FIRST_CODE_MS = 60_000
const NEXT_CODE_MS = 20_000
const CODES = 6
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 60_000
/** Whoever took the account's place is given this long; if it takes it again within the other, it may keep it. */
const YIELD_MS = 30_000
const CONTEST_MS = 600_000

/** What stands behind a session while its line lives; another line has its own. */
type Life = {
  baileys: Baileys
  valve: Valve
  teller: Teller
  ear: Ear
  state: AuthState
  groups: KnownGroups
  socket: WASocket | null
  /** It has come as far as it can by itself: connected, over, or waiting for a telephone. */
  begun: () => void
}

/** One account's session on WhatsApp: its lines, one after the other, until it is closed. */
export function openSession(deps: {
  clock: Clock
  activity: Activity
  logger: Logger
  settings: LineSettings
  egress: Egress
  policy: AddressPolicy
  /** Lets a few sessions at a time come up: a fleet that starts would stand in its own way. */
  gate: (work: () => Promise<void>) => Promise<void>
  account: NetworkAccount
  listener: NetworkListener
  onError: (error: unknown) => void
}): NetworkSession {
  const { clock, activity, logger, settings, gate, account, listener, onError } = deps
  const door = deps.egress.through(account.settings.proxyUrl)
  const previews = createPreviews({ clock, policy: deps.policy, door })
  const media = createWhatsAppMedia({ clock, door, ownHost: settings.url?.hostname ?? null })
  let life: Life | null = null
  let closed = false
  let codes = 0
  let retries = 0
  let yieldedAt = -Infinity
  let toldGroups = false
  let timer: Timer | null = null
  const names = new Map<string, string>()

  const inBackground = (work: () => Promise<void>) => void activity.run(work).catch(onError)
  const restrictions = createRestrictions({
    socketNow: () => life?.socket ?? null,
    tell: (restriction) => listener.restricted(restriction),
  })

  const connect = () => gate(openNext)

  /** Resolves once the line has begun. */
  async function openNext(): Promise<void> {
    if (closed || life) return
    const baileys = await loadBaileys(settings.rootKey)
    const loaded = await loadAuthState(baileys, account.credentials)
    if (closed) return
    const valve = createValve({
      clock,
      save: (mutations) => saveMutations({ baileys, clock }, account.credentials, mutations),
      onError: (error) => {
        onError(error)
        void life?.socket?.end(undefined)
      },
    })
    const teller = createTeller({ clock, listener, onError })
    const state = createAuthState(baileys, loaded, valve)
    const self = () => toParty([state.creds.me?.id, state.creds.me?.lid])
    const findPoll = (id: string) => sentBefore(baileys, { id })
    const groups = createKnownGroups(() => mine.socket)
    const ear = createEar({
      ...{ baileys, clock, valve, teller, self, names, findPoll, groups },
      onRefused: (code) => inBackground(() => restrictions.refused(code)),
      onTaken: () => inBackground(() => restrictions.taken()),
      inBackground,
    })
    const { promise, resolve: begun } = Promise.withResolvers<void>()
    const mine: Life = { baileys, valve, teller, ear, state, groups, socket: null, begun }
    life = mine
    const still = (work: (stanza: BinaryNode) => void) => (stanza: BinaryNode) => {
      if (life === mine) work(stanza)
    }
    mine.socket = openLine({
      ...{ baileys, clock, settings, door, state, valve, logger, groups },
      getMessage: (key) => sentBefore(baileys, key),
      events: {
        event(name, value) {
          if (life === mine) hear(mine, name, value)
        },
        acknowledged: still(ear.acknowledged),
        inGroup: still(ear.groupNews),
        passkeyAsked: still(() => inBackground(() => passkeyAsked(mine))),
      },
    })
    await promise
  }

  async function sentBefore(baileys: Baileys, key: WAMessageKey) {
    const bytes = await account.credentials.read(SENT, key.id ?? '')
    return bytes ? baileys.proto.Message.decode(bytes) : undefined
  }

  function hear(mine: Life, name: keyof BaileysEventMap, value: unknown): void {
    switch (name) {
      case 'connection.update':
        return moved(mine, value as BaileysEventMap['connection.update'])
      case 'creds.update':
        return learned(mine, value as BaileysEventMap['creds.update'])
      default:
        mine.ear.event(name, value)
    }
  }

  function learned(mine: Life, changed: BaileysEventMap['creds.update']): void {
    mine.state.update(changed)
    if (!changed.myAppStateKeyId) return
    // The telephone has just given the key of the account's lists: what they hold already is read once.
    const { ALL_WA_PATCH_NAMES: lists } = mine.baileys
    inBackground(async () => mine.socket?.resyncAppState(lists, true))
  }

  function moved(mine: Life, update: BaileysEventMap['connection.update']): void {
    const { qr: code, connection, reachoutTimeLock } = update
    if (code) {
      const life = codes++ === 0 ? FIRST_CODE_MS : NEXT_CODE_MS
      const at = clock.now()
      mine.begun()
      inBackground(() => listener.code({ code, at, expiresAt: at + life }))
    }
    if (connection === 'open') inBackground(() => opened(mine))
    if (reachoutTimeLock) inBackground(() => restrictions.told(reachoutTimeLock))
    if (connection === 'close') {
      const error = update.lastDisconnect?.error as Boom | undefined
      inBackground(() => ended(mine, error))
    }
  }

  async function opened(mine: Life): Promise<void> {
    retries = 0
    await mine.valve.settled()
    mine.begun()
    if (life !== mine) return
    await listener.status({ status: 'CONNECTED' })
    if (toldGroups) return
    // Those that it was put into before it was paired, or that changed while nobody had it open.
    mine.ear.tellGroups(await mine.groups.all())
    toldGroups = true
  }

  /** A line is over. What it had not kept is forgotten with it: the network tells it again on the next one. */
  async function ended(mine: Life, error: Boom | undefined): Promise<void> {
    if (life !== mine || closed) return
    const paired = mine.state.paired()
    // Credentials that the telephone has just signed are kept before the next line reads them.
    await mine.valve.settled()
    drop(mine)
    const ending = endingOf(error?.output?.statusCode, paired || codes < CODES)
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
        return listener.status({ status: 'BANNED', reason: 'banned', restrictedUntil: null })
      case 'suspend': {
        const seconds = Number(error?.data?.['expire'] ?? Number.NaN)
        const restrictedUntil = Number.isFinite(seconds) ? clock.now() + seconds * 1000 : null
        return listener.status({ status: 'BANNED', reason: 'banned', restrictedUntil })
      }
      case 'outdated':
        return lost('client_outdated', false)
      case 'yield': {
        const again = clock.monotonic() - yieldedAt > CONTEST_MS
        yieldedAt = clock.monotonic()
        await lost('replaced', again)
        return again ? later(YIELD_MS) : undefined
      }
      case 'retry':
        if (paired) await lost('network', true)
        // Full jitter: a fleet that lost its network does not come back in one moment.
        return later(random() * Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** retries++))
    }
  }

  const lost = (reason: 'network' | 'replaced' | 'client_outdated', willReconnect: boolean) =>
    listener.status({ status: 'DISCONNECTED', reason, willReconnect })

  function later(ms: number): void {
    timer?.cancel()
    if (!closed) timer = clock.after(ms, () => inBackground(connect))
  }

  function drop(mine: Life): void {
    mine.valve.close()
    mine.teller.close()
    mine.begun()
    if (life === mine) life = null
  }

  /** Whoever scanned the code has to prove himself once more, with a key that lives in browsers. */
  async function passkeyAsked(mine: Life): Promise<void> {
    if (mine.state.paired()) return
    drop(mine)
    void mine.socket?.end(undefined)
    await listener.status({ status: 'PASSKEY_REQUIRED' })
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
      ...{ clock, media, previews },
      line: () => (life?.socket ? { ...life, socket: life.socket } : null),
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
      if (mine) drop(mine)
      void mine?.socket?.end(undefined)
      await door.close()
    },
  }
}

/** What the engine says of the end of a line. */
type Boom = { output?: { statusCode?: number }; data?: Record<string, string> | null }
