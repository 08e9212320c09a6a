import type { Db } from '../platform/db/sql.ts'
import type { MessageContent } from '../model/kinds/index.ts'
import type { Media } from '../model/media-fields.ts'
import type { CallStatus, Chat, Party, Quoted } from '../model/records.schemas.ts'
import type { GroupState, MediaFacts } from './network.port.ts'

/** Whose phones: every Project and mode has its own. */
export type PhoneScope = { projectId: string; mode: 'test' | 'production' }

export type VirtualPhone = {
  id: string
  phone: string
  name: string
  business: boolean
  online: boolean
  banned: boolean
  pairedInstanceIds: string[]
}

/** A message as a phone sees it: no instance stands behind what a person wrote. */
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
}

/** What a phone writes. */
export type PhoneDraft = {
  to: string
  content: MessageContent
  media: (MediaFacts & { id: string }) | null
  quotedWaMessageId: string | null
  mentions: string[]
}

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
 * The people's side of the simulated network, which the room `phones` puts on HTTP. Verbs that the network refuses
 * throw NetworkRefusal. Source: contract §3.
 */
export type VirtualPhones = {
  /** `taken` when the number is; with `phone: null` a free one is made up. */
  create(
    db: Db,
    scope: PhoneScope,
    input: { name: string; phone: string | null; business: boolean; most: number },
  ): Promise<VirtualPhone | 'taken' | 'full'>
  list(db: Db, scope: PhoneScope, limit: number, offset: number): Promise<VirtualPhone[]>
  find(db: Db, scope: PhoneScope, phoneId: string): Promise<VirtualPhone | null>
  /** Changes the name that others see. */
  rename(db: Db, scope: PhoneScope, phone: VirtualPhone, name: string): Promise<void>
  remove(db: Db, scope: PhoneScope, phoneId: string): Promise<void>
  /** The instance that showed the code becomes this phone's; false when the code is unknown or too old. */
  scan(db: Db, scope: PhoneScope, phone: VirtualPhone, code: string): Promise<boolean>
  /** A message that the phone has received or sent. */
  seen(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    waMessageId: string,
  ): Promise<PhoneMessage | null>
  /** Writes a message; null when nobody on the network would get it. */
  write(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    draft: PhoneDraft,
  ): Promise<PhoneMessage | null>
  /** Changes or takes back what it wrote; false when it wrote nothing of that id. */
  change(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    waMessageId: string,
    what: { text: string } | 'deleted',
  ): Promise<boolean>
  /** Reads messages of its inbox; answers those that exist. */
  read(db: Db, scope: PhoneScope, phone: VirtualPhone, waMessageIds: string[]): Promise<string[]>
  inbox(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    limit: number,
    offset: number,
  ): Promise<PhoneMessage[]>
  /** Removes the device on the telephone: its instances log out. */
  unpair(db: Db, scope: PhoneScope, phone: VirtualPhone): Promise<void>
  /** Goes away, comes back, or is banned by the network. */
  setState(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    state: 'offline' | 'online' | 'ban',
  ): Promise<void>
  /** Calls an instance's number; null when nobody there would hear it. */
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
    input: { groupId: string; subject?: string; description?: string | null },
  ): Promise<GroupState>
  changeParticipants(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    input: {
      groupId: string
      action: 'add' | 'remove' | 'promote' | 'demote' | 'leave'
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
  /** Puts a label on a chat of the phone, or takes it off. */
  associateLabel(
    db: Db,
    scope: PhoneScope,
    phone: VirtualPhone,
    label: PhoneLabel,
    chatId: string,
    on: boolean,
  ): Promise<void>
}
