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
/** A hanging connection occupies its slot of the gate no longer than this. */
const PATIENCE_MS = 10_000
/** Reconnect delay after another client replaced this one; if replaced again within CONTEST_MS, stay disconnected. */
const YIELD_MS = 30_000
const CONTEST_MS = 600_000

/** Opens one account's WhatsApp session, which uses one connection after another until it is closed. */
export function openSession(deps: {
  clock: Clock
  activity: PendingWork
  logger: Logger
  settings: LineSettings
  egress: Egress
  policy: AddressPolicy
  /** Limits how many sessions connect at once, so that a starting fleet does not slow itself down. */
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

  /** Retries even if no connection could be attempted, for example because the database is down. */
  const connect = () =>
    gate(openNext).catch((error: unknown) => {
      onError(error)
      if (life) drop(life)
      tryLater()
    })

  /** Retries until persisted, or the status change would be lost. */
  const say = (work: () => Promise<void>) =>
    retryUntil({ clock, over: () => closed, onError }, work)

  /** Resolves when the connection needs no more time of the gate, at the latest after PATIENCE_MS. */
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
    // The phone has just provided the key of the account's lists, so their existing content is read once.
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
    // Reports groups joined before the pairing and changes missed while no session was open.
    mine.ear.tellGroups(await mine.groups.all())
    toldGroups = true
  }

  /** The connection has closed: discards unsaved state, which the network delivers again on the next connection. */
  async function ended(mine: Life, error: Boom | undefined): Promise<void> {
    if (life !== mine || closed) return
    const paired = mine.state.paired()
    const told = paired ? toPaired(mine.state.creds) : null
    // Credentials that the phone has just signed must be stored before the next connection loads them.
    await mine.valve.settled()
    if (life !== mine || closed) return
    drop(mine)
    const code = error?.output?.statusCode
    const ending = endingOf(code, paired || codes < CODES)
    logger.info({ code, why: error?.message, next: ending.next }, 'connection to WhatsApp closed')
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

  /** Retries until persisted, unless a new connection has made the status obsolete. */
  const lost = (reason: 'network' | 'replaced' | 'client_outdated', willReconnect: boolean) =>
    say(async () => {
      if (!life) await listener.status({ status: 'DISCONNECTED', reason, willReconnect })
    })

  const banned = (restrictedUntil: number | null) =>
    say(() => listener.status({ status: 'BANNED', reason: 'banned', restrictedUntil }))

  /** Full jitter avoids a reconnect stampede after a network outage. */
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

  /** WhatsApp requires a passkey from the owner, which only a browser can provide: the pairing fails. */
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
