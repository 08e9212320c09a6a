import type { BaileysEventMap, BinaryNode, WASocket } from 'baileys'
import type { Logger } from 'pino'
import type { Clock } from '../../kernel/clock.ts'
import type { OutboundClient } from '../../platform/egress/outbound-client.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { NetworkListener } from '../network-events.port.ts'
import type { NetworkAccount } from '../network.port.ts'
import {
  createAuthState,
  saveMutations,
  type AuthState,
  type LoadedAuthState,
} from './auth-state.ts'
import type { Baileys } from './baileys.ts'
import type { ClientVersion } from './client-version.ts'
import { createEventTranslator, type EventTranslator } from './event-translator.ts'
import { createKeyGuard, type KeyGuard } from './key-guard.ts'
import type { HistoryImporter } from './history.ts'
import { createGroupCache, type GroupCache } from './group-cache.ts'
import { openConnection, type WhatsAppSettings } from './connection.ts'
import { toParty } from './people.ts'
import { findRequested } from './publish.ts'
import { createStoredMessages, type StoredMessages } from './stored-messages.ts'
import { createEventQueue, type EventQueue } from './event-queue.ts'
import { createWriteBarrier, type WriteBarrier } from './write-barrier.ts'
import type { MessageSecrets } from './sealed-edits.ts'

/** The state of one connection. Each connection of a session has its own. */
export type ConnectionContext = {
  baileys: Baileys
  version: ClientVersion
  barrier: WriteBarrier
  eventQueue: EventQueue
  translator: EventTranslator
  state: AuthState
  groups: GroupCache
  keyGuard: KeyGuard
  stored: StoredMessages
  /** Null until `open` is called. */
  socket: WASocket | null
  /** Releases the gate: the connection is open, has ended, or waits for a phone to scan its code. */
  releaseGate: () => void
  /** Connects to WhatsApp. */
  open: () => void
}

type Memory = ReturnType<typeof newMemory>

/**
 * Creates what all connections of a session share: the contacts' own profile names by jid, and the secrets of recent
 * messages.
 */
export const newMemory = () => ({
  names: new Map<string, string>(),
  secrets: new Map() as MessageSecrets,
})

/**
 * Creates the state of one connection; `open` connects it. Events of the socket are dropped unless `isCurrent`, so that
 * a superseded connection changes nothing.
 */
export function createConnectionContext(deps: {
  baileys: Baileys
  clock: Clock
  settings: WhatsAppSettings
  version: ClientVersion
  outboundClient: OutboundClient
  logger: Logger
  account: NetworkAccount
  listener: NetworkListener
  loaded: LoadedAuthState
  names: Memory['names']
  secrets: Memory['secrets']
  history: HistoryImporter
  begun: () => void
  isCurrent: () => boolean
  onEvent: (name: keyof BaileysEventMap, value: unknown) => void
  /** WhatsApp rejected a message with this code. */
  onRejected: (code: string) => void
  /** WhatsApp accepted a message. */
  onAccepted: () => void
  onPasskeyRequired: () => void
  inBackground: (work: () => Promise<void>) => void
  onError: (error: unknown, task?: string) => void
}): ConnectionContext {
  const { baileys, clock, account, isCurrent, onError } = deps
  const barrier = createWriteBarrier({
    clock,
    save: (mutations) => saveMutations({ baileys, clock }, account.credentials, mutations),
    onError: (error) => {
      onError(error, 'storing keys')
      void life.socket?.end(undefined)
    },
  })
  const eventQueue = createEventQueue({ clock, listener: deps.listener, onError })
  const state = createAuthState(baileys, deps.loaded, barrier)
  const groups = createGroupCache({
    clock,
    getSocket: () => life.socket,
    isCurrent,
    inBackground: deps.inBackground,
    onError,
  })
  const keyGuard = createKeyGuard(clock)

  const complete = (party: Party) => groups.fillInParty(state.complete(party))
  const stored = createStoredMessages({ baileys, credentials: account.credentials, complete })

  const translator = createEventTranslator({
    baileys,
    clock,
    barrier,
    eventQueue,
    self: () => toParty([state.creds.me?.id, state.creds.me?.lid]),
    names: deps.names,
    secrets: deps.secrets,
    stored,
    groups,
    history: deps.history,
    complete,
    setTimer: state.setTimer,
    onRefused: deps.onRejected,
    onTaken: deps.onAccepted,
  })

  const whileCurrent = (work: (stanza: BinaryNode) => void) => (stanza: BinaryNode) => {
    if (isCurrent()) work(stanza)
  }
  const life: ConnectionContext = {
    baileys,
    version: deps.version,
    barrier,
    eventQueue,
    translator,
    state,
    groups,
    keyGuard,
    stored,
    socket: null,
    releaseGate: deps.begun,
    open() {
      life.socket = openConnection({
        baileys,
        clock,
        settings: deps.settings,
        version: deps.version,
        door: deps.outboundClient,
        fullHistory: account.settings.historySync === 'full',
        state,
        barrier,
        logger: deps.logger,
        groups,
        keyGuard,
        getMessage: async (key) =>
          life.socket ? findRequested({ ...life, socket: life.socket }, key) : undefined,
        events: {
          onEvent(name, value) {
            if (isCurrent()) deps.onEvent(name, value)
          },
          onAcknowledgement: whileCurrent(translator.acknowledged),
          onGroupNotification: whileCurrent(translator.groupNews),
          onEncryptNotification: whileCurrent(translator.keyNews),
          onCall: whileCurrent(translator.call),
          onReceipt: whileCurrent(translator.groupedReceipts),
          onPasskeyRequired: whileCurrent(deps.onPasskeyRequired),
        },
      })
    },
  }
  return life
}
