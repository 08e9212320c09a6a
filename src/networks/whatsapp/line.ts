import type { Agent } from 'node:https'
import type {
  AuthenticationState,
  BaileysEventMap,
  BinaryNode,
  SignalKeyStoreWithTransaction,
  WASocket,
} from 'baileys'
import type { Logger } from 'pino'
import type { Baileys } from './baileys.ts'
import type { AuthState } from './auth-state.ts'
import type { Valve } from './valve.ts'

const QUERY_MS = 20_000
/** What a contact could not read is sent again at once: the engine holds all other messages back while it waits. */
const RETRY_REQUEST_MS = 50

/** Where WhatsApp is, and which version of its client to be: the defaults are the real ones. */
export type LineSettings = {
  url: string | null
  version: [number, number, number] | null
  agent: Agent | null
}

export type LineEvents = {
  /** Every event of the engine, at once, before any is buffered or merged with another. */
  event<Name extends keyof BaileysEventMap>(name: Name, value: BaileysEventMap[Name]): void
  /** The server took a message, or refused it with a code. */
  acknowledged(stanza: BinaryNode): void
  /** Something about a group. */
  inGroup(stanza: BinaryNode): void
}

/** One connection of an account. Everything that leaves on it goes through the valve. */
export function openLine(deps: {
  baileys: Baileys
  settings: LineSettings
  state: AuthState
  valve: Valve
  logger: Logger
  events: LineEvents
  /** What was sent under an id, for a contact who could not read it. */
  getMessage: NonNullable<Parameters<Baileys['default']>[0]['getMessage']>
}): WASocket {
  const { baileys, settings, state, valve, logger, events, getMessage } = deps
  const { url, version, agent } = settings
  const auth: AuthenticationState = { creds: state.creds, keys: state.keys }
  const socket = baileys.makeWASocket({
    ...{ auth, logger, getMessage },
    ...(url ? { waWebSocketUrl: url } : {}),
    ...(version ? { version } : {}),
    ...(agent ? { agent, fetchAgent: agent } : {}),
    browser: baileys.Browsers.macOS('Chrome'),
    emitOwnEvents: false,
    syncFullHistory: false,
    shouldSyncHistoryMessage: () => false,
    // The telephone goes on to ring.
    markOnlineOnConnect: false,
    generateHighQualityLinkPreview: false,
    defaultQueryTimeoutMs: QUERY_MS,
    retryRequestDelayMs: RETRY_REQUEST_MS,
    countryCode: 'BR',
    makeSignalRepository: (parts, log, lookUp) => {
      // The engine locks sessions by the account's name to send, by the contact's to receive: here the one is all.
      const keys = parts.keys as SignalKeyStoreWithTransaction
      const single: SignalKeyStoreWithTransaction = {
        ...keys,
        transaction: (work) => keys.transaction(work, state.creds.me?.id ?? ''),
      }
      const { makeSignalRepository } = baileys.DEFAULT_CONNECTION_CONFIG
      const repository = makeSignalRepository({ ...parts, keys: single }, log, lookUp)
      return {
        ...repository,
        async decryptMessage(input) {
          const opened = await repository.decryptMessage(input)
          valve.opened()
          return opened
        },
        async decryptGroupMessage(input) {
          const opened = await repository.decryptGroupMessage(input)
          valve.opened()
          return opened
        },
      }
    },
  })
  const emit = socket.ev.emit.bind(socket.ev)
  socket.ev.emit = (name, value) => {
    events.event(name, value)
    return emit(name, value)
  }
  socket.ws.on('CB:ack,class:message', (stanza: BinaryNode) => events.acknowledged(stanza))
  socket.ws.prependListener('CB:notification,type:w:gp2', (stanza: BinaryNode) =>
    events.inGroup(stanza),
  )
  holdBack(socket, valve)
  return socket
}

type RawSocket = { send(bytes: Uint8Array, sent?: (error?: Error) => void): void }

/** Bytes are encrypted in their order; here they wait for what must be kept before, and nobody waits for them. */
function holdBack(socket: WASocket, valve: Valve): void {
  const raw = (socket.ws as unknown as { socket: RawSocket }).socket
  const send = raw.send.bind(raw)
  raw.send = (bytes, sent) => {
    valve.send(() => send(bytes))
    sent?.()
  }
}
