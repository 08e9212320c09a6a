import type { Readable } from 'node:stream'
import type { MessageContent } from '../model/kinds/index.ts'
import type { NumberLookup } from './number-lookup.ts'
import type { StoredContent } from '../model/message.ts'
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
 * The interface of a messaging network, modeled on WhatsApp: one long-lived session per account that reconnects by
 * itself, credentials that change with every message, sends that are acknowledged later, and a stream of events.
 * `conformance.ts` tests what every adapter must do.
 */
export type Network = {
  name: string
  /** Opens the session of an account: resumes it with stored credentials, or offers pairing codes. */
  open(account: NetworkAccount, listener: NetworkListener): NetworkSession
  /** Unpairs an account without an open session, as far as the network allows. */
  unpair(account: NetworkAccount): Promise<void>
  /** Releases the adapter's own resources; the caller has closed all sessions before. */
  stop(): Promise<void>
}

/** An instance as the adapter sees it: its identity, credentials and settings. */
export type NetworkAccount = {
  instanceId: string
  projectId: string
  mode: 'test' | 'production'
  credentials: CredentialStore
  settings: { proxyUrl: string | null; rejectCalls: boolean; downloadMedia: boolean }
}

/** The account's secrets, encrypted at rest. One `save` writes all of its entries in a single statement. */
export type CredentialStore = {
  load(kind: string): Promise<Map<string, Buffer>>
  read(kind: string, id: string): Promise<Buffer | null>
  save(entries: Credential[]): Promise<void>
  clear(): Promise<void>
}

/** A null value deletes the entry; one with `expiresAt` (milliseconds since the epoch) is deleted then. */
type Credential = { kind: string; id: string; value: Buffer | null; expiresAt?: number }

/** What a chat shows that someone is doing. */
export type PresenceState = 'typing' | 'recording' | 'paused'

/** Commands of a session. Arguments and results are plain JSON, because another node may have to forward them. */
export type NetworkCommands = {
  /** Sends read receipts for these messages. */
  markRead(input: {
    messages: { chatId: string; waMessageId: string; sender: Party }[]
  }): Promise<null>
  /** Returns, for each phone, whether it is on the network, and its canonical form. */
  lookUp(input: { phones: string[] }): Promise<NumberLookup[]>
  /** Edits the text of a message that this account sent. */
  edit(input: { chatId: string; waMessageId: string; text: string; sentAt: number }): Promise<null>
  /** Deletes for everyone a message that this account sent. */
  revoke(input: { chatId: string; waMessageId: string; sentAt: number }): Promise<null>
  /** Shows in a chat that this account is writing or recording, for some seconds at most; `paused` ends it. */
  showPresence(input: { chatId: string; state: PresenceState }): Promise<null>
  createGroup(input: {
    subject: string
    description: string | null
    participants: string[]
  }): Promise<GroupState>
  /** Changes only the fields present; a null description removes it. */
  changeGroup(input: {
    groupId: string
    subject?: string
    description?: string | null
  }): Promise<null>
  /** Returns the participants that the change applied to. */
  changeParticipants(input: {
    groupId: string
    action: 'add' | 'remove' | 'promote' | 'demote'
    participants: string[]
  }): Promise<Participant[]>
  leaveGroup(input: { groupId: string }): Promise<null>
  /** Creates a label, or updates the one with `networkId`; returns the color that the network assigned to it. */
  saveLabel(input: {
    networkId: string | null
    name: string
    color: string
  }): Promise<{ networkId: string; color: string }>
  deleteLabel(input: { networkId: string }): Promise<null>
  associateLabel(input: { networkId: string; chatId: string; on: boolean }): Promise<null>
  rejectCall(input: { callId: string; from: Party }): Promise<null>
  /** Returns a code to type on the phone, or null if the network has none or the account is paired. */
  requestPairingCode(input: { phone: string }): Promise<{ code: string; expiresAt: number } | null>
}

/** The open session of one account. */
export type NetworkSession = NetworkCommands & {
  /** Requests a pairing code unless the account is paired; the listener receives it. */
  requestCode(): Promise<void>
  /**
   * Sends messages in order and resolves once they have left, with those that failed for a reason of their own (keys or
   * file rejected): the caller retries these from `retryAt` on, and they delay only later messages of their chat.
   * Rejects if the connection fails before all were sent. Outcomes arrive as receipts. Resending an id is idempotent.
   */
  send(messages: OutboundMessage[]): Promise<DeferredMessage[]>
  /**
   * Streams a received file; `source` is its `InboundMedia.source`. Calls `onSlow` if the phone has to upload the file
   * again first, which it is asked to do only once the message is committed.
   */
  download(source: object, onSlow?: () => void): Promise<Readable>
  /** Unpairs the account. Resolves true if the network confirmed. */
  logout(): Promise<boolean>
  /** Closes without unpairing. */
  close(): Promise<void>
}

/** The network rejected an operation for a reason that the caller can act on. */
export class NetworkRejection extends Error {
  readonly reason: RejectionReason
  constructor(reason: RejectionReason) {
    super(`the network rejected the operation: ${reason}`)
    this.name = 'NetworkRefusal'
    this.reason = reason
  }
}
/** Why a network rejected an operation; the API has a user-facing sentence for each. */
export type RejectionReason =
  'too_late' | 'unknown' | 'not_a_participant' | 'not_admin' | 'not_business' | 'not_supported'

