import type { Readable } from 'node:stream'
import type { MessageContent } from '../model/kinds/index.ts'
import type {
  CallStatus,
  DisconnectReason,
  MessageErrorCode,
  MessageType,
  Participant,
  Party,
  Quoted,
} from '../model/records.schemas.ts'

/**
 * What Recado asks of a messaging network, shaped after WhatsApp's reality: a long-lived session per account that
 * comes and goes by itself, credentials that change with every message, sends that are acknowledged later, and a
 * stream of things that happened. `conformance.ts` holds what every adapter must do.
 */
export type Network = {
  name: string
  /** Opens the session of an account: resumes with its credentials, or offers codes to pair it. */
  open(account: NetworkAccount, listener: NetworkListener): NetworkSession
  /** Unpairs an account that has no session open, as far as the network lets. */
  forget(account: NetworkAccount): Promise<void>
  /** Ends what the adapter itself holds; sessions are closed before. */
  stop(): Promise<void>
}

export type NetworkAccount = {
  instanceId: string
  projectId: string
  mode: 'test' | 'production'
  credentials: CredentialStore
  settings: { proxyUrl: string | null; rejectCalls: boolean; downloadMedia: boolean }
}

/** The account's secrets, encrypted at rest. Values of one `save` are written in one statement. */
export type CredentialStore = {
  load(kind: string): Promise<Map<string, Buffer>>
  read(kind: string, id: string): Promise<Buffer | null>
  save(entries: Credential[]): Promise<void>
  clear(): Promise<void>
}

/** A null value deletes; one with `expiresAt` is forgotten then. */
type Credential = { kind: string; id: string; value: Buffer | null; expiresAt?: number }

/** What a session does when it is told to. Arguments and answers are plain JSON: another node may have to pass them on. */
export type NetworkCommands = {
  /** Tells the network that these messages were read. */
  markRead(input: {
    messages: { chatId: string; waMessageId: string; sender: Party }[]
  }): Promise<null>
  /** Which of these phones are on the network, in their canonical form. */
  lookUp(input: { phones: string[] }): Promise<LookedUp[]>
  /** Changes the text of a message that this account sent. */
  edit(input: { chatId: string; waMessageId: string; text: string; sentAt: number }): Promise<null>
  /** Takes back, for everyone, a message that this account sent. */
  revoke(input: { chatId: string; waMessageId: string; sentAt: number }): Promise<null>
  createGroup(input: {
    subject: string
    description: string | null
    participants: string[]
  }): Promise<GroupState>
  /** Only what is named changes; a null description takes it away. */
  changeGroup(input: {
    groupId: string
    subject?: string
    description?: string | null
  }): Promise<null>
  /** Answers the participants that it concerned, as they are now. */
  changeParticipants(input: {
    groupId: string
    action: 'add' | 'remove' | 'promote' | 'demote'
    participants: string[]
  }): Promise<Participant[]>
  leaveGroup(input: { groupId: string }): Promise<null>
  /** Makes a label, or changes the one of that id; answers the colour that the network has for it. */
  saveLabel(input: {
    networkId: string | null
    name: string
    color: string
  }): Promise<{ networkId: string; color: string }>
  deleteLabel(input: { networkId: string }): Promise<null>
  associateLabel(input: { networkId: string; chatId: string; on: boolean }): Promise<null>
  rejectCall(input: { callId: string; from: Party }): Promise<null>
  /** A code to type on the telephone, or null where the network has none or the account is paired. */
  requestPairingCode(input: { phone: string }): Promise<{ code: string; expiresAt: number } | null>
}

export type NetworkSession = NetworkCommands & {
  /** Asks for a code to pair with, if the account is not paired; the listener hears it. */
  requestCode(): Promise<void>
  /**
   * Sends messages, in this order. Resolves when they are on their way, with those that are not for a reason of their own
   * (keys that are refused, a file that is not taken): they are sent again from `retryAt` on, and hold back later messages
   * of their chat only. Rejects when the connection fails, and with it what was not sent. The outcome of each message is
   * reported as a receipt with its `waMessageId`. The same id sent again is the same message.
   */
  send(messages: OutboundMessage[]): Promise<DeferredMessage[]>
  /**
   * The bytes of a file that came with a message, by what the adapter reported of it. `onSlow` is called when they have to be
   * requested from the phone first, which happens only once the message is committed.
   */
  download(source: object, onSlow?: () => void): Promise<Readable>
  /** Unpairs the account. Resolves true when the network confirmed. */
  logout(): Promise<boolean>
  /** Closes without unpairing. */
  close(): Promise<void>
}

/** The network says no, for a reason that the caller can do something about. */
export class NetworkRefusal extends Error {
  readonly reason: RefusalReason
  constructor(reason: RefusalReason) {
    super(`the network refused: ${reason}`)
    this.name = 'NetworkRefusal'
    this.reason = reason
  }
}
export type RefusalReason =
  'too_late' | 'unknown' | 'not_a_participant' | 'not_admin' | 'not_business' | 'not_supported'

export type LookedUp = {
  input: string
  exists: boolean
  phone: string | null
  lid: string | null
  /** It may be another answer in a moment: not to be kept. */
  passing?: true
}

export type DeferredMessage = { waMessageId: string; retryAt: number }

