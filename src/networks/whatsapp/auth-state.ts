import type { AuthenticationCreds, SignalDataSet, SignalDataTypeMap, SignalKeyStore } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { SessionIdentity } from '../network-events.port.ts'
import type { CredentialStore } from '../network.port.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { Baileys } from './baileys.ts'
import { toParty } from './people.ts'
import type { Mutations, WriteBarrier } from './write-barrier.ts'

/** Each account has hundreds of these and rarely needs one, so they stay serialized and are decoded on demand. */
const LAZY_KIND = 'pre-key'
/** The engine's mappings from phone to LID, and from `<lid>_reverse` to phone. */
const LID_MAPPING = 'lid-mapping'
const LIST_VERSIONS = 'app-state-sync-version'
/** Not part of the engine's state: the disappearing-message timer of each chat in seconds; absent if off. */
const CHAT_TIMERS = 'chat-timer'

/** Where the credentials are stored, and every kind of key that the engine stores. */
const CREDS = { kind: 'device', id: 'creds' }
const KEY_KINDS = [
  'pre-key',
  'session',
  'sender-key',
  'sender-key-memory',
  'app-state-sync-key',
  'app-state-sync-version',
  LID_MAPPING,
  'device-list',
  'tctoken',
  'identity-key',
  CHAT_TIMERS,
]

/** Sent messages and received polls by id: contacts request sent messages again, and votes need a poll's secret. */
export const STORED_MESSAGES = 'sent'
/** Notifications about parts of the history that are not imported yet, by message id. */
export const PENDING_HISTORY = 'history'
/** Stored as they are. */
const RAW_KINDS = new Set([STORED_MESSAGES, PENDING_HISTORY])
/** Longer than a contact's phone usually stays offline before it requests a message that it cannot decrypt. */
const STORED_MESSAGE_TTL_MS = 14 * 24 * 3600_000

/** An account's credentials and keys in memory; changes go through the write barrier. */
export type AuthState = {
  creds: AuthenticationCreds
  keys: SignalKeyStore
  /** Merges changed credentials; they are stored once the account is paired. */
  update(changed: Partial<AuthenticationCreds>): void
  paired(): boolean
  /** Fills in the missing phone or LID of a party from the engine's mappings. */
  complete(party: Party): Party
  /** The disappearing-message timer of a chat in seconds; 0 if off. */
  timerOf(chatId: string): number
  setTimer(chatId: string, seconds: number): void
}

/** The credentials and keys of an account as loaded from the store; keys by kind and id. */
export type LoadedAuthState = {
  creds: AuthenticationCreds
  storedKeys: Map<string, Map<string, unknown>>
}

/** Loads an account's credentials and keys, or creates credentials if it was never paired. */
export async function loadAuthState(
  baileys: Baileys,
  store: CredentialStore,
): Promise<LoadedAuthState> {
  const stored = (await store.load(CREDS.kind)).get(CREDS.id)
  if (!stored) return { creds: baileys.initAuthCreds(), storedKeys: new Map() }
  const kinds = await Promise.all(
    KEY_KINDS.map(async (kind) => {
      const rows = await store.load(kind)
      const read = (value: Buffer) =>
        kind === LAZY_KIND ? value.toString() : decode(baileys, value)
      return [kind, new Map([...rows].map(([id, value]) => [id, read(value)]))] as const
    }),
  )
  return {
    creds: decode(baileys, stored) as AuthenticationCreds,
    storedKeys: new Map<string, Map<string, unknown>>(kinds),
  }
}

