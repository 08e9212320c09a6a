import type { BaileysEventMap, BinaryNode, WAMessageKey, WASocket } from 'baileys'
import type { Logger } from 'pino'
import type { Clock } from '../../kernel/clock.ts'
import type { OutboundClient } from '../../platform/egress/outbound-client.ts'
import type { NetworkAccount, NetworkListener } from '../network.port.ts'
import {
  createAuthState,
  decodeKept,
  saveMutations,
  SENT,
  type AuthState,
  type LoadedAuthState,
} from './auth-state.ts'
import type { Baileys } from './baileys.ts'
import { createEar, type Ear } from './ear.ts'
import { createKeyGuard, type KeyGuard } from './key-guard.ts'
import { createKnownGroups, type KnownGroups } from './known-groups.ts'
import { openLine, type LineSettings } from './line.ts'
import { toParty } from './people.ts'
import { createTeller, type Teller } from './teller.ts'
import { createValve, type Valve } from './valve.ts'

/** The state of one connection. Each connection of a session has its own. */
export type Life = {
  baileys: Baileys
  valve: Valve
  teller: Teller
  ear: Ear
  state: AuthState
  groups: KnownGroups
  keyGuard: KeyGuard
  /** Null until `open` is called. */
  socket: WASocket | null
  /** Releases the gate: the connection is open, has ended, or waits for a phone to scan its code. */
  begun: () => void
  /** Connects to WhatsApp. */
  open: () => void
}

/**
 * Creates the state of one connection; `open` connects it. Events of the socket are dropped unless `isCurrent`, so that
 * a superseded connection changes nothing.
 */
export function createLife(deps: {
  baileys: Baileys
  clock: Clock
  settings: LineSettings
  door: OutboundClient
  logger: Logger
  account: NetworkAccount
  listener: NetworkListener
  loaded: LoadedAuthState
  /** The contacts' own profile names by jid, shared by all connections of the session. */
  names: Map<string, string>
  begun: () => void
  isCurrent: () => boolean
  onEvent: (name: keyof BaileysEventMap, value: unknown) => void
  /** WhatsApp rejected a message with this code. */
  onRefused: (code: string) => void
  /** WhatsApp accepted a message. */
  onTaken: () => void
  onPasskeyAsked: () => void
  inBackground: (work: () => Promise<void>) => void
  onError: (error: unknown) => void
}): Life {
  const { baileys, clock, account, isCurrent, onError } = deps
  const valve = createValve({
    clock,
    save: (mutations) => saveMutations({ baileys, clock }, account.credentials, mutations),
    onError: (error) => {
      onError(error)
      void life.socket?.end(undefined)
    },
  })
  const teller = createTeller({ clock, listener: deps.listener, onError })
  const state = createAuthState(baileys, deps.loaded, valve)
  const groups = createKnownGroups(() => life.socket)
  const keyGuard = createKeyGuard(clock)

  async function findSent(key: WAMessageKey) {
    const bytes = await account.credentials.read(SENT, key.id ?? '')
    return bytes ? decodeKept(baileys, bytes) : undefined
  }

  const ear = createEar({
    baileys,
    clock,
    valve,
    teller,
    self: () => toParty([state.creds.me?.id, state.creds.me?.lid]),
    names: deps.names,
    findPoll: (id) => findSent({ id }),
    groups,
    complete: (party) => groups.complete(state.complete(party)),
    onRefused: deps.onRefused,
    onTaken: deps.onTaken,
    inBackground: deps.inBackground,
  })

  const whileCurrent = (work: (stanza: BinaryNode) => void) => (stanza: BinaryNode) => {
    if (isCurrent()) work(stanza)
  }
  const life: Life = {
    baileys,
    valve,
    teller,
    ear,
    state,
    groups,
    keyGuard,
    socket: null,
    begun: deps.begun,
    open() {
      life.socket = openLine({
        baileys,
        clock,
        settings: deps.settings,
        door: deps.door,
        state,
        valve,
        logger: deps.logger,
        groups,
        keyGuard,
        getMessage: findSent,
        events: {
          event(name, value) {
            if (isCurrent()) deps.onEvent(name, value)
          },
          acknowledged: whileCurrent(ear.acknowledged),
          inGroup: whileCurrent(ear.groupNews),
          inCall: whileCurrent(ear.call),
          passkeyAsked: whileCurrent(deps.onPasskeyAsked),
        },
      })
    },
  }
  return life
}
