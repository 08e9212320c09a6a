import type { IncomingMessage } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import type {
  AuthenticationState,
  BaileysEventMap,
  BinaryNode,
  SignalKeyStoreWithTransaction,
  WASocket,
} from 'baileys'
import type { Logger } from 'pino'
import type { Clock, Timer } from '../../kernel/clock.ts'
import type { OutboundClient } from '../../platform/egress/outbound-client.ts'
import type { Baileys } from './baileys.ts'
import type { ClientVersion } from './client-version.ts'
import type { AuthState } from './auth-state.ts'
import type { KeyGuard } from './key-guard.ts'
import type { GroupCache } from './group-cache.ts'
import { isSameParty } from './groups.ts'
import { toParty } from './people.ts'
import type { WriteBarrier } from './write-barrier.ts'
import { keepOnlyOwn } from './resend-cache.ts'

const QUERY_TIMEOUT_MS = 20_000
/** Creates the engine's error for a lost connection. */
const connectionLost = (why: string) =>
  Object.assign(new Error(why), { output: { statusCode: 428 } })
/** Pause after each request to resend an undecryptable message; the engine handles no other message during it. */
const RETRY_REQUEST_DELAY_MS = 50

/** A connection without any frame for this long, replies to pings included, is considered lost. */
const FRAME_TIMEOUT_MS = 45_000
const PING_INTERVAL_MS = 20_000
/** From dialing to an open WebSocket, proxy and TLS included. */
const HANDSHAKE_TIMEOUT_MS = 20_000

/** WhatsApp's address and the root key of its certificate, null for the real ones, and the client's version. */
export type WhatsAppSettings = {
  url: URL | null
  rootKey: Buffer | null
  /** The pinned version; null to follow WhatsApp's. */
  version: ClientVersion | null
  /** The page that names WhatsApp's current version; null for the web client's. */
  versionUrl: URL | null
}

/** Handlers for the events of one connection. */
export type ConnectionHandlers = {
  /** Every event of the engine, immediately, before the engine buffers or merges it. */
  onEvent<Name extends keyof BaileysEventMap>(name: Name, value: BaileysEventMap[Name]): void
  /** The server accepted a message, or rejected it with a code. */
  onAcknowledgement(stanza: BinaryNode): void
  /** A group notification. */
  onGroupNotification(stanza: BinaryNode): void
  /** An encryption notification: a request for pre-keys, or a person's new identity key. */
  onEncryptNotification(stanza: BinaryNode): void
  /** A receipt stanza. */
  onReceipt(stanza: BinaryNode): void
  /** A call stanza. */
  onCall(stanza: BinaryNode): void
  /** WhatsApp requires a passkey from the phone's owner. */
  onPasskeyRequired(stanza: BinaryNode): void
}

