import type { GroupCommunity } from '../model/group-community.schemas.ts'
import type { GroupSettings } from '../model/group-settings.schemas.ts'
import type { StoredContent } from '../model/message.ts'
import type {
  MessageErrorCode,
  MessageType,
  Participant,
  Party,
  Quoted,
} from '../model/records.schemas.ts'
import type {
  CallStatus,
  DisconnectReason,
  ReceiptStatus,
  HistoricStatus,
  GroupAction,
} from '../model/vocabulary.ts'

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
/** A received file; `source` is what the adapter needs to fetch its bytes, now or later. */
export type InboundMedia = MediaFacts & { source: object }

/** A group with all of its participants; `createdAt` is in milliseconds since the epoch. */
export type GroupState = {
  groupId: string
  subject: string
  description: string | null
  owner: Party | null
  participants: Participant[]
  /** Null if they are unknown. */
  settings: GroupSettings | null
  /** Its role in a community; null if it is in none, absent in reports from nodes of an earlier version. */
  community?: GroupCommunity | null
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
  /** Messages from before the pairing, or older ones that were asked for; a message may come more than once. */
  onHistory(messages: HistoricMessage[]): Promise<void>
  /** All other events, in order. */
  onEvents(reported: ReportedNetworkEvent[]): Promise<void>
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
  /** The message that carried the request, which may have been reported as undecryptable before. */
  carriedBy?: string
}

/** Network events other than messages and receipts. Times are in milliseconds since the epoch. */
export type NetworkEvent =
  | ({ kind: 'edited'; text: string } & InboundChange)
  | ({ kind: 'deleted' } & InboundChange)
  /** A message was pinned in its chat until a time, or unpinned. */
  | ({ kind: 'pinned'; until: number | null } & InboundChange)
  /** A participant keeps a message in a chat whose messages disappear, or no longer does. */
  | ({ kind: 'kept'; kept: boolean } & InboundChange)
  /** One of the account's own devices starred or unstarred a message. */
  | { kind: 'starred'; starred: boolean; chatId: string; waMessageId: string; at: number }
  /** A new name, or a phone and a LID that turn out to belong to the same person. */
  | { kind: 'contact'; party: Party; at: number }
  /** The network's form of a number that was typed differently. */
  | { kind: 'number'; typed: string; phone: string; at: number }
  /** The security code of a person changed: they use another phone, or have installed the app again. */
  | { kind: 'identity'; party: Party; at: number }
  /** A picture of a person or group was set or removed. */
  | { kind: 'picture'; chatId: string; at: number }
  /** The full state of a group that the account has joined or may have missed changes of. */
  | { kind: 'group'; group: GroupState; at: number }
  | {
      kind: 'group_changed'
      groupId: string
      actor: Party
      subject?: string
      description?: string | null
      settings?: Partial<GroupSettings>
      community?: GroupCommunity | null
      at: number
    }
  | {
      kind: 'participants'
      groupId: string
      action: GroupAction | 'join'
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

/** Whose account a session is; `profileName` is empty while it is unknown. */
export type SessionIdentity = {
  phone: string
  lid: string | null
  profileName: string
  business: boolean
}

/** Status changes of a session; `willReconnect` means that the adapter reconnects by itself. */
export type SessionStatus =
  /** A phone accepted the code. */
  | ({ status: 'PAIRED' } & SessionIdentity)
  /** With the identity of the account, because PAIRED is lost if the process ends before it is stored. */
  | { status: 'CONNECTED'; identity?: SessionIdentity | null }
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

/** A message of the past, with the status that it has reached, and whether the account has starred it. */
export type HistoricMessage = InboundMessage & {
  starred: boolean
  status: HistoricStatus
}

/** A status that messages sent by this account have reached. */
export type Receipt = {
  waMessageIds: string[]
  chatId: string
  status: ReceiptStatus
  at: number
  /** The recipient that received or read it; null for the server. */
  party: Party | null
  /** Set only with `failed`. */
  error: { code: MessageErrorCode; retryable: boolean } | null
  /** The network had accepted the message before it failed, so that its credit is not refunded. */
  wasAccepted?: true
}
