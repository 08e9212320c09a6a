import type { BaileysEventMap } from 'baileys'
import type { Logger } from 'pino'
import type { AddressPolicy } from '../../kernel/address-policy.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock, Timer } from '../../kernel/clock.ts'
import { random } from '../../kernel/ids.ts'
import type { LoopTurns } from '../../kernel/loop-turns.ts'
import { retryUntil } from '../../kernel/retry-until.ts'
import type { Egress } from '../../platform/egress/safe-fetch.ts'
import type { NetworkListener } from '../network-events.port.ts'
import type { NetworkAccount, NetworkSession } from '../network.port.ts'
import { loadAuthState, identityOf } from './auth-state.ts'
import { loadBaileys } from './baileys.ts'
import type { ClientVersions } from './client-version.ts'
import { banDurationOf, closeActionOf, type EngineError } from './close-codes.ts'
import { createCommands } from './commands.ts'
import { createConnectionContext, newMemory, type ConnectionContext } from './connection-context.ts'
import type { WhatsAppSettings } from './connection.ts'
import { createWhatsAppMedia } from './media.ts'
import { createOfferedCodes } from './offered-codes.ts'
import { openHistory } from './open-history.ts'
import { createPreviews } from './previews.ts'
import { createReconnectDelay } from './reconnect-delay.ts'
import { createRestrictions } from './restrictions.ts'
import { unpair } from './unpair.ts'

/** A hanging connection occupies its connect slot no longer than this. */
const CONNECT_TIMEOUT_MS = 10_000
/** Reconnect delay after another client replaced this one; if replaced again within CONTEST_MS, stay disconnected. */
const REPLACED_RETRY_MS = 30_000
const REPLACED_WINDOW_MS = 600_000
/** Minimum reconnect delay (at most doubled by jitter) after WhatsApp has rejected the current client version. */
const OUTDATED_RETRY_MS = 120_000

