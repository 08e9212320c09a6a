import type { BaileysEventMap } from 'baileys'
import type { Logger } from 'pino'
import type { AddressPolicy } from '../../kernel/address-policy.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock, Timer } from '../../kernel/clock.ts'
import { random } from '../../kernel/ids.ts'
import { retryUntil } from '../../kernel/retry-until.ts'
import type { Egress } from '../../platform/egress/safe-fetch.ts'
import type { NetworkAccount, NetworkListener, NetworkSession } from '../network.port.ts'
import { loadAuthState, toPaired } from './auth-state.ts'
import { loadBaileys } from './baileys.ts'
import { banOf, endingOf, type Boom } from './close-codes.ts'
import { createCommands } from './commands.ts'
import { createLife, type Life } from './life.ts'
import type { LineSettings } from './line.ts'
import { createWhatsAppMedia } from './media.ts'
import { createPreviews } from './previews.ts'
import { createRestrictions } from './restrictions.ts'
import { unpair } from './unpair.ts'

const FIRST_CODE_MS = 60_000
const NEXT_CODE_MS = 20_000
const CODES = 6
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 60_000
/** A line that hangs keeps no other from coming up for longer. */
const PATIENCE_MS = 10_000
/** Whoever took the account's place is given this long; if it takes it again within the other, it may keep it. */
const YIELD_MS = 30_000
const CONTEST_MS = 600_000

/** One account's session on WhatsApp: its lines, one after the other, until it is closed. */
export function openSession(deps: {
  clock: Clock
  activity: PendingWork
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
  const { clock, activity, settings, gate, account, listener, onError } = deps
  const logger = deps.logger.child({ instanceId: account.instanceId })
  const door = deps.egress.viaProxy(account.settings.proxyUrl)
  const previews = createPreviews({ clock, policy: deps.policy, client: door })
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
  const socketNow = () => life?.socket ?? null
  const restrictions = createRestrictions({ socketNow, tell: listener.restricted })

  /** A line that cannot even be tried, because the database is away, is tried again. */
  const connect = () =>
    gate(openNext).catch((error: unknown) => {
      onError(error)
      if (life) drop(life)
      tryLater()
    })

  /** Says it until it is stored: nobody would hear of it otherwise. */
  const say = (work: () => Promise<void>) =>
    retryUntil({ clock, over: () => closed, onError }, work)

  /** Resolves once the line has begun, or has taken too long for others to wait. */
  async function openNext(): Promise<void> {
    if (closed || life) return
    const baileys = await loadBaileys(settings.rootKey, clock)
    const loaded = await loadAuthState(baileys, account.credentials)
    if (closed || life) return
    const { promise, resolve: begun } = Promise.withResolvers<void>()
    const patience = clock.after(PATIENCE_MS, begun)
    const mine = createLife({
      baileys,
      clock,
      settings,
      door,
      logger,
      account,
      listener,
      loaded,
      names,
      begun,
      isCurrent: () => life === mine,
      onEvent: (name, value) => hear(mine, name, value),
      onRefused: (code) => inBackground(() => restrictions.refused(code)),
      onTaken: () => inBackground(() => restrictions.taken()),
      onPasskeyAsked: () => inBackground(() => passkeyAsked(mine)),
      inBackground,
      onError,
    })
    life = mine
    mine.open()
    await promise
    patience.cancel()
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
    await say(async () => {
      if (life === mine) await listener.status({ status: 'CONNECTED' })
    })
    if (toldGroups || life !== mine) return
    // Those that it was put into before it was paired, or that changed while nobody had it open.
    mine.ear.tellGroups(await mine.groups.all())
    toldGroups = true
  }

  /** A line is over. What it had not kept is forgotten with it: the network tells it again on the next one. */
  async function ended(mine: Life, error: Boom | undefined): Promise<void> {
    if (life !== mine || closed) return
    const paired = mine.state.paired()
    const told = paired ? toPaired(mine.state.creds) : null
    // Credentials that the telephone has just signed are kept before the next line reads them.
    await mine.valve.settled()
    if (life !== mine || closed) return
    drop(mine)
    const code = error?.output?.statusCode
    const ending = endingOf(code, paired || codes < CODES)
    logger.info({ code, why: error?.message, next: ending.next }, 'a line to WhatsApp ended')
    switch (ending.next) {
      case 'restart':
        if (told) await say(() => listener.status(told))
        return connect()
      case 'codes_expired':
        return say(() => listener.status({ status: 'CODES_EXPIRED' }))
      case 'log_out':
        await say(() => account.credentials.clear())
        return say(() => listener.status({ status: 'LOGGED_OUT', reason: ending.reason }))
      case 'ban':
        await say(() => account.credentials.clear())
        return banned(null)
      case 'suspend': {
        const ms = banOf(error)
        return banned(ms === null ? null : clock.now() + ms)
      }
      case 'outdated':
        return lost('client_outdated', false)
      case 'yield': {
        const again = clock.monotonic() - yieldedAt > CONTEST_MS
        yieldedAt = clock.monotonic()
        if (again) later(YIELD_MS)
        return lost('replaced', again)
      }
      case 'retry':
        tryLater()
        return paired ? lost('network', true) : undefined
    }
  }

  /** Said until it is stored, or until it is no more so. */
  const lost = (reason: 'network' | 'replaced' | 'client_outdated', willReconnect: boolean) =>
    say(async () => {
      if (!life) await listener.status({ status: 'DISCONNECTED', reason, willReconnect })
    })

  const banned = (restrictedUntil: number | null) =>
    say(() => listener.status({ status: 'BANNED', reason: 'banned', restrictedUntil }))

  /** Full jitter: a fleet that lost its network does not come back in one moment. */
  function tryLater(): void {
    later(random() * Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** retries++))
  }

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
    await say(() => listener.status({ status: 'PASSKEY_REQUIRED' }))
  }

  inBackground(connect)
  return {
    ...createCommands({
      clock,
      logger,
      media,
      previews,
      line: () =>
        life?.socket
          ? {
              ...life,
              socket: life.socket,
            }
          : null,
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
      const confirmed = await unpair(socket, state).catch(onError)
      drop(mine)
      void socket.end(undefined)
      return confirmed !== undefined
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