/** A message that the caller retries from `retryAt` (milliseconds since the epoch) on. */
export type DeferredMessage = { waMessageId: string; retryAt: number }

/** A message to send. Recado chooses `waMessageId`, so that a retry is recognized as the same message. */
export type OutboundMessage = {
  waMessageId: string
  chatId: string
  chatType: 'direct' | 'group'
  content: MessageContent
  /** Set for the kinds that carry a file. */
  media: OutboundMedia | null
  /** `sender` is the author, or null if unknown. */
  quoted: (Quoted & { sender: Party | null }) | null
  /** The author of the message that a reaction refers to. */
  target: { fromMe: boolean; sender: Party } | null
  /** Phone numbers. */
  mentions: string[]
  /** How long to show "typing…" before sending, in milliseconds. */
  typingMs: number
}

/** File metadata that is known without opening the file. */
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
/** A file to send; each call of `open` streams its bytes from the start. */
export type OutboundMedia = MediaFacts & { id: string; open(): Promise<Readable> }
/** A received file; `source` is what the adapter needs to fetch its bytes, now or later. */
export type InboundMedia = MediaFacts & { source: object }

/** A group with all of its participants; `createdAt` is in milliseconds since the epoch. */
export type GroupState = {
  groupId: string
  subject: string
  description: string | null
  owner: Party | null
  participants: Participant[]
  createdAt: number
}

/** Receives a network's events. Each call resolves once its event is committed; adapters acknowledge only then. */
export type NetworkListener = {
  /** A new pairing code is ready to be scanned. */
  onCode(code: { code: string; at: number; expiresAt: number }): Promise<void>
  /** Changes are stored in the order of the calls. */
  onStatus(change: SessionStatus): Promise<void>
  /** A limit that the network has placed on the account; null once it is lifted. */
  onRestriction(restriction: Restriction | null): Promise<void>
  onMessages(messages: InboundMessage[]): Promise<void>
  onReceipts(receipts: Receipt[]): Promise<void>
  /** All other events, in order. */
  onEvents(happenings: ReportedNetworkEvent[]): Promise<void>
}

/** `id` is the network's id of the event and deduplicates redeliveries; null for state that may be reported again. */
export type ReportedNetworkEvent = NetworkEvent & { id: string | null }

/**
 * A request to edit or delete an existing message, as a device sent it. The network only identifies the requester;
 * whether they are allowed to is decided where the message is stored.
 */
export type InboundChange = {
  chatId: string
  /** The message to change. */
  waMessageId: string
  /** The requester. */
  by: Party
  /** Whether one of the account's own devices sent the request. */
  fromMe: boolean
  at: number
}

/** Network events other than messages and receipts. Times are in milliseconds since the epoch. */
export type NetworkEvent =
  | ({ kind: 'edited'; text: string } & InboundChange)
  | ({ kind: 'deleted' } & InboundChange)
  /** A new name, or a phone and a LID that turn out to belong to the same person. */
  | { kind: 'contact'; party: Party; at: number }
  /** The full state of a group that the account has joined or may have missed changes of. */
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

/** Status changes of a session; `willReconnect` means that the adapter reconnects by itself. */
export type SessionStatus =
  /** A phone accepted the code. */
  | { status: 'PAIRED'; phone: string; lid: string | null; profileName: string; business: boolean }
  | { status: 'CONNECTED' }
  | { status: 'DISCONNECTED'; reason: DisconnectReason; willReconnect: boolean }
  /** The account has to be paired again. */
  | { status: 'LOGGED_OUT'; reason: DisconnectReason }
  /** With `restrictedUntil`, the credentials are valid again from that time on. */
  | { status: 'BANNED'; reason: DisconnectReason; restrictedUntil: number | null }
  /** The network requires a proof of ownership that this adapter cannot provide. */
  | { status: 'PASSKEY_REQUIRED' }
  /** All codes expired without being scanned. */
  | { status: 'CODES_EXPIRED' }

/** A temporary limit on an account; `until` is null if the network announces no end. */
export type Restriction = { type: 'new_chats' | 'sending' | 'ban'; until: number | null }

/** A message that the account received, or sent from another device. */
export type InboundMessage = {
  waMessageId: string
  chatId: string
  chatType: 'direct' | 'group'
  chatName: string | null
  /** The author. */
  sender: Party
  /** Sent from another device of the account: stored as outbound, without an event. */
  fromMe: boolean
  type: MessageType
  /** `undecryptable` is replaced when the same message arrives again and can be decrypted. */
  content: StoredContent
  media: InboundMedia | null
  quoted: Quoted | null
  mentions: string[]
  at: number
  /** Virtual phones count a message against the quota when they send it, so that the 101st is rejected there. */
  alreadyCounted: boolean
}

/** A status that messages sent by this account have reached. */
export type Receipt = {
  waMessageIds: string[]
  chatId: string
  status: 'sent' | 'delivered' | 'read' | 'played' | 'failed'
  at: number
  /** The recipient that received or read it; null for the server. */
  party: Party | null
  /** Set only with `failed`. */
  error: { code: MessageErrorCode; retryable: boolean } | null
}