/** Opens one account's WhatsApp session, which uses one connection after another until it is closed. */
export function openSession(deps: {
  clock: Clock
  activity: PendingWork
  logger: Logger
  settings: WhatsAppSettings
  versions: ClientVersions
  egress: Egress
  policy: AddressPolicy
  /** Limits how many sessions connect at once, so that a starting fleet does not slow itself down. */
  gate: (work: () => Promise<void>) => Promise<void>
  /** The turns in which the messages of all sessions are encrypted. */
  turns: LoopTurns
  account: NetworkAccount
  listener: NetworkListener
  onError: (error: unknown, task?: string) => void
}): NetworkSession {
  const { clock, activity, settings, versions, gate, account, listener, onError } = deps
  const logger = deps.logger.child({ instanceId: account.instanceId })
  const outboundClient = deps.egress.viaProxy(account.settings.proxyUrl)
  const previews = createPreviews({ clock, policy: deps.policy, client: outboundClient })
  const media = createWhatsAppMedia({
    clock,
    outboundClient: outboundClient,
    replacementHost: settings.url?.hostname ?? null,
  })
  let current: ConnectionContext | null = null
  let closed = false
  const codes = createOfferedCodes<ConnectionContext>(clock)
  const reconnectDelay = createReconnectDelay(clock)
  let yieldedAt = -Infinity
  let outdatedReported = false
  let groupsReported = false
  let timer: Timer | null = null
  const memory = newMemory()

  const inBackground = (work: () => Promise<void>) => void activity.run(work).catch(onError)
  const socketNow = () => current?.socket ?? null
  const history = openHistory({ ...deps, media, current: () => current, inBackground })
  const restrictions = createRestrictions({ socketNow, report: listener.onRestriction })

  /** Retries even if no connection could be attempted, for example because the database is down. */
  const connect = () =>
    gate(openNext).catch((error: unknown) => {
      onError(error, 'connecting')
      if (current) discard(current)
      retryWithBackoff()
    })

  /** Retries until persisted, or the status change would be lost. */
  const retryUntilStored = (work: () => Promise<void>) =>
    retryUntil({ clock, over: () => closed, task: 'storing the state', onError }, work)

  /** Opens a connection; resolves when its connect slot is free, at the latest after a timeout. */
  async function openNext(): Promise<void> {
    if (closed || current) return
    const baileys = await loadBaileys(settings.rootKey, clock)
    const loaded = await loadAuthState(baileys, account.credentials)
    if (closed || current) return
    const { promise, resolve: begun } = Promise.withResolvers<void>()
    const patience = clock.after(CONNECT_TIMEOUT_MS, begun)
    const ownConnection = createConnectionContext({
      baileys,
      clock,
      settings,
      version: versions.present(baileys.DEFAULT_CONNECTION_CONFIG.version),
      outboundClient: outboundClient,
      logger,
      account,
      listener,
      loaded,
      ...memory,
      history,
      begun,
      isCurrent: () => current === ownConnection,
      onEvent: (name, value) => onEvent(ownConnection, name, value),
      onRejected: (code) => inBackground(() => restrictions.rejected(code)),
      onAccepted: () => inBackground(() => restrictions.accepted()),
      onPasskeyRequired: () => inBackground(() => onPasskeyRequired(ownConnection)),
      inBackground,
      onError,
    })
    current = ownConnection
    ownConnection.open()
    await promise
    patience.cancel()
  }

  function onEvent(mine: ConnectionContext, name: keyof BaileysEventMap, value: unknown): void {
    switch (name) {
      case 'connection.update':
        return onConnectionUpdate(mine, value as BaileysEventMap['connection.update'])
      case 'creds.update':
        return onCredentials(mine, value as BaileysEventMap['creds.update'])
      default:
        mine.translator.event(name, value)
    }
  }

  function onCredentials(mine: ConnectionContext, changed: BaileysEventMap['creds.update']): void {
    mine.state.update(changed)
    if (!changed.myAppStateKeyId) return
    // The phone has just provided the key of the account's lists, so their existing content is read once.
    const { ALL_WA_PATCH_NAMES: lists } = mine.baileys
    inBackground(async () => mine.socket?.resyncAppState(lists, true))
  }

  function onConnectionUpdate(
    mine: ConnectionContext,
    update: BaileysEventMap['connection.update'],
  ): void {
    const { qr: code, connection, reachoutTimeLock } = update
    if (code) {
      mine.releaseGate()
      const valid = codes.add(mine)
      inBackground(() => listener.onCode({ code, ...valid }))
    }
    if (connection === 'open') inBackground(() => onOpen(mine))
    if (reachoutTimeLock) inBackground(() => restrictions.announced(reachoutTimeLock))
    if (connection === 'close') {
      const error = update.lastDisconnect?.error as EngineError | undefined
      inBackground(() => onClose(mine, error))
    }
  }

  async function onOpen(mine: ConnectionContext): Promise<void> {
    reconnectDelay.opened()
    outdatedReported = false
    await mine.barrier.flushed()
    mine.releaseGate()
    if (current !== mine) return
    await retryUntilStored(async () => {
      const identity = identityOf(mine.state.creds)
      if (current === mine) await listener.onStatus({ status: 'CONNECTED', identity })
    })
    inBackground(history.resume)
    if (groupsReported || current !== mine) return
    // Reports groups joined before the pairing and changes missed while no session was open.
    mine.groups.reportAll(mine.translator.tellGroups, () => (groupsReported = true))
  }

  /** The connection has closed: discards unsaved state, which the network delivers again on the next connection. */
  async function onClose(mine: ConnectionContext, error: EngineError | undefined): Promise<void> {
    if (current !== mine || closed) return
    const paired = mine.state.paired()
    const identity = paired ? identityOf(mine.state.creds) : null
    // Credentials that the phone has just signed must be stored before the next connection loads them.
    await mine.barrier.flushed()
    if (current !== mine || closed) return
    discard(mine)
    reconnectDelay.closed()
    const code = error?.output?.statusCode
    const ending = closeActionOf(code, paired || !codes.areOver())
    logger.info({ code, why: error?.message, next: ending.next }, 'connection to WhatsApp closed')
    switch (ending.next) {
      case 'restart':
        if (identity)
          await retryUntilStored(() => listener.onStatus({ status: 'PAIRED', ...identity }))
        return connect()
      case 'codes_expired':
        return retryUntilStored(() => listener.onStatus({ status: 'CODES_EXPIRED' }))
      case 'log_out':
        await retryUntilStored(() => account.credentials.clear())
        return retryUntilStored(() =>
          listener.onStatus({ status: 'LOGGED_OUT', reason: ending.reason }),
        )
      case 'ban':
        await retryUntilStored(() => account.credentials.clear())
        return reportBan(null)
      case 'suspend': {
        const ms = banDurationOf(error)
        return reportBan(ms === null ? null : clock.now() + ms)
      }
      case 'outdated': {
        if (await versions.replace(mine.version)) return connect()
        // An instance that is not paired yet waits for its user to start again.
        const again = paired && versions.followsWhatsApp
        if (again) scheduleConnect(OUTDATED_RETRY_MS * (1 + random()))
        const wasReported = outdatedReported
        outdatedReported = again
        return wasReported ? undefined : reportDisconnect('client_outdated', again)
      }
      case 'yield': {
        const again = clock.monotonic() - yieldedAt > REPLACED_WINDOW_MS
        yieldedAt = clock.monotonic()
        if (again) scheduleConnect(REPLACED_RETRY_MS)
        return reportDisconnect('replaced', again)
      }
      case 'retry':
        retryWithBackoff()
        return paired ? reportDisconnect('network', true) : undefined
    }
  }

  /** Retries until persisted, unless a new connection has made the status obsolete. */
  const reportDisconnect = (
    reason: 'network' | 'replaced' | 'client_outdated',
    willReconnect: boolean,
  ) =>
    retryUntilStored(async () => {
      if (!current) await listener.onStatus({ status: 'DISCONNECTED', reason, willReconnect })
    })

  const reportBan = (restrictedUntil: number | null) =>
    retryUntilStored(() =>
      listener.onStatus({ status: 'BANNED', reason: 'banned', restrictedUntil }),
    )

  const retryWithBackoff = () => scheduleConnect(reconnectDelay.next())

  function scheduleConnect(ms: number): void {
    timer?.cancel()
    if (!closed) timer = clock.after(ms, () => inBackground(connect))
  }

  function discard(mine: ConnectionContext): void {
    mine.barrier.close()
    mine.eventQueue.close()
    mine.releaseGate()
    if (current === mine) current = null
  }

  /** WhatsApp requires a passkey from the owner, which only a browser can provide: the pairing fails. */
  async function onPasskeyRequired(mine: ConnectionContext): Promise<void> {
    if (mine.state.paired()) return
    discard(mine)
    void mine.socket?.end(undefined)
    await retryUntilStored(() => listener.onStatus({ status: 'PASSKEY_REQUIRED' }))
  }

  inBackground(connect)
  return {
    ...createCommands({
      clock,
      logger,
      media,
      previews,
      takeTurn: () => deps.turns.next(account.projectId),
      whenCodesOffered: async () => (current?.state.paired() ? null : codes.whenOffered(current)),
      line: () => (current?.socket ? { ...current, socket: current.socket } : null),
    }),
    async requestCode() {
      if (current || closed) return
      codes.restart()
      await connect()
    },
    async logout() {
      const mine = current
      if (!mine?.socket || !mine.state.paired()) return false
      const { socket, state } = mine
      const confirmed = await unpair(socket, state).catch(onError)
      discard(mine)
      void socket.end(undefined)
      return confirmed !== undefined
    },
    async close() {
      closed = true
      timer?.cancel()
      history.close()
      const mine = current
      if (mine) discard(mine)
      void mine?.socket?.end(undefined)
      await outboundClient.close()
    },
  }
}
