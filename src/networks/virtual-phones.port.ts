import type { Db } from '../platform/db/sql.ts'
import type { MessageContent } from '../model/kinds/index.ts'
import type { Media } from '../model/media-fields.ts'
import type { Chat, Party, Quoted } from '../model/records.schemas.ts'
import type { CallStatus, GroupAction, PhoneState } from '../model/vocabulary.ts'
import type { GroupSettings } from '../model/group-settings.schemas.ts'
import type { GroupState, MediaFacts } from './network-events.port.ts'

/** The project and mode that own a set of phones. */
export type PhoneScope = { projectId: string; mode: 'test' | 'production' }

/** A phone of the simulated network; `phone` is its number. */
export type VirtualPhone = {
  id: string
  phone: string
  name: string
  about: string | null
  business: boolean
  online: boolean
  banned: boolean
  pairedInstanceIds: string[]
}

/** A message as a phone sees it; `instanceId` is null if a virtual phone sent it. */
export type PhoneMessage = {
  id: string
  instanceId: string | null
  waMessageId: string
  direction: 'inbound' | 'outbound'
  chat: Chat
  from: Party
  to: Party | null
  content: MessageContent
  media: Media | null
  quoted: Quoted | null
  mentions: string[]
  createdAt: Date
  readAt: Date | null
  editedAt: Date | null
  deletedAt: Date | null
  pinnedUntil: Date | null
  /** Whether this phone has starred it. */
  starred: boolean
  /** Whether someone keeps it although messages of its chat disappear. */
  kept: boolean
}

/** A message that a phone sends; `to` is a phone number or a group id. */
export type PhoneMessageDraft = {
  to: string
  content: MessageContent
  media: (MediaFacts & { id: string }) | null
  quotedWaMessageId: string | null
  mentions: string[]
}

/** A message is pinned for some seconds or kept, for everyone in its chat, or starred, for the phone alone. */
export type PhoneMark =
  | { kind: 'pinned'; seconds: number | null }
  | { kind: 'kept'; kept: boolean }
  | { kind: 'starred'; starred: boolean }

type PhoneCall = {
  id: string
  from: Party
  to: Party
  video: boolean
  status: CallStatus
  at: Date
}

type PhoneLabel = { id: string; name: string; color: string }

/**
 * Operations of virtual phones on the simulated network, which the `phones` module serves over HTTP. An operation that
 * the network rejects throws NetworkRejection (G54).
 */
export type VirtualPhones = {
  /** Returns `taken` if the number is in use, `full` at `most` phones; `phone: null` generates a free number. */
  create(
    db: Db,
    scope: PhoneScope,
    input: { name: string; phone: string | null; business: boolean; most: number },
  ): Promise<VirtualPhone | 'taken' | 'full'>
  list(db: Db, scope: PhoneScope, limit: number, offset: number): Promise<VirtualPhone[]>
  find(db: Db, scope: PhoneScope, phoneId: string): Promise<VirtualPhone | null>
  /** Changes what others see of the phone: only the fields present. A null picture (JPEG) removes it. */
  changeProfile(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    changes: { name?: string; about?: string; picture?: Buffer | null },
  ): Promise<void>
  deletePhone(db: Db, scope: PhoneScope, phoneId: string): Promise<void>
  /** Pairs the phone with the instance that showed the code; false if the code is unknown or expired. */
  scan(db: Db, scope: PhoneScope, phone: VirtualPhone, code: string): Promise<boolean>
  /** Returns a message that the phone has received or sent, or null. */
  getMessage(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    waMessageId: string,
  ): Promise<PhoneMessage | null>
  /**
   * Sends a message; null if it has no recipient on the network. `receivedBy` counts the instances that receive it from
   * someone else: not those of the phone itself.
   */
  sendMessage(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    draft: PhoneMessageDraft,
  ): Promise<(PhoneMessage & { receivedBy: number }) | null>
  /** Edits or deletes a message that the phone sent; false if it sent none with this id. */
  changeMessage(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    waMessageId: string,
    what: { text: string } | 'deleted',
  ): Promise<boolean>
  /** Marks a message that the phone sent or received, or removes the mark. False if it has no message with this id. */
  markMessage(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    waMessageId: string,
    mark: PhoneMark,
  ): Promise<boolean>
  /** Marks inbox messages as read; returns the ids that exist. */
  markRead(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    waMessageIds: string[],
  ): Promise<string[]>
  listInbox(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    limit: number,
    offset: number,
  ): Promise<PhoneMessage[]>
  /** Removes the paired devices on the phone: its instances log out. */
  unpair(db: Db, scope: PhoneScope, phone: VirtualPhone): Promise<void>
  /** Takes the phone offline, brings it back online, replaces it by another device, or bans it from the network. */
  setState(db: Db, scope: PhoneScope, phone: VirtualPhone, state: PhoneState): Promise<void>
  /** Calls the number of an instance; null if no paired instance would receive the call. */
  call(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    to: string,
    video: boolean,
  ): Promise<PhoneCall | null>
  createGroup(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    input: { subject: string; description: string | null; participants: string[] },
  ): Promise<GroupState>
  changeGroup(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    input: {
      groupId: string
      subject?: string
      description?: string | null
      settings?: Partial<GroupSettings>
    },
  ): Promise<GroupState>
  /** Creates a community of groups that the phone is an admin of, with a group for its announcements. */
  createCommunity(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    input: { subject: string; groupIds: string[] },
  ): Promise<GroupState>
  /** Adds a group to a community, or removes it with null; the phone must be an admin of both. */
  moveGroup(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    input: { groupId: string; communityId: string | null },
  ): Promise<GroupState>
  /** Returns the code of the invitation to a group of which the phone is an admin. */
  groupInvite(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    groupId: string,
  ): Promise<{ code: string }>
  /** Joins the group that a code invites to; null if an admin has to approve it. */
  joinGroup(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    code: string,
  ): Promise<GroupState | null>
  changeParticipants(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    input: {
      groupId: string
      action: GroupAction
      participants: string[]
    },
  ): Promise<GroupState>
  saveLabel(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    label: { id: string | null; name: string; color: string },
  ): Promise<PhoneLabel>
  listLabels(db: Db, phone: VirtualPhone): Promise<PhoneLabel[]>
  deleteLabel(db: Db, scope: PhoneScope, phone: VirtualPhone, labelId: string): Promise<void>
  /** Adds a label to a chat of the phone, or removes it. */
  associateLabel(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    label: PhoneLabel,
    chatId: string,
    on: boolean,
  ): Promise<void>
}