export type OutboundMessage = {
  waMessageId: string
  chatId: string
  chatType: 'direct' | 'group'
  content: MessageContent
  /** The file of the kinds that carry one. */
  media: OutboundMedia | null
  /** With who wrote it; null where that is not known. */
  quoted: (Quoted & { sender: Party | null }) | null
  /** Who wrote the message that this one speaks of: what a reaction reacts to. */
  target: { fromMe: boolean; sender: Party } | null
  /** Phones. */
  mentions: string[]
  /** Shows "typing…" for so long before it leaves. */
  typingMs: number
}

/** What is known of a file without opening it. */
export type MediaFacts = {
  mimeType: string
  fileName: string | null
  sizeBytes: number
  /** Hexadecimal. */
  sha256: string
  durationSeconds: number | null
  width: number | null
  height: number | null
}
export type OutboundMedia = MediaFacts & { id: string; open(): Promise<Readable> }
/** A file that came with a message; `source` is what the adapter needs to fetch its bytes, now or later. */
export type InboundMedia = MediaFacts & { source: object }

export type GroupState = {
  groupId: string
  subject: string
  description: string | null
  owner: Party | null
  participants: Participant[]
  createdAt: number
}

/**
 * What a network tells. Every call resolves when what it told is committed; an adapter acknowledges nothing to
 * its network before.
 */
export type NetworkListener = {
  /** A new code waits to be scanned. */
  code(code: { code: string; at: number; expiresAt: number }): Promise<void>
  status(change: SessionStatus): Promise<void>
  /** What the network does not let the account do for a while; null once it does again. */
  restricted(restriction: Restriction | null): Promise<void>
  received(messages: InboundMessage[]): Promise<void>
  receipts(receipts: Receipt[]): Promise<void>
  /** Everything else that happened, in this order. */
  happened(happenings: ToldHappening[]): Promise<void>
}

/**
 * `id` is the network's own name of it, the same whenever it is told again: it counts once. Null for a state that may
 * be told any number of times.
 */
export type ToldHappening = Happening & { id: string | null }

/**
 * A request to change a message that is already there, as its author's device sent it. The network only says who asks:
 * whether they may is decided where the message is stored.
 */
export type InboundChange = {
  chatId: string
  /** The message to change. */
  waMessageId: string
  /** Who asks. */
  by: Party
  /** It comes from one of the account's own devices. */
  fromMe: boolean
  at: number
}

/** What happens on a network beside messages and receipts. */
export type Happening =
  | ({ kind: 'edited'; text: string } & InboundChange)
  | ({ kind: 'deleted' } & InboundChange)
  /** A name that is new, or a phone and a LID that turn out to be the same person's. */
  | { kind: 'contact'; party: Party; at: number }
  /** All of a group: the account is new in it, or was away. */
  | { kind: 'group'; group: GroupState; at: number }
  | {
      kind: 'group_changed'
      groupId: string
      actor: Party
      subject?: string
      description?: string | null
      at: number
    }
  | {
      kind: 'participants'
      groupId: string
      action: 'join' | 'leave' | 'add' | 'remove' | 'promote' | 'demote'
      actor: Party
      participants: Party[]
      at: number
    }
  | { kind: 'label'; networkId: string; name: string; color: string; deleted: boolean; at: number }
  | { kind: 'label_association'; networkId: string; chatId: string; on: boolean; at: number }
  | {
      kind: 'call'
      callId: string
      from: Party
      video: boolean
      group: boolean
      status: CallStatus
      at: number
    }

export type SessionStatus =
  /** A telephone accepted the code. */
  | { status: 'PAIRED'; phone: string; lid: string | null; profileName: string; business: boolean }
  | { status: 'CONNECTED' }
  | { status: 'DISCONNECTED'; reason: DisconnectReason; willReconnect: boolean }
  /** Over: the account has to be paired again. */
  | { status: 'LOGGED_OUT'; reason: DisconnectReason }
  /** With a time, its credentials are good again from then on. */
  | { status: 'BANNED'; reason: DisconnectReason; restrictedUntil: number | null }
  /** The network wants its owner to prove himself in a way that this adapter cannot offer. */
  | { status: 'PASSKEY_REQUIRED' }
  /** The codes are used up and nobody scanned one. */
  | { status: 'CODES_EXPIRED' }

/** `until` is null where the network does not say how long it lasts. */
export type Restriction = { type: 'new_chats' | 'sending' | 'ban'; until: number | null }

export type InboundMessage = {
  waMessageId: string
  chatId: string
  chatType: 'direct' | 'group'
  chatName: string | null
  /** Who wrote it. */
  sender: Party
  /** Typed on the account's own telephone: outbound, and not an event. */
  fromMe: boolean
  type: MessageType
  /** `undecryptable` is replaced when the same message arrives again and can be read. */
  content: MessageContent | { type: 'unsupported' } | { type: 'system' } | { type: 'undecryptable' }
  media: InboundMedia | null
  quoted: Quoted | null
  mentions: string[]
  at: number
  /** The simulator counts a phone's message when the phone sends it, so that the 101st is refused there. */
  alreadyCounted: boolean
}

export type Receipt = {
  waMessageIds: string[]
  chatId: string
  status: 'sent' | 'delivered' | 'read' | 'played' | 'failed'
  at: number
  /** Who received or read it. */
  party: Party | null
  /** Only with `failed`. */
  error: { code: MessageErrorCode; retryable: boolean } | null
}
