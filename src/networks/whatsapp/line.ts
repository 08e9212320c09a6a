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
import type { AuthState } from './auth-state.ts'
import type { KeyGuard } from './key-guard.ts'
import type { KnownGroups } from './known-groups.ts'
import type { Valve } from './valve.ts'

const QUERY_MS = 20_000
/** What the engine calls a line that was lost. */
const lost = (why: string) => Object.assign(new Error(why), { output: { statusCode: 428 } })
/** What a contact could not read is sent again at once: the engine holds all other messages back while it waits. */
const RETRY_REQUEST_MS = 50

/** So long without a frame, pings and their answers too, and the line is not one any more. */
const SILENCE_MS = 45_000
const PING_MS = 20_000
/** From dialling to an open WebSocket, proxies and TLS included. */
const HANDSHAKE_MS = 20_000

/** Where WhatsApp is, whose certificate it has, and which version of its client to be: null for the real ones. */
export type LineSettings = {
  url: URL | null
  rootKey: Buffer | null
  version: [number, number, number] | null
}

export type LineEvents = {
  /** Every event of the engine, at once, before any is buffered or merged with another. */
  event<Name extends keyof BaileysEventMap>(name: Name, value: BaileysEventMap[Name]): void
  /** The server took a message, or refused it with a code. */
  acknowledged(stanza: BinaryNode): void
  /** Something about a group. */
  inGroup(stanza: BinaryNode): void
  /** Something about a call. */
  inCall(stanza: BinaryNode): void
  /** The telephone's owner is asked to prove himself with a passkey. */
  passkeyAsked(stanza: BinaryNode): void
}

/** One connection of an account. Everything that leaves on it goes through the valve. */
export function openLine(deps: {
  baileys: Baileys
  clock: Clock
  settings: LineSettings
  door: OutboundClient
  groups: KnownGroups
  keyGuard: KeyGuard
  state: AuthState
  valve: Valve
  logger: Logger
  events: LineEvents
  /** What was sent under an id, for a contact who could not read it. */
  getMessage: NonNullable<Parameters<Baileys['default']>[0]['getMessage']>
}): WASocket {
  const { baileys, clock, settings, door, groups, keyGuard, state, valve, logger, events } = deps
  const { getMessage } = deps
  const { url, version } = settings
  const auth: AuthenticationState = { creds: state.creds, keys: state.keys }
  const socket = baileys.makeWASocket({
    auth,
    getMessage,
    logger: logger.child({}, { level: quieter(logger) }),
    ...(url ? { waWebSocketUrl: url } : {}),
    ...(version ? { version } : {}),
    agent: door.agent(url?.protocol === 'ws:' ? 'http:' : 'https:') as HttpsAgent,
    options: { dispatcher: door.dispatcher } as object,
    cachedGroupMetadata: async (groupId) => keyGuard.withoutRefused(await groups.find(groupId)),
    keepAliveIntervalMs: PING_MS,
    connectTimeoutMs: 0,
    browser: baileys.Browsers.macOS('Chrome'),
    emitOwnEvents: false,
    syncFullHistory: false,
    shouldSyncHistoryMessage: () => false,
    markOnlineOnConnect: false,
    generateHighQualityLinkPreview: false,
    defaultQueryTimeoutMs: QUERY_MS,
    retryRequestDelayMs: RETRY_REQUEST_MS,
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
          valve.opened('message')
          return opened
        },
        async decryptGroupMessage(input) {
          const opened = await repository.decryptGroupMessage(input)
          valve.opened('message')
          return opened
        },
      }
    },
  })
  const emit = socket.ev.emit.bind(socket.ev)
  socket.ev.emit = (name, value) => {
    events.event(name, value)
    // Whoever watches on holds the whole line in memory.
    if (name === 'connection.update' && (value as Moved).connection === 'close') {
      watch.cancel()
      // The engine forgets the queries that wait on a line that it ends: they would wait until their time is over.
      socket.ws.emit('error', lost('the line is over'))
    }
    return emit(name, value)
  }
  for (const type of ['passkey_prologue_request', 'crsc_continuation']) {
    socket.ws.on(`CB:notification,type:${type}`, events.passkeyAsked)
  }
  socket.ws.on('frame', keyGuard.filterResponse)
  const watch = endWhenSilent(socket, clock)
  socket.ws.on('CB:ack,class:message', (stanza: BinaryNode) => events.acknowledged(stanza))
  socket.ws.prependListener('CB:notification,type:w:gp2', (stanza: BinaryNode) =>
    events.inGroup(stanza),
  )
  socket.ws.prependListener('CB:call', (stanza: BinaryNode) => events.inCall(stanza))
  // The engine waits for ever for an upgrade that was answered with HTTP. Whatever the status, it is a lost connection: a
  // proxy or an overloaded edge says nothing about the credentials.
  socket.ws.on('unexpected-response', (_request: unknown, response: IncomingMessage) => {
    response.resume()
    cut(socket, `the upgrade was answered with HTTP ${response.statusCode}`)
  })
  holdBack(socket, valve)
  return socket
}

/** A line says by its frames that it lives; a socket that only looks open is ended. */
function endWhenSilent(socket: WASocket, clock: Clock): Timer {
  let heardAt = clock.monotonic()
  let timer: Timer | null = null
  const handshake = clock.after(HANDSHAKE_MS, () => {
    if (!socket.ws.isOpen) cut(socket, 'the upgrade was not answered')
  })
  const look = () => {
    const left = heardAt + SILENCE_MS - clock.monotonic()
    if (left > 0) timer = clock.after(left, look)
    else cut(socket, 'no frame arrives')
  }
  socket.ws.on('message', () => (heardAt = clock.monotonic()))
  look()
  return {
    cancel() {
      timer?.cancel()
      handshake.cancel()
    },
  }
}

/** Ends a connection without the closing handshake, whose answer may never come: the engine would wait for it. */
function cut(socket: WASocket, why: string): void {
  const { socket: raw } = socket.ws as unknown as { socket: RawSocket | null }
  raw?.terminate()
  void socket.end(lost(why))
}

function quieter(logger: Logger): string {
  return logger.isLevelEnabled('error') ? 'error' : logger.level
}

type Moved = BaileysEventMap['connection.update']
type RawSocket = {
  terminate(): void
  send(bytes: Uint8Array, sent?: (error?: Error) => void): void
}

/** Bytes are encrypted in their order; here they wait for what must be kept before, and nobody waits for them. */
function holdBack(socket: WASocket, valve: Valve): void {
  const raw = (socket.ws as unknown as { socket: RawSocket }).socket
  const send = raw.send.bind(raw)
  raw.send = (bytes, sent) => {
    valve.send(() => send(bytes))
    sent?.()
  }
}
