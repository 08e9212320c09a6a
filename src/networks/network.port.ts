import type { Readable } from 'node:stream'
import type { GroupSettings } from '../model/group-settings.schemas.ts'
import type { HistorySync } from '../model/history.schemas.ts'
import type { BusinessProfile } from '../model/profile.schemas.ts'
import type { MessageTemplate, TemplateBody } from '../model/templates.schemas.ts'
import type { MessageContent } from '../model/kinds/index.ts'
import type { GroupState, MediaFacts, NetworkListener } from './network-events.port.ts'
import type { NumberLookup } from './number-lookup.ts'
import type { Participant, Party, Quoted } from '../model/records.schemas.ts'
import type { ChatType, ParticipantAction, PresenceState } from '../model/vocabulary.ts'

/**
 * The interface of a messaging network, modeled on WhatsApp: one long-lived session per account that reconnects by
 * itself, credentials that change with every message, sends that are acknowledged later, and a stream of events.
 * `conformance.ts` tests what every adapter must do.
 */
export type Network = {
  name: string
  /** The features of this network beyond sending and receiving messages. */
  capabilities: ReadonlySet<Capability>
  /** Opens the session of an account: resumes it with stored credentials, or offers pairing codes. */
  open(account: NetworkAccount, listener: NetworkListener): NetworkSession
  /** Unpairs an account without an open session, as far as the network allows. */
  unpair(account: NetworkAccount): Promise<void>
  /** Releases the adapter's own resources; the caller has closed all sessions before. */
  stop(): Promise<void>
}

/** The optional features of networks; `conformance.ts` tests those that an adapter declares. */
export type Capability =
  /** Pairing by a code that a phone scans, and the end of the pairing on the phone. */
  | 'codes'
  | 'groups'
  /** Edits, deletions, pins and stars of messages, including those by contacts. */
  | 'changes'
  /** Calls, labels, profiles, pictures and changes of contacts. */
  | 'phone'
  | 'history'
  | 'lookups'
  | 'polls'
  /** View-once media, and looping videos (GIFs). */
  | 'viewOnce'
  /** Albums of photos and videos. */
  | 'albums'
  | 'blocking'
  /** Status posts, and posts in channels. */
  | 'publishing'
  /** Templates, and the 24-hour window in which a contact's message may be answered freely. */
  | 'templates'

/** An instance as the adapter sees it: its identity, credentials and settings. */
export type NetworkAccount = {
  instanceId: string
  projectId: string
  mode: 'test' | 'production'
  credentials: CredentialStore
  settings: {
    proxyUrl: string | null
    rejectCalls: boolean
    downloadMedia: boolean
    /** Evaluated when the account is paired; later changes have no effect. */
    historySync: HistorySync
  }
}

/** The account's secrets, encrypted at rest. One `save` writes all of its entries in a single statement. */
export type CredentialStore = {
  load(kind: string): Promise<Map<string, Buffer>>
  read(kind: string, id: string): Promise<Buffer | null>
  /** Reads several at once; those that do not exist are absent. */
  readMany(kind: string, ids: string[]): Promise<Map<string, Buffer>>
  save(entries: Credential[]): Promise<void>
  clear(): Promise<void>
}

/** A null value deletes the entry; one with `expiresAt` (milliseconds since the epoch) is deleted then. */
type Credential = { kind: string; id: string; value: Buffer | null; expiresAt?: number }

/** What someone shows about themselves; `business` is null for people who are not a business. */
export type NetworkProfile = { about: string | null; business: BusinessProfile | null }

/** A message that the account sent, and when. */
type SentMessage = { chatId: string; waMessageId: string; sentAt: number }