/** Creates the auth state that the engine reads from and writes to. */
export function createAuthState(
  baileys: Baileys,
  loaded: LoadedAuthState,
  barrier: Pick<WriteBarrier, 'saveKeys' | 'expectEvent'>,
): AuthState {
  const { creds, storedKeys: known } = loaded
  const paired = () => creds.account !== undefined && creds.me !== undefined
  const keys: SignalKeyStore = {
    // Reads from memory, so that a read between two writes never returns stale keys.
    get: <Kind extends keyof SignalDataTypeMap>(kind: Kind, ids: string[]) => {
      const rows = known.get(kind)
      const found: Record<string, SignalDataTypeMap[Kind]> = {}
      for (const id of ids) {
        const held = rows?.get(id)
        if (held === undefined) continue
        const value = kind === LAZY_KIND ? decode(baileys, held as string) : held
        const revive = kind === 'app-state-sync-key'
        found[id] = (
          revive ? baileys.proto.Message.AppStateSyncKeyData.fromObject(value as object) : value
        ) as SignalDataTypeMap[Kind]
      }
      return found
    },
    set(data: SignalDataSet) {
      const changed = data as Record<string, Record<string, unknown>>
      // The engine saves the version of a list before it emits the changes up to that version.
      if (changed[LIST_VERSIONS]) barrier.expectEvent('list')
      for (const [kind, entries] of Object.entries(changed)) {
        const rows = known.get(kind) ?? new Map<string, unknown>()
        known.set(kind, rows)
        for (const [id, value] of Object.entries(entries)) {
          if (value === null || value === undefined) rows.delete(id)
          else rows.set(id, kind === LAZY_KIND ? encode(baileys, value) : compact(value))
        }
      }
      barrier.saveKeys(changed)
    },
  }
  const timerOf = (chatId: string) => Number(known.get(CHAT_TIMERS)?.get(chatId) ?? 0)
  const lidMappingOf = (id: string) => known.get(LID_MAPPING)?.get(id)
  return {
    creds,
    keys,
    paired,
    complete(party) {
      const { phone, lid } = party
      if (phone && !lid) {
        const user = lidMappingOf(phone)
        return typeof user === 'string' ? { ...party, lid: `${user}@lid` } : party
      }
      if (!lid || phone) return party
      const user = lidMappingOf(`${lid.replace(/@lid$/, '')}_reverse`)
      return typeof user === 'string' ? { ...party, phone: user } : party
    },
    timerOf,
    setTimer(chatId, seconds) {
      if (seconds !== timerOf(chatId))
        void keys.set({ [CHAT_TIMERS]: { [chatId]: seconds || null } } as SignalDataSet)
    },
    update(changed) {
      Object.assign(creds, changed)
      if (paired()) barrier.saveKeys({ [CREDS.kind]: { [CREDS.id]: creds } })
    },
  }
}

/** Returns whether the account's phone runs WhatsApp Business. */
export function isBusiness({ platform }: AuthenticationCreds): boolean {
  return platform?.startsWith('smb') ?? false
}

/** Stores changed keys in one statement; sent messages expire. */
export async function saveMutations(
  { baileys, clock }: { baileys: Baileys; clock: Clock },
  store: CredentialStore,
  mutations: Mutations,
): Promise<void> {
  const expiresAt = clock.now() + STORED_MESSAGE_TTL_MS
  const entries = [...mutations].flatMap(([kind, rows]) =>
    [...rows].map(([id, value]) => ({
      kind,
      id,
      value:
        value === null
          ? null
          : RAW_KINDS.has(kind)
            ? (value as Buffer)
            : Buffer.from(encode(baileys, value)),
      ...(RAW_KINDS.has(kind) ? { expiresAt } : {}),
    })),
  )
  await store.save(entries)
}

/**
 * Returns a key whose bytes are its own. Those that the engine reads from a frame are part of a pool of 64 KiB, which each
 * of them would keep in memory.
 */
function compact(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    if (value.byteLength === value.buffer.byteLength) return value
    const own = Buffer.allocUnsafeSlow(value.byteLength)
    own.set(value)
    return own
  }
  if (
    typeof value !== 'object' ||
    value === null ||
    Object.getPrototypeOf(value) !== Object.prototype
  )
    return value
  return Object.values(value).some((field) => field instanceof Uint8Array)
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, compact(field)]))
    : value
}

function encode({ BufferJSON }: Baileys, value: unknown): string {
  return JSON.stringify(value, BufferJSON.replacer)
}

function decode({ BufferJSON }: Baileys, stored: Buffer | string): unknown {
  return JSON.parse(stored.toString(), BufferJSON.reviver)
}

/** Decodes a stored message; undefined if an older release stored it in another format. */
export function decodeStored(baileys: Baileys, bytes: Buffer) {
  try {
    return baileys.proto.Message.decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns whose account this is; null before a phone has accepted it. */
export function identityOf(creds: AuthenticationCreds): SessionIdentity | null {
  const { phone, lid } = toParty([creds.me?.id, creds.me?.lid])
  const [profileName, business] = [creds.me?.name ?? '', isBusiness(creds)]
  return phone ? { phone, lid, profileName, business } : null
}