/** Opens one connection of an account. All bytes that leave on it pass the write barrier. */
export function openConnection(deps: {
  baileys: Baileys
  clock: Clock
  settings: WhatsAppSettings
  version: ClientVersion
  door: OutboundClient
  groups: GroupCache
  keyGuard: KeyGuard
  /** Whether the phone shares all of its history when it is paired. */
  fullHistory: boolean
  state: AuthState
  barrier: WriteBarrier
  logger: Logger
  events: ConnectionHandlers
  /** Returns the sent message with an id, for a contact that could not decrypt it. */
  getMessage: NonNullable<Parameters<Baileys['default']>[0]['getMessage']>
}): WASocket {
  const { baileys, clock, settings, door, groups, keyGuard, state, barrier, logger, events } = deps
  const { getMessage, version } = deps
  const { url } = settings
  const auth: AuthenticationState = { creds: state.creds, keys: state.keys }
  const socket = baileys.makeWASocket({
    auth,
    getMessage,
    logger: logger.child({}, { level: quieter(logger) }),
    ...(url ? { waWebSocketUrl: url } : {}),
    version,
    agent: door.agent(url?.protocol === 'ws:' ? 'http:' : 'https:') as HttpsAgent,
    options: { dispatcher: door.dispatcher } as object,
    cachedGroupMetadata: async (groupId) => keyGuard.withoutExcluded(await groups.find(groupId)),
    keepAliveIntervalMs: PING_INTERVAL_MS,
    connectTimeoutMs: 0,
    browser: baileys.Browsers.macOS('Chrome'),
    emitOwnEvents: false,
    syncFullHistory: deps.fullHistory,
    // The engine would download history past egress, and hold all of it in memory.
    shouldSyncHistoryMessage: () => false,
    markOnlineOnConnect: false,
    generateHighQualityLinkPreview: false,
    defaultQueryTimeoutMs: QUERY_TIMEOUT_MS,
    retryRequestDelayMs: RETRY_REQUEST_DELAY_MS,
    countryCode: 'BR',
    makeSignalRepository: (parts, log, lookUp) => {
      const keys = parts.keys as SignalKeyStoreWithTransaction
      const single: SignalKeyStoreWithTransaction = {
        ...keys,
        transaction: (work) => keys.transaction(work, state.creds.me?.id ?? ''),
      }
      const { makeSignalRepository } = baileys.DEFAULT_CONNECTION_CONFIG
      const repository = keyGuard.guardSessions(
        makeSignalRepository(
          {
            ...parts,
            keys: single,
          },
          log,
          lookUp,
        ),
      )
      return {
        ...repository,
        async decryptMessage(input) {
          const opened = await repository.decryptMessage(input)
          barrier.expectEvent('message')
          return opened
        },
        async decryptGroupMessage(input) {
          const opened = await repository.decryptGroupMessage(input)
          barrier.expectEvent('message')
          return opened
        },
      }
    },
  })
  keepOnlyOwn(socket.messageRetryManager, (chatId) =>
    isSameParty(toParty([chatId]), toParty([state.creds.me?.id, state.creds.me?.lid])),
  )
  const emit = socket.ev.emit.bind(socket.ev)
  socket.ev.emit = (name, value) => {
    // The engine announces a new name only if it sees the change before the credentials have it.
    if (name === 'creds.update') {
      const isHeard = emit(name, value)
      events.onEvent(name, value)
      return isHeard
    }
    events.onEvent(name, value)
    // A running timer would retain the whole connection in memory.
    if (name === 'connection.update' && (value as ConnectionUpdate).connection === 'close') {
      watch.cancel()
      // Rejects pending queries, which the engine would otherwise leave to their timeouts.
      socket.ws.emit('error', connectionLost('connection to WhatsApp closed'))
    }
    return emit(name, value)
  }
  for (const type of ['passkey_prologue_request', 'crsc_continuation']) {
    socket.ws.on(`CB:notification,type:${type}`, events.onPasskeyRequired)
  }
  socket.ws.on('frame', keyGuard.filterResponse)
  const watch = closeWhenSilent(socket, clock)
  socket.ws.on('CB:ack,class:message', (stanza: BinaryNode) => events.onAcknowledgement(stanza))
  socket.ws.prependListener('CB:notification,type:w:gp2', (stanza: BinaryNode) =>
    events.onGroupNotification(stanza),
  )
  socket.ws.prependListener('CB:notification,type:encrypt', (stanza: BinaryNode) =>
    events.onEncryptNotification(stanza),
  )
  socket.ws.prependListener('CB:receipt', (stanza: BinaryNode) => events.onReceipt(stanza))
  socket.ws.prependListener('CB:call', (stanza: BinaryNode) => events.onCall(stanza))
  // The engine waits indefinitely if the upgrade gets an HTTP response. Any status counts as a lost connection, because
  // the response of a proxy or an overloaded edge does not concern the credentials.
  socket.ws.on('unexpected-response', (_request: unknown, response: IncomingMessage) => {
    response.resume()
    forceClose(socket, `WebSocket upgrade rejected with HTTP ${response.statusCode}`)
  })
  routeThroughBarrier(socket, barrier)
  return socket
}

/** Ends a connection that receives no frames, even if its socket looks open. */
function closeWhenSilent(socket: WASocket, clock: Clock): Timer {
  let lastFrameAt = clock.monotonic()
  let timer: Timer | null = null
  const handshake = clock.after(HANDSHAKE_TIMEOUT_MS, () => {
    if (!socket.ws.isOpen) forceClose(socket, `WebSocket not open after ${HANDSHAKE_TIMEOUT_MS} ms`)
  })
  const check = () => {
    const left = lastFrameAt + FRAME_TIMEOUT_MS - clock.monotonic()
    if (left > 0) timer = clock.after(left, check)
    else forceClose(socket, `no frame received for ${FRAME_TIMEOUT_MS} ms`)
  }
  socket.ws.on('message', () => (lastFrameAt = clock.monotonic()))
  check()
  return {
    cancel() {
      timer?.cancel()
      handshake.cancel()
    },
  }
}

/** Ends a connection without the closing handshake, because the engine would wait for a reply that may never come. */
function forceClose(socket: WASocket, why: string): void {
  const { socket: raw } = socket.ws as unknown as { socket: RawSocket | null }
  raw?.terminate()
  void socket.end(connectionLost(why))
}

function quieter(logger: Logger): string {
  return logger.isLevelEnabled('error') ? 'error' : logger.level
}

type ConnectionUpdate = BaileysEventMap['connection.update']
type RawSocket = {
  terminate(): void
  send(bytes: Uint8Array, sent?: (error?: Error) => void): void
}

/** Routes outgoing bytes through the write barrier, in order. The engine is not made to wait for it. */
function routeThroughBarrier(socket: WASocket, barrier: WriteBarrier): void {
  const raw = (socket.ws as unknown as { socket: RawSocket }).socket
  const send = raw.send.bind(raw)
  raw.send = (bytes, sent) => {
    barrier.send(() => send(bytes))
    sent?.()
  }
}