/** Commands of a session. Arguments and results are plain JSON, because another node may have to forward them. */
export type NetworkCommands = {
  /** Sends read receipts for these messages. */
  markRead(input: {
    messages: { chatId: string; waMessageId: string; sender: Party }[]
  }): Promise<null>
  /** Returns, for each phone, whether it is on the network, and its canonical form. */
  lookUp(input: { phones: string[] }): Promise<NumberLookup[]>
  /**
   * Edits the text of a message that this account sent, or the caption of one whose `kind` is that of a file. Nodes of
   * an earlier version send no `kind` or `mentions`.
   */
  edit(input: SentMessage & { text: string; kind?: string; mentions?: string[] }): Promise<null>
  /** Deletes for everyone a message that this account sent; `audience` is that of a status post. */
  revoke(input: SentMessage & { audience: Party[] }): Promise<null>
  /** Pins a message in its chat for everyone, for some seconds; null unpins it. */
  pin(input: {
    chatId: string
    waMessageId: string
    fromMe: boolean
    sender: Party
    seconds: number | null
  }): Promise<null>
  /**
   * Stars or unstars a message for this account only, on all of its devices. Returns when, in epoch
   * milliseconds.
   */
  star(input: {
    chatId: string
    waMessageId: string
    fromMe: boolean
    sender: Party
    starred: boolean
  }): Promise<{ at: number }>
  /** Shows in a chat that this account is writing or recording, for some seconds at most; `paused` ends it. */
  showPresence(input: { chatId: string; state: PresenceState }): Promise<null>
  /** Returns who the account has blocked. */
  listBlocked(input: object): Promise<Party[]>
  /** Blocks a person, known by phone or LID, so that their messages no longer arrive, or unblocks them. */
  setBlocked(input: { phone: string | null; lid: string | null; blocked: boolean }): Promise<null>
  /** Returns what a person shows this account; `chatId` null means the account itself. */
  findProfile(input: { chatId: string | null }): Promise<NetworkProfile>
  /**
   * Returns the picture of a person, a group or, with `chatId` null, the account itself as a JPEG in base64: about 96
   * pixels with `preview`, else of up to 640. Null if there is none, or none that this account may see.
   */
  findPicture(input: { chatId: string | null; preview: boolean }): Promise<string | null>
  /** Changes what the account says about itself. */
  changeProfile(input: { about: string }): Promise<null>
  /** Sets the picture (JPEG, base64) of a group or, with `groupId` null, of the account itself; null removes it. */
  setPicture(input: { groupId: string | null; picture: string | null }): Promise<null>
  /**
   * Asks the account's phone for up to `count` messages of a chat from before this one. They arrive as history, later,
   * or never if the phone is off.
   */
  requestHistory(input: {
    chatId: string
    before: { waMessageId: string; fromMe: boolean; at: number }
    count: number
  }): Promise<null>
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
  /** Changes only the settings present. */
  changeGroupSettings(input: { groupId: string; settings: Partial<GroupSettings> }): Promise<null>
  /** Returns the code of the group's invitation link; `reset` replaces it, so that the old link stops working. */
  groupInvite(input: { groupId: string; reset: boolean }): Promise<{ code: string }>
  /** Joins a group by the code of its invitation link; null if an admin has to approve it first. */
  joinGroup(input: { code: string }): Promise<GroupState | null>
  /** Lists who has asked to join a group whose admins approve new members, oldest first. */
  listJoinRequests(input: { groupId: string }): Promise<JoinRequest[]>
  /** Approves or rejects requests to join a group; returns the people to whom this applied. */
  answerJoinRequests(input: {
    groupId: string
    action: 'approve' | 'reject'
    requests: Party[]
  }): Promise<Party[]>
  /** Returns the participants that the change applied to. */
  changeParticipants(input: {
    groupId: string
    action: ParticipantAction
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
  /** Processes what the network has posted to the account's webhook; resolves once it is committed. */
  receive(input: { payload: object }): Promise<null>
  listTemplates(input: object): Promise<MessageTemplate[]>
  /** Submits a template for approval; returns its status. */
  createTemplate(input: TemplateBody): Promise<{ status: string }>
  /** Deletes a template in all languages. */
  deleteTemplate(input: { name: string }): Promise<null>
  /** Returns a code to type on the phone, or null if the network has none or the account is paired. */
  requestPairingCode(input: { phone: string }): Promise<{ code: string; expiresAt: number } | null>
}

/** A person who has asked to join a group; `requestedAt` is in epoch milliseconds. */
export type JoinRequest = Party & { requestedAt: number }

/** The commands of groups. */
export type GroupCommands = Pick<
  NetworkCommands,
  | 'createGroup'
  | 'changeGroup'
  | 'changeGroupSettings'
  | 'groupInvite'
  | 'joinGroup'
  | 'listJoinRequests'
  | 'answerJoinRequests'
  | 'changeParticipants'
  | 'leaveGroup'
>

/** The commands of networks with templates and webhooks. */
export type TemplateCommands = Pick<
  NetworkCommands,
  'receive' | 'listTemplates' | 'createTemplate' | 'deleteTemplate'
>

/** The open session of one account. */
export type NetworkSession = NetworkCommands & {
  /** Requests a pairing code unless the account is paired; the listener receives it. */
  requestCode(): Promise<void>
  /**
   * Sends messages in order and resolves once they have left, with those that failed for a reason of their own (keys or
   * file rejected): the caller retries these from `retryAt` on, and they delay only later messages of their chat.
   * Rejects if the connection fails before all were sent. Outcomes arrive as receipts. Resending an id is idempotent.
   * Messages that it has not begun at `until` (milliseconds since the epoch) it returns as `notAttempted`, in their order.
   */
  send(messages: OutboundMessage[], until?: number): Promise<DeferredMessage[]>
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
    this.name = 'NetworkRejection'
    this.reason = reason
  }
}
/** Why a network rejected an operation; the API has a user-facing sentence for each. */
export type RejectionReason =
  | 'too_late'
  | 'unknown'
  | 'not_a_participant'
  | 'not_admin'
  | 'not_business'
  | 'not_supported'
  | 'group_full'
  | 'invalid'

/** A message that the caller retries from `retryAt` (milliseconds since the epoch) on. */
export type DeferredMessage = {
  waMessageId: string
  retryAt: number
  /** No attempt has been made: the time in which it must be sent has not begun. */
  notAttempted?: boolean
}

/** A message to send. Recado chooses `waMessageId`, so that a retry is recognized as the same message. */
export type OutboundMessage = {
  waMessageId: string
  chatId: string
  chatType: ChatType
  /** Who a status post is for, most recent contact first; empty for other messages. */
  audience: Party[]
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

/**
 * A file to send; each call of `open` streams its bytes from the start. `preview` is the thumbnail of a photo (JPEG),
 * or the waveform of a voice note (64 bytes from 0 to 100), in base64; null if there is none.
 */
export type OutboundMedia = MediaFacts & {
  id: string
  preview: string | null
  open(): Promise<Readable>
}
