// Written by scripts/write-panel-types.ts out of openapi.json and panel/openapi.json: npm run panel-types

export type Tokens = { accessToken?: string; refreshToken?: string }

export type KeyRestrictions = {
  permissions: ('read' | 'send' | 'manage')[] | null
  instanceIds: string[] | null
  addresses: string[] | null
  requestsPerMinute: number | null
}

export type CreatedKey = {
  id: string
  name: string
  keyPrefix: string
  status: 'active' | 'revoked' | 'expired'
  lastUsedAt: string | null
  expiresAt: string | null
  revokedAt: string | null
  createdAt: string
  restrictions?: KeyRestrictions
  key: string
}

export type Key = {
  id: string
  name: string
  keyPrefix: string
  status: 'active' | 'revoked' | 'expired'
  lastUsedAt: string | null
  expiresAt: string | null
  revokedAt: string | null
  createdAt: string
  restrictions?: KeyRestrictions
}

export type KeyList = { items: Key[]; limit: number; offset: number; hasMore: boolean }

export type PublicMember = {
  id: string
  email: string
  name: string | null
  role: 'Dono' | 'Admin' | 'Desenvolvedor' | 'Atendente' | 'Financeiro'
}

export type PublicMembers = { items: PublicMember[] }

export type Cap = { used: number; limit: number; resetsAt: string }

export type CurrentKey = {
  mode: 'test' | 'production'
  key: {
    id: string
    name: string
    keyPrefix: string
    expiresAt: string | null
    restrictions: KeyRestrictions | null
  }
  project: {
    id: string
    name: string
    status: 'ACTIVE' | 'SUSPENDED'
    usageMode: 'CRM' | 'API' | 'BOTH'
    defaultCountry: string | null
  }
  subscription: 'none' | 'active' | 'pending' | 'paused' | 'past_due' | 'canceled'
  addons: string[]
  credits: number
  dailyCap: Cap | null
}

export type UsageRow = {
  day: string
  instanceId: string
  keyId: string | null
  sent: number
  received: number
}

export type Usage = { items: UsageRow[] }

export type ApiRequest = {
  id: string
  at: string
  keyId: string
  keyName: string | null
  keyPrefix: string | null
  method: string
  path: string
  status: number
  ms: number
  code: string | null
  reason: string | null
  message: string | null
}

export type ApiRequests = { items: ApiRequest[]; before: string | null }

export type InstanceNetwork = 'whatsapp' | 'cloud_api'

export type Pace = 'off' | 'normal' | 'safe'

export type SettingsPatch = {
  rejectCalls?: boolean
  readMessages?: boolean
  ignoreGroups?: boolean
  downloadMedia?: boolean
  publishing?: boolean
  sendDelayMinMs?: number
  sendDelayMaxMs?: number
  historySync?: 'none' | 'recent' | 'full'
  pace?: Pace
  proxyUrl?: string
}

export type InstanceStatus =
  | 'CREATED'
  | 'CONNECTING'
  | 'QR'
  | 'PAIRED'
  | 'CONNECTED'
  | 'DISCONNECTED'
  | 'LOGGED_OUT'
  | 'BANNED'
  | 'STOPPED'
  | 'PASSKEY_REQUIRED'

export type Instance = {
  id: string
  name: string
  externalId: string | null
  network?: InstanceNetwork
  status: InstanceStatus
  phone: string | null
  profileName: string | null
  disconnect: {
    reason:
      | 'device_removed'
      | 'logged_out'
      | 'replaced'
      | 'banned'
      | 'client_outdated'
      | 'qr_expired'
      | 'passkey_required'
      | 'network'
      | 'stopped'
    message: string
    at: string
    willReconnect: boolean
  } | null
  restriction: { type: string; until: string | null } | null
  settings: {
    rejectCalls: boolean
    readMessages: boolean
    ignoreGroups: boolean
    downloadMedia: boolean
    publishing: boolean
    sendDelayMinMs: number
    sendDelayMaxMs: number
    historySync: 'none' | 'recent' | 'full'
    pace: Pace
    proxyUrl: string | null
  }
  queue: { pending: number }
  pairedAt: string | null
  connectedAt: string | null
  disconnectedAt: string | null
  createdAt: string
  updatedAt: string
}

export type InstanceList = { items: Instance[]; limit: number; offset: number; hasMore: boolean }

export type QrPoll = {
  status: InstanceStatus
  code: string | null
  at: string | null
  expiresAt: string | null
}

export type QrToken = { token: string; expiresAt: string }

export type PairingCode = { code: string; expiresAt: string }

export type PairingLink = { url: string; expiresAt: string }

export type CloudAccount = {
  phoneNumberId: string
  businessAccountId: string
  webhook: { url: string; verifyToken: string; configured: boolean | null }
}

export type UploadedMedia = {
  id: string
  mimeType: string
  fileName: string | null
  sizeBytes: number
  sha256: string
  expiresAt: string
}

export type Recipient = string

export type TargetChat = string

export type QuotedMessage = string

export type Mentions = string[]

export type SendDelay = number

export type TypingTime = number

export type OverPace = 'wait' | 'refuse'

export type ClientReference = string

export type Metadata = Record<string, string>

export type SendText = {
  type?: 'text'
  to?: Recipient
  conversationId?: TargetChat
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  delayMs?: SendDelay
  typingMs?: TypingTime
  overPace?: OverPace
  clientReference?: ClientReference
  metadata?: Metadata
  text: string
  linkPreview?: boolean
}

export type MediaInput = {
  url?: string
  base64?: string
  mediaId?: string
  mimeType?: string | null
  fileName?: string | null
}

export type SendImage = {
  type: 'image'
  to?: Recipient
  conversationId?: TargetChat
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  delayMs?: SendDelay
  typingMs?: TypingTime
  overPace?: OverPace
  clientReference?: ClientReference
  metadata?: Metadata
  media: MediaInput
  caption?: string | null
  viewOnce?: boolean
  voice?: false
}

export type SendVideo = {
  type: 'video'
  to?: Recipient
  conversationId?: TargetChat
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  delayMs?: SendDelay
  typingMs?: TypingTime
  overPace?: OverPace
  clientReference?: ClientReference
  metadata?: Metadata
  media: MediaInput
  caption?: string | null
  viewOnce?: boolean
  voice?: false
  gif?: boolean
}

export type SendAudio = {
  type: 'audio'
  to?: Recipient
  conversationId?: TargetChat
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  delayMs?: SendDelay
  typingMs?: TypingTime
  overPace?: OverPace
  clientReference?: ClientReference
  metadata?: Metadata
  media: MediaInput
  voice?: boolean
  viewOnce?: boolean
  caption?: null
}

export type SendDocument = {
  type: 'document'
  to?: Recipient
  conversationId?: TargetChat
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  delayMs?: SendDelay
  typingMs?: TypingTime
  overPace?: OverPace
  clientReference?: ClientReference
  metadata?: Metadata
  media: MediaInput
  caption?: string | null
  voice?: false
  viewOnce?: false
}

export type SendSticker = {
  type: 'sticker'
  to?: Recipient
  conversationId?: TargetChat
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  delayMs?: SendDelay
  typingMs?: TypingTime
  overPace?: OverPace
  clientReference?: ClientReference
  metadata?: Metadata
  media: MediaInput
}

export type SendLocation = {
  type: 'location'
  to?: Recipient
  conversationId?: TargetChat
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  delayMs?: SendDelay
  typingMs?: TypingTime
  overPace?: OverPace
  clientReference?: ClientReference
  metadata?: Metadata
  latitude: number
  longitude: number
  name?: string
  address?: string
}

export type SentContact = {
  name: string
  phones: { phone: string; label?: string }[]
  organization?: string
  emails?: string[]
}

export type SendContact = {
  type: 'contact'
  to?: Recipient
  conversationId?: TargetChat
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  delayMs?: SendDelay
  typingMs?: TypingTime
  overPace?: OverPace
  clientReference?: ClientReference
  metadata?: Metadata
  contacts?: SentContact[]
  vcard?: string
}

export type Emoji = string

export type SendReaction = {
  type: 'reaction'
  to?: Recipient
  conversationId?: TargetChat
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  delayMs?: SendDelay
  typingMs?: TypingTime
  overPace?: OverPace
  clientReference?: ClientReference
  metadata?: Metadata
  waMessageId: string
  emoji: Emoji
}

export type SendPoll = {
  type: 'poll'
  to?: Recipient
  conversationId?: TargetChat
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  delayMs?: SendDelay
  typingMs?: TypingTime
  overPace?: OverPace
  clientReference?: ClientReference
  metadata?: Metadata
  question: string
  options: string[]
  maxSelections?: number
}

export type TemplateSend = {
  name: string
  language?: string
  variables?: string[]
  header?: { text?: string; media?: 'image' | 'video' | 'document'; url?: string }
  buttons?: { index: number; type: 'url' | 'quick_reply' | 'copy_code'; value: string }[]
}

export type SendTemplate = {
  type: 'template'
  to?: Recipient
  conversationId?: TargetChat
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  delayMs?: SendDelay
  typingMs?: TypingTime
  overPace?: OverPace
  clientReference?: ClientReference
  metadata?: Metadata
  template: TemplateSend
}

export type MessageType =
  | 'text'
  | 'image'
  | 'video'
  | 'audio'
  | 'document'
  | 'sticker'
  | 'location'
  | 'contact'
  | 'reaction'
  | 'poll'
  | 'pollVote'
  | 'template'
  | 'system'
  | 'unsupported'
  | 'undecryptable'

export type MessageStatus =
  'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'received'

export type Chat = {
  id: string
  type: 'direct' | 'group' | 'status' | 'channel'
  name: string | null
}

export type Party = { phone: string | null; lid: string | null; name: string | null }

export type MessageMedia = {
  id: string
  mimeType: string | null
  fileName: string | null
  sizeBytes: number | null
  sha256: string | null
  durationSeconds: number | null
  width: number | null
  height: number | null
  voice: boolean
  status: 'available' | 'pending' | 'failed' | 'expired'
  url?: string
  urlExpiresAt?: string
}

export type Location = {
  latitude: number
  longitude: number
  name: string | null
  address: string | null
}

export type SharedContact = {
  name: string
  phones: { phone: string; label: string | null }[]
  organization: string | null
  emails: string[]
}

export type Reaction = { waMessageId: string; emoji: string }

export type Poll = {
  waMessageId: string | null
  question: string | null
  options: { name: string; votes: number }[]
  maxSelections: number | null
  selected: string[]
}

export type Quoted = {
  waMessageId: string
  type: MessageType | null
  text: string | null
  fromMe: boolean
}

export type InteractiveReply = {
  kind: 'button' | 'list' | 'template' | 'form'
  id: string | null
  title: string | null
}

export type Amount = { value: number; currency: string }

export type ReceivedOrder = {
  id: string
  title: string | null
  message: string | null
  items: number | null
  total: Amount | null
}

export type ReceivedProduct = {
  id: string | null
  retailerId: string | null
  title: string | null
  description: string | null
  price: Amount | null
  url: string | null
}

export type GroupInvitation = {
  groupId: string
  code: string
  name: string | null
  expiresAt: string | null
}

export type EventInvitation = {
  canceled: boolean
  name: string | null
  description: string | null
  place: string | null
  joinUrl: string | null
  startsAt: string | null
  endsAt: string | null
}

export type MessageDetails = {
  reply?: InteractiveReply
  order?: ReceivedOrder
  product?: ReceivedProduct
  groupInvitation?: GroupInvitation
  event?: EventInvitation
}

export type Referral = {
  sourceType: string | null
  sourceId: string | null
  sourceUrl: string | null
  headline: string | null
  body: string | null
  mediaUrl: string | null
  ctwaClid: string | null
  entryPoint: string | null
}

export type SentTemplate = { name: string; language: string; variables: string[] }

export type MessageError = {
  code:
    | 'NUMBER_NOT_ON_NETWORK'
    | 'INSTANCE_OFFLINE'
    | 'MEDIA_FETCH_FAILED'
    | 'MEDIA_TOO_LARGE'
    | 'MEDIA_UNSUPPORTED'
    | 'ACK_TIMEOUT'
    | 'NOT_A_PARTICIPANT'
    | 'BLOCKED'
    | 'RESTRICTED'
    | 'PACE_LIMIT'
    | 'WINDOW_CLOSED'
    | 'TEMPLATE_REJECTED'
    | 'OUTCOME_UNKNOWN'
    | 'UNKNOWN'
  message: string
  retryable: boolean
}

export type Message = {
  id: string
  instanceId: string
  conversationId: string
  waMessageId: string
  direction: 'outbound' | 'inbound'
  origin: 'api' | 'panel' | 'campaign' | 'phone'
  type: MessageType
  status: MessageStatus
  chat: Chat
  from: Party
  to: Party | null
  text: string | null
  media: MessageMedia | null
  location: Location | null
  contacts: SharedContact[] | null
  reaction: Reaction | null
  poll: Poll | null
  quoted: Quoted | null
  mentions: string[]
  content?: MessageDetails
  referral?: Referral
  forwarded?: boolean
  recovered?: boolean
  albumId?: string
  gif?: boolean
  template?: SentTemplate
  sentBy?: string
  pinnedUntil?: string
  starred?: boolean
  kept?: boolean
  viewOnce: boolean
  editedAt: string | null
  deletedAt: string | null
  clientReference: string | null
  campaignId: string | null
  metadata: Record<string, string>
  error: MessageError | null
  createdAt: string
  sentAt: string | null
  deliveredAt: string | null
  readAt: string | null
}

export type MessageList = { items: Message[]; limit: number; offset: number; hasMore: boolean }

export type MessageDetail = {
  id: string
  instanceId: string
  conversationId: string
  waMessageId: string
  direction: 'outbound' | 'inbound'
  origin: 'api' | 'panel' | 'campaign' | 'phone'
  type: MessageType
  status: MessageStatus
  chat: Chat
  from: Party
  to: Party | null
  text: string | null
  media: MessageMedia | null
  location: Location | null
  contacts: SharedContact[] | null
  reaction: Reaction | null
  poll: Poll | null
  quoted: Quoted | null
  mentions: string[]
  content?: MessageDetails
  referral?: Referral
  forwarded?: boolean
  recovered?: boolean
  albumId?: string
  gif?: boolean
  template?: SentTemplate
  sentBy?: string
  pinnedUntil?: string
  starred?: boolean
  kept?: boolean
  viewOnce: boolean
  editedAt: string | null
  deletedAt: string | null
  clientReference: string | null
  campaignId: string | null
  metadata: Record<string, string>
  error: MessageError | null
  createdAt: string
  sentAt: string | null
  deliveredAt: string | null
  readAt: string | null
  events: { status: MessageStatus; at: string; party: Party | null }[]
}

export type MarkedRead = { waMessageIds: string[] }

export type AlbumItem = { type: 'image' | 'video'; media: MediaInput; caption?: string | null }

export type SentAlbum = { items: Message[] }

export type ScheduledMessage = {
  id: string
  instanceId: string
  sendAt: string
  status: 'scheduled' | 'sent' | 'failed' | 'canceled'
  message: Record<string, unknown>
  messageId: string | null
  error: {
    code:
      | 'INSTANCE_NOT_CONNECTED'
      | 'INSUFFICIENT_CREDITS'
      | 'SUBSCRIPTION_REQUIRED'
      | 'DAILY_CAP_REACHED'
      | 'PACE_LIMIT'
      | 'API_NOT_ENABLED'
      | 'PANEL_NOT_ENABLED'
      | 'PROJECT_INACTIVE'
      | 'KEY_REFUSED'
      | 'NOT_FOUND'
      | 'INVALID'
      | 'TOO_LATE'
    message: string
  } | null
  createdAt: string
  endedAt: string | null
}

export type ScheduledMessageList = {
  items: ScheduledMessage[]
  limit: number
  offset: number
  hasMore: boolean
}

export type ConversationStatus = 'open' | 'waiting' | 'done'

export type Conversation = {
  id: string
  instanceId: string
  chat: Chat
  contact: Party | null
  unreadCount: number
  archived: boolean
  pinned: boolean
  labelIds: string[]
  status: ConversationStatus
  assignee: { id: string; email: string; name: string | null } | null
  lastMessage: {
    waMessageId: string
    type: MessageType
    text: string | null
    fromMe: boolean
    at: string
  } | null
  lastMessageStatus: MessageStatus | null
  lastMessageFrom: Party | null
  lastMessageAt: string | null
  waitingSince: string | null
  referral: Referral | null
}

export type ConversationList = {
  items: Conversation[]
  limit: number
  offset: number
  hasMore: boolean
}

export type ResponseTimes = {
  total: { answered: number; medianSeconds: number | null; p90Seconds: number | null }
  days: { day: string; answered: number; medianSeconds: number | null; p90Seconds: number | null }[]
}

export type HistoryRequest = { requested: number }

export type HealthMetrics = {
  sent: number
  received: number
  settled: number
  deliveredShare: number | null
  restrictedShare: number | null
  wrongNumberShare: number | null
  newChats: number
  newChatsAnswered: number
  mostNewChatsInADay: number
  newChatsAllowance: number
  connectedShare: number | null
}

export type InstancePacing = {
  pace: Pace
  startedToday: number
  mostPerDay: number | null
  waiting: number
  nextAt: string | null
}

export type InstanceHealth = {
  score: number
  level: 'good' | 'attention' | 'risk'
  since: string
  reasons: {
    code:
      | 'BANNED'
      | 'RESTRICTED'
      | 'RESTRICTED_SENDS'
      | 'UNDELIVERED'
      | 'COLD_UNANSWERED'
      | 'TOO_MANY_NEW_CHATS'
      | 'WRONG_NUMBERS'
      | 'DISCONNECTED'
    points: number
    message: string
  }[]
  metrics: HealthMetrics
  pacing: InstancePacing
  complete: boolean
}

export type BusinessProfile = {
  description: string | null
  category: string | null
  email: string | null
  address: string | null
  websites: string[]
}

export type Profile = {
  name: string | null
  about: string | null
  business: BusinessProfile | null
}

export type MessageTemplate = {
  name: string
  language: string
  category: string
  status: string
  body: string | null
  header: string | null
  footer: string | null
  buttons: { type: string; text: string }[]
  rejectedReason: string | null
}

export type MessageTemplateList = {
  items: MessageTemplate[]
  limit: number
  offset: number
  hasMore: boolean
}

export type Note = {
  id: string
  conversationId: string
  text: string
  author: { id: string; name: string | null }
  mentions: { id: string; name: string | null }[]
  createdAt: string
}

export type NoteList = { items: Note[]; limit: number; offset: number; hasMore: boolean }

export type QuickReply = {
  id: string
  shortcut: string
  text: string
  createdAt: string
  updatedAt: string
}

export type QuickReplyList = {
  items: QuickReply[]
  limit: number
  offset: number
  hasMore: boolean
}

export type Contact = {
  phone: string | null
  lid: string | null
  name: string | null
  profileName: string | null
  fields: Record<string, string>
  identityChangedAt?: string
  createdAt: string
  updatedAt: string
}

export type ContactList = { items: Contact[]; limit: number; offset: number; hasMore: boolean }

export type CheckedPhones = {
  items: { input: string; exists: boolean; phone: string | null; lid: string | null }[]
}

export type BlockedList = { items: Party[] }

export type ImportedContacts = {
  imported: number
  problems: {
    index: number
    phone: string
    reason: 'invalid_number' | 'too_many_fields'
    message: string
  }[]
}

export type Participant = {
  phone: string | null
  lid: string | null
  name: string | null
  role: 'member' | 'admin' | 'superadmin'
}

export type GroupSettings = {
  onlyAdminsSend: boolean
  onlyAdminsEdit: boolean
  joinApproval: boolean
  disappearingSeconds: 0 | 86400 | 604800 | 7776000
}

export type GroupCommunity = { id: string; part: 'community' | 'announcements' | 'group' }

export type Group = {
  id: string
  conversationId: string
  subject: string
  description: string | null
  owner: Party | null
  participants: Participant[]
  settings: GroupSettings | null
  community: GroupCommunity | null
  createdAt: string
}

export type GroupList = { items: Group[]; limit: number; offset: number; hasMore: boolean }

export type NewGroup = { subject: string; description?: string; participants: string[] }

export type GroupJoin = { invite: string }

export type JoinedGroup = { status: 'joined' | 'pending'; group: Group | null }

export type GroupSettingsChange = {
  onlyAdminsSend?: boolean
  onlyAdminsEdit?: boolean
  joinApproval?: boolean
  disappearingSeconds?: 0 | 86400 | 604800 | 7776000
}

export type GroupChange = { subject?: string; description?: string; settings?: GroupSettingsChange }

export type GroupInvite = { code: string; url: string }

export type JoinRequest = {
  phone: string | null
  lid: string | null
  name: string | null
  requestedAt: string
}

export type JoinRequestList = { items: JoinRequest[] }

export type AnsweredJoinRequests = { action: 'approve' | 'reject'; participants: Party[] }

export type Label = { id: string; name: string; color: string }

export type LabelList = { items: Label[]; limit: number; offset: number; hasMore: boolean }

export type NewLabel = { name: string; color?: string }

export type LabelChange = { name?: string; color?: string }

export type Call = {
  id: string
  from: Party
  video: boolean
  group: boolean
  status: 'ringing' | 'rejected' | 'missed' | 'accepted'
  at: string
}

export type CallList = { items: Call[]; limit: number; offset: number; hasMore: boolean }

export type Phone = {
  id: string
  phone: string
  name: string
  about: string | null
  business: boolean
  online: boolean
  banned: boolean
  pairedInstanceIds: string[]
}

export type PhoneList = { items: Phone[]; limit: number; offset: number; hasMore: boolean }

export type PhoneRecipient = string

export type InteractiveReplyDraft = {
  kind: 'button' | 'list' | 'template' | 'form'
  id?: string
  title?: string
}

export type ReceivedOrderDraft = {
  id: string
  title?: string
  message?: string
  items?: number
  total?: Amount
}

export type ReceivedProductDraft = {
  id?: string
  retailerId?: string
  title?: string
  description?: string
  price?: Amount
  url?: string
}

export type GroupInvitationDraft = { groupId: string; code: string; name?: string }

export type EventInvitationDraft = {
  canceled: boolean
  name?: string
  description?: string
  place?: string
  joinUrl?: string
}

export type MessageDetailsDraft = {
  reply?: InteractiveReplyDraft
  order?: ReceivedOrderDraft
  product?: ReceivedProductDraft
  groupInvitation?: GroupInvitationDraft
  event?: EventInvitationDraft
}

export type ReferralDraft = {
  sourceType?: string
  sourceId?: string
  sourceUrl?: string
  headline?: string
  body?: string
  mediaUrl?: string
  ctwaClid?: string
  entryPoint?: string
}

export type ForwardedDraft = boolean

export type PhoneSendText = {
  type?: 'text'
  to: PhoneRecipient
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  content?: MessageDetailsDraft
  referral?: ReferralDraft
  forwarded?: ForwardedDraft
  text: string
  linkPreview?: boolean
}

export type PhoneSendImage = {
  type: 'image'
  to: PhoneRecipient
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  content?: MessageDetailsDraft
  referral?: ReferralDraft
  forwarded?: ForwardedDraft
  media: MediaInput
  caption?: string | null
  viewOnce?: boolean
  voice?: false
}

export type PhoneSendVideo = {
  type: 'video'
  to: PhoneRecipient
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  content?: MessageDetailsDraft
  referral?: ReferralDraft
  forwarded?: ForwardedDraft
  media: MediaInput
  caption?: string | null
  viewOnce?: boolean
  voice?: false
  gif?: boolean
}

export type PhoneSendAudio = {
  type: 'audio'
  to: PhoneRecipient
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  content?: MessageDetailsDraft
  referral?: ReferralDraft
  forwarded?: ForwardedDraft
  media: MediaInput
  voice?: boolean
  viewOnce?: boolean
  caption?: null
}

export type PhoneSendDocument = {
  type: 'document'
  to: PhoneRecipient
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  content?: MessageDetailsDraft
  referral?: ReferralDraft
  forwarded?: ForwardedDraft
  media: MediaInput
  caption?: string | null
  voice?: false
  viewOnce?: false
}

export type PhoneSendSticker = {
  type: 'sticker'
  to: PhoneRecipient
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  content?: MessageDetailsDraft
  referral?: ReferralDraft
  forwarded?: ForwardedDraft
  media: MediaInput
}

export type PhoneSendLocation = {
  type: 'location'
  to: PhoneRecipient
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  content?: MessageDetailsDraft
  referral?: ReferralDraft
  forwarded?: ForwardedDraft
  latitude: number
  longitude: number
  name?: string
  address?: string
}

export type PhoneSendContact = {
  type: 'contact'
  to: PhoneRecipient
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  content?: MessageDetailsDraft
  referral?: ReferralDraft
  forwarded?: ForwardedDraft
  contacts?: SentContact[]
  vcard?: string
}

export type PhoneSendReaction = {
  type: 'reaction'
  to: PhoneRecipient
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  content?: MessageDetailsDraft
  referral?: ReferralDraft
  forwarded?: ForwardedDraft
  waMessageId: string
  emoji: Emoji
}

export type PhoneSendPoll = {
  type: 'poll'
  to: PhoneRecipient
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  content?: MessageDetailsDraft
  referral?: ReferralDraft
  forwarded?: ForwardedDraft
  question: string
  options: string[]
  maxSelections?: number
}

export type PhoneSendPollVote = {
  type: 'pollVote'
  to: PhoneRecipient
  quotedWaMessageId?: QuotedMessage
  mentions?: Mentions
  content?: MessageDetailsDraft
  referral?: ReferralDraft
  forwarded?: ForwardedDraft
  waMessageId: string
  options: string[]
}

export type PhoneMessage = {
  id: string
  instanceId: string | null
  conversationId: string
  waMessageId: string
  direction: 'outbound' | 'inbound'
  origin: 'api' | 'panel' | 'campaign' | 'phone'
  type: MessageType
  status: MessageStatus
  chat: Chat
  from: Party
  to: Party | null
  text: string | null
  media: MessageMedia | null
  location: Location | null
  contacts: SharedContact[] | null
  reaction: Reaction | null
  poll: Poll | null
  quoted: Quoted | null
  mentions: string[]
  content?: MessageDetails
  referral?: Referral
  forwarded?: boolean
  recovered?: boolean
  albumId?: string
  gif?: boolean
  template?: SentTemplate
  sentBy?: string
  pinnedUntil?: string
  starred?: boolean
  kept?: boolean
  viewOnce: boolean
  editedAt: string | null
  deletedAt: string | null
  clientReference: string | null
  campaignId: string | null
  metadata: Record<string, string>
  error: MessageError | null
  createdAt: string
  sentAt: string | null
  deliveredAt: string | null
  readAt: string | null
}

export type PhoneInbox = { items: PhoneMessage[]; limit: number; offset: number; hasMore: boolean }

export type PhoneCall = {
  id: string
  from: Party
  to: Party
  video: boolean
  status: 'ringing' | 'rejected' | 'missed' | 'accepted'
  at: string
}

export type PhoneGroup = {
  id: string
  subject: string
  description: string | null
  owner: Party | null
  participants: Participant[]
  settings: GroupSettings | null
  community: GroupCommunity | null
  createdAt: string
}

export type PhoneLabels = { items: Label[] }

export type PhoneJoinedGroup = { status: 'joined' | 'pending'; group: PhoneGroup | null }

export type CampaignText = {
  type?: 'text'
  typingMs?: TypingTime
  metadata?: Metadata
  text: string
  linkPreview?: boolean
}

export type CampaignImage = {
  type: 'image'
  typingMs?: TypingTime
  metadata?: Metadata
  media: MediaInput
  caption?: string | null
  viewOnce?: boolean
  voice?: false
}

export type CampaignVideo = {
  type: 'video'
  typingMs?: TypingTime
  metadata?: Metadata
  media: MediaInput
  caption?: string | null
  viewOnce?: boolean
  voice?: false
  gif?: boolean
}

export type CampaignAudio = {
  type: 'audio'
  typingMs?: TypingTime
  metadata?: Metadata
  media: MediaInput
  voice?: boolean
  viewOnce?: boolean
  caption?: null
}

export type CampaignDocument = {
  type: 'document'
  typingMs?: TypingTime
  metadata?: Metadata
  media: MediaInput
  caption?: string | null
  voice?: false
  viewOnce?: false
}

export type CampaignSticker = {
  type: 'sticker'
  typingMs?: TypingTime
  metadata?: Metadata
  media: MediaInput
}

export type CampaignLocation = {
  type: 'location'
  typingMs?: TypingTime
  metadata?: Metadata
  latitude: number
  longitude: number
  name?: string
  address?: string
}

export type CampaignContact = {
  type: 'contact'
  typingMs?: TypingTime
  metadata?: Metadata
  contacts?: SentContact[]
  vcard?: string
}

export type CampaignPoll = {
  type: 'poll'
  typingMs?: TypingTime
  metadata?: Metadata
  question: string
  options: string[]
  maxSelections?: number
}

export type CampaignTemplate = {
  type: 'template'
  typingMs?: TypingTime
  metadata?: Metadata
  template: TemplateSend
}

export type CampaignRecipientInput = {
  to: string
  variables?: Record<string, string>
  clientReference?: string | null
}

export type PacingInput = {
  minDelayMs?: number
  maxDelayMs?: number
  dailyLimitPerInstance?: number | null
  window?: { from: string; to: string; timeZone?: string; weekdays?: number[] } | null
}

export type Pacing = {
  minDelayMs: number
  maxDelayMs: number
  dailyLimitPerInstance: number | null
  window: { from: string; to: string; timeZone: string; weekdays: number[] } | null
}

export type RecipientImport = {
  lines: number
  added: number
  duplicates: number
  invalid: number
  problems: {
    line: number
    to: string | null
    reason: 'invalid_number' | 'duplicate' | 'missing_variable' | 'invalid'
    message: string
  }[]
}

export type Campaign = {
  id: string
  name: string
  status: 'DRAFT' | 'SCHEDULED' | 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'CANCELED'
  instanceIds: string[]
  message: Record<string, unknown>
  pacing: Pacing | null
  pause: {
    reason:
      | 'USER'
      | 'FAILURE_RATE'
      | 'INSTANCE_NOT_CONNECTED'
      | 'INSTANCE_RESTRICTED'
      | 'INSUFFICIENT_CREDITS'
      | 'SUBSCRIPTION_REQUIRED'
      | 'ADDON_REQUIRED'
      | 'DAILY_CAP_REACHED'
      | 'API_NOT_ENABLED'
      | 'PANEL_NOT_ENABLED'
      | 'PROJECT_INACTIVE'
      | 'KEY_REFUSED'
      | 'MEDIA_EXPIRED'
    message: string
    at: string
    willResume: boolean
  } | null
  counts: {
    total: number
    pending: number
    sent: number
    delivered: number
    read: number
    replied: number
    failed: number
    skipped: number
  }
  creditsEstimated: number
  creditsUsed: number
  import: RecipientImport | null
  createdAt: string
  updatedAt: string
  scheduledAt: string | null
  startedAt: string | null
  finishedAt: string | null
}

export type CampaignList = { items: Campaign[]; limit: number; offset: number; hasMore: boolean }

export type CampaignRecipient = {
  to: string
  variables: Record<string, string>
  clientReference: string | null
  status: 'pending' | 'sent' | 'delivered' | 'read' | 'replied' | 'failed' | 'skipped'
  reason:
    | 'OPTED_OUT'
    | 'DUPLICATE'
    | 'CANCELED'
    | 'OUTSIDE_WINDOW'
    | 'NOT_ON_NETWORK'
    | 'INVALID_MESSAGE'
    | null
  message: Message | null
}

export type CampaignRecipientList = {
  items: CampaignRecipient[]
  limit: number
  offset: number
  hasMore: boolean
}

export type AudienceInput = { instanceId: string; labelId?: string }

export type Audience = {
  total: number
  variables: string[]
  first: { to: string; variables: Record<string, string> }[]
}

export type OptOut = {
  phone: string | null
  lid: string | null
  source: 'reply' | 'team'
  createdAt: string
}

export type OptOutList = { items: OptOut[]; limit: number; offset: number; hasMore: boolean }

export type AddedOptOuts = { added: number; known: number }

export type EventName =
  | 'message.received'
  | 'message.status'
  | 'instance.status'
  | 'call.received'
  | 'message.deleted'
  | 'group.participants'
  | 'group.updated'
  | 'contact.updated'
  | 'label.updated'
  | 'label.association'

export type WebhookInclude = ('own' | 'edits' | 'sent' | 'backfill')[]

export type WebhookMedia = 'link'

export type WebhookFilter = {
  instanceIds: string[] | null
  chatTypes: ('direct' | 'group' | 'status' | 'channel')[] | null
  directions: ('inbound' | 'outbound')[] | null
  types: MessageType[] | null
}

export type CreatedWebhook = {
  id: string
  name: string
  url: string
  events: EventName[]
  enabled: boolean
  lastSuccessAt: string | null
  lastFailureAt: string | null
  lastFailureReason: string | null
  createdAt: string
  include?: WebhookInclude
  filter?: WebhookFilter
  media?: WebhookMedia
  headerNames?: string[]
  previousSecretUntil?: string
  secret: string
}

export type Webhook = {
  id: string
  name: string
  url: string
  events: EventName[]
  enabled: boolean
  lastSuccessAt: string | null
  lastFailureAt: string | null
  lastFailureReason: string | null
  createdAt: string
  include?: WebhookInclude
  filter?: WebhookFilter
  media?: WebhookMedia
  headerNames?: string[]
  previousSecretUntil?: string
}

export type WebhookList = { items: Webhook[]; limit: number; offset: number; hasMore: boolean }

export type DeliveryAttempt = {
  id: number
  event: EventName
  attempt: number
  statusCode: number | null
  outcome: 'success' | 'failed'
  errorReason: string | null
  durationMs: number
  createdAt: string
}

export type DeliveryLog = {
  items: DeliveryAttempt[]
  limit: number
  offset: number
  hasMore: boolean
}

export type Inbox = {
  id: string
  name: string
  url: string
  answer: { status: number; times?: number; timeout?: true }
  createdAt: string
}

export type InboxList = { items: Inbox[]; limit: number; offset: number; hasMore: boolean }

export type InboxRequest = {
  id: number
  method: string
  headers: Record<string, string>
  body: string
  receivedAt: string
}

export type InboxRequestList = {
  items: InboxRequest[]
  limit: number
  offset: number
  hasMore: boolean
}

export type LocalMail = { at: string; to: string; subject: string; text: string }

export type LocalMails = { local: boolean; items: LocalMail[] }

export type AlertSettings = {
  kinds: ('instance_down' | 'webhook_failing' | 'credits_low' | 'payment_due')[]
  allowed: ('instance_down' | 'webhook_failing' | 'credits_low' | 'payment_due')[]
  creditsBelow: number
}

export type OperatedProject = {
  id: string
  company: string
  owner: string | null
  status: 'ACTIVE' | 'SUSPENDED'
  usageMode: 'CRM' | 'API' | 'BOTH'
  exempt: boolean
  subscription: 'none' | 'active' | 'pending' | 'paused' | 'past_due' | 'canceled'
  massSending: boolean
  credits: number
  instances: number
  connected: number
  sent: number
  createdAt: string
}

export type OperatedProjects = {
  items: OperatedProject[]
  limit: number
  offset: number
  hasMore: boolean
}

export type Node = {
  id: string
  startedAt: string | null
  secondsSinceHeartbeat: number
  capacity: number
  draining: boolean
  instances: number
  connected: number
}

export type Nodes = { items: Node[] }

export type Queues = {
  messages: number
  oldestMessageAt: string | null
  dueDeliveries: number
  oldestDeliveryAt: string | null
  waitingDeliveries: number
  runningCampaigns: number
  scheduledMessages: number
  projects: { projectId: string; company: string; messages: number; deliveries: number }[]
}

export type Accepted = Record<string, unknown>

export type Member = {
  id: string
  email: string
  name: string | null
  role: 'Dono' | 'Admin' | 'Desenvolvedor' | 'Atendente' | 'Financeiro'
  secondFactor: boolean
  createdAt: string
  lastSignInAt: string | null
}

export type Invitation = {
  id: string
  email: string
  role: 'Dono' | 'Admin' | 'Desenvolvedor' | 'Atendente' | 'Financeiro'
  createdAt: string
  expiresAt: string
}

export type Members = { items: Member[]; invitations: Invitation[] }

export type CreditEntry = { at: string; cause: 'opening' | 'grant' | 'purchase'; amount: number }

export type CreditEntries = { items: CreditEntry[] }

export type Plan = {
  subscription: 'none' | 'active' | 'pending' | 'paused' | 'past_due' | 'canceled'
  exempt: boolean
  addons: string[]
  usageMode: 'CRM' | 'API' | 'BOTH'
  projectStatus: 'ACTIVE' | 'SUSPENDED'
  credits: number | null
  payments: 'manual' | 'stripe'
  contact: string
  manageable: boolean
}

export type Offer = {
  id: string
  kind: 'subscription' | 'mass_sending' | 'credits'
  credits: number | null
  amount: number
  currency: string
  interval: 'month' | 'year' | null
}

export type Invoice = {
  id: string
  number: string | null
  at: string
  amount: number
  currency: string
  status: 'open' | 'paid' | 'void' | 'uncollectible'
  url: string | null
  lines: { description: string; amount: number }[]
}

export type Appearance = {
  theme: 'sistema' | 'claro' | 'escuro'
  density: 'confortavel' | 'compacta'
  language: 'pt-BR' | 'en' | 'es'
}

export type Me = {
  id: string
  email: string
  name: string | null
  role: 'Dono' | 'Admin' | 'Desenvolvedor' | 'Atendente' | 'Financeiro'
  secondFactor: boolean
  operator: boolean
  appearance: Appearance | null
  company: string
  projectId: string
  projectStatus: 'ACTIVE' | 'SUSPENDED'
  usageMode: 'CRM' | 'API' | 'BOTH'
  defaultCountry: string | null
}

export type OpenedSession = {
  at: string
  browser: string | null
  timeZone: string | null
  endedAt: string | null
  superseded: boolean
  current: boolean
}

export type OpenedSessions = { items: OpenedSession[] }

export type SavedView = { page: string; name: string; search: string }

export type AuditEntry = {
  id: number
  at: string
  actor: string
  actorName: string | null
  action: string
  object: string
  objectName: string | null
  mode: 'test' | 'production' | null
  address: string | null
  before: Record<string, Record<string, unknown>> | null
  after: Record<string, Record<string, unknown>> | null
}

export type AuditLog = { items: AuditEntry[]; limit: number; offset: number; hasMore: boolean }

export type Successor = { at: string; browser: string | null; timeZone: string | null }

export type Pairing = {
  status: InstanceStatus
  code: string | null
  at: string | null
  expiresAt: string | null
  sequence: number
  most: number
}

export type KeptEvent = {
  event: EventName
  instanceId: string
  timestamp: string
  data: { eventId: string }
}

export type KeptEvents = { items: KeptEvent[]; before: string | null }

export type Transition = {
  id: number
  from: InstanceStatus
  to: InstanceStatus
  reason: string | null
  at: string
}

export type InstanceHistory = { items: Transition[] }

export type UnreadMention = {
  noteId: string
  instanceId: string
  conversationId: string
  chatName: string | null
  chatPhone: string | null
  text: string
  author: { id: string; name: string | null }
  createdAt: string
}

export type InstanceActivity = {
  items: { instanceId: string; messages: number; more: boolean; lastMessageAt: string | null }[]
}

export type LabelCounts = { items: { labelId: string; conversations: number }[] }

export type EventExamples = { items: KeptEvent[] }

export type DeliveredEvent = {
  eventId: string
  event: EventName
  outcome: 'success' | 'retrying' | 'failed'
  nextAttemptAt: string | null
  attempts: DeliveryAttempt[]
}

export type DeliveredEvents = { items: DeliveredEvent[]; before: number | null }

export type CheckedRequests = {
  items: {
    id: number
    method: string
    headers: Record<string, string>
    body: string
    receivedAt: string
    signature: { webhookName: string; genuine: boolean } | null
  }[]
}

export type DeliveryHealth = {
  from: string
  p95Ms: number | null
  p95ByHour: (number | null)[]
  webhooks: { webhookId: string; delivered: number[]; failed: number[] }[]
  failures: {
    webhookId: string
    webhookName: string
    id: number
    event: EventName
    attempt: number
    statusCode: number | null
    outcome: 'success' | 'failed'
    errorReason: string | null
    durationMs: number
    createdAt: string
  }[]
}

/** Query, body and response types of each route. */
export type Api = {
  'POST /v1/auth/login': {
    query: {}
    body: { email: string; password: string; code?: string }
    answer: Tokens
  }
  'POST /v1/auth/refresh': {
    query: {}
    body: { refreshToken?: string }
    answer: Tokens
  }
  'POST /v1/auth/logout': {
    query: {}
    body: undefined
    answer: null
  }
  'POST /v1/keys': {
    query: {}
    body: {
      name: string
      expiresInDays?: number
      restrictions?: {
        permissions?: ('read' | 'send' | 'manage')[]
        instanceIds?: string[]
        addresses?: string[]
        requestsPerMinute?: number
      }
    }
    answer: CreatedKey
  }
  'GET /v1/keys': {
    query: { limit?: number; offset?: number }
    body: undefined
    answer: KeyList
  }
  'DELETE /v1/keys/{id}': {
    query: {}
    body: undefined
    answer: null
  }
  'GET /v1/members': {
    query: {}
    body: undefined
    answer: PublicMembers
  }
  'GET /v1/me': {
    query: {}
    body: undefined
    answer: CurrentKey
  }
  'GET /v1/usage': {
    query: { from?: string; to?: string }
    body: undefined
    answer: Usage
  }
  'GET /v1/requests': {
    query: {
      limit?: number
      before?: string
      result?: 'success' | 'failed' | '4xx' | '5xx'
      keyId?: string
      q?: string
    }
    body: undefined
    answer: ApiRequests
  }
  'POST /v1/instances': {
    query: {}
    body: { name: string; externalId?: string; network?: InstanceNetwork; settings?: SettingsPatch }
    answer: Instance
  }
  'GET /v1/instances': {
    query: { limit?: number; offset?: number }
    body: undefined
    answer: InstanceList
  }
  'GET /v1/instances/{id}': {
    query: {}
    body: undefined
    answer: Instance
  }
  'PATCH /v1/instances/{id}': {
    query: {}
    body: { name?: string; settings?: SettingsPatch }
    answer: Instance
  }
  'DELETE /v1/instances/{id}': {
    query: {}
    body: undefined
    answer: null
  }
  'POST /v1/instances/{id}/connect': {
    query: {}
    body: undefined
    answer: Instance
  }
  'POST /v1/instances/{id}/disconnect': {
    query: {}
    body: undefined
    answer: Instance
  }
  'POST /v1/instances/{id}/logout': {
    query: {}
    body: undefined
    answer: Instance
  }
  'GET /v1/instances/{id}/qr': {
    query: { token?: string }
    body: undefined
    answer: null
  }
  'GET /v1/instances/{id}/qr/poll': {
    query: {}
    body: undefined
    answer: QrPoll
  }
  'GET /v1/instances/{id}/qr/image': {
    query: { token?: string; format?: 'svg' | 'png' }
    body: undefined
    answer: null
  }
  'POST /v1/instances/{id}/qr-token': {
    query: {}
    body: undefined
    answer: QrToken
  }
  'POST /v1/instances/{id}/pairing-code': {
    query: {}
    body: { phone: string }
    answer: PairingCode
  }
  'POST /v1/instances/{id}/pairing-link': {
    query: {}
    body: undefined
    answer: PairingLink
  }
  'DELETE /v1/instances/{id}/pairing-link': {
    query: {}
    body: undefined
    answer: null
  }
  'PUT /v1/instances/{id}/cloud-account': {
    query: {}
    body: {
      phoneNumberId: string
      businessAccountId: string
      accessToken: string
      appSecret: string
    }
    answer: CloudAccount
  }
  'GET /v1/instances/{id}/cloud-account': {
    query: {}
    body: undefined
    answer: CloudAccount
  }
  'POST /v1/media': {
    query: {}
    body: undefined
    answer: UploadedMedia
  }
  'POST /v1/instances/{id}/messages': {
    query: {}
    body:
      | SendText
      | SendImage
      | SendVideo
      | SendAudio
      | SendDocument
      | SendSticker
      | SendLocation
      | SendContact
      | SendReaction
      | SendPoll
      | SendTemplate
    answer: Message
  }
  'GET /v1/instances/{id}/messages': {
    query: {
      limit?: number
      offset?: number
      conversationId?: string
      direction?: 'inbound' | 'outbound'
      type?: MessageType
      status?: MessageStatus
      clientReference?: string
      since?: string
      until?: string
      q?: string
      pinned?: boolean
      starred?: boolean
    }
    body: undefined
    answer: MessageList
  }
  'POST /v1/instances/{id}/messages/text': {
    query: {}
    body: {
      to?: Recipient
      conversationId?: TargetChat
      quotedWaMessageId?: QuotedMessage
      mentions?: Mentions
      delayMs?: SendDelay
      typingMs?: TypingTime
      overPace?: OverPace
      clientReference?: ClientReference
      metadata?: Metadata
      text: string
      linkPreview?: boolean
    }
    answer: Message
  }
  'POST /v1/instances/{id}/messages/media': {
    query: {}
    body: SendImage | SendVideo | SendAudio | SendDocument
    answer: Message
  }
  'POST /v1/instances/{id}/messages/sticker': {
    query: {}
    body: {
      to?: Recipient
      conversationId?: TargetChat
      quotedWaMessageId?: QuotedMessage
      mentions?: Mentions
      delayMs?: SendDelay
      typingMs?: TypingTime
      overPace?: OverPace
      clientReference?: ClientReference
      metadata?: Metadata
      media: MediaInput
    }
    answer: Message
  }
  'POST /v1/instances/{id}/messages/location': {
    query: {}
    body: {
      to?: Recipient
      conversationId?: TargetChat
      quotedWaMessageId?: QuotedMessage
      mentions?: Mentions
      delayMs?: SendDelay
      typingMs?: TypingTime
      overPace?: OverPace
      clientReference?: ClientReference
      metadata?: Metadata
      latitude: number
      longitude: number
      name?: string
      address?: string
    }
    answer: Message
  }
  'POST /v1/instances/{id}/messages/contact': {
    query: {}
    body: {
      to?: Recipient
      conversationId?: TargetChat
      quotedWaMessageId?: QuotedMessage
      mentions?: Mentions
      delayMs?: SendDelay
      typingMs?: TypingTime
      overPace?: OverPace
      clientReference?: ClientReference
      metadata?: Metadata
      contacts?: SentContact[]
      vcard?: string
    }
    answer: Message
  }
  'POST /v1/instances/{id}/messages/reaction': {
    query: {}
    body: {
      to?: Recipient
      conversationId?: TargetChat
      quotedWaMessageId?: QuotedMessage
      mentions?: Mentions
      delayMs?: SendDelay
      typingMs?: TypingTime
      overPace?: OverPace
      clientReference?: ClientReference
      metadata?: Metadata
      waMessageId: string
      emoji: Emoji
    }
    answer: Message
  }
  'POST /v1/instances/{id}/messages/poll': {
    query: {}
    body: {
      to?: Recipient
      conversationId?: TargetChat
      quotedWaMessageId?: QuotedMessage
      mentions?: Mentions
      delayMs?: SendDelay
      typingMs?: TypingTime
      overPace?: OverPace
      clientReference?: ClientReference
      metadata?: Metadata
      question: string
      options: string[]
      maxSelections?: number
    }
    answer: Message
  }
  'POST /v1/instances/{id}/messages/template': {
    query: {}
    body: {
      to?: Recipient
      conversationId?: TargetChat
      quotedWaMessageId?: QuotedMessage
      mentions?: Mentions
      delayMs?: SendDelay
      typingMs?: TypingTime
      overPace?: OverPace
      clientReference?: ClientReference
      metadata?: Metadata
      template: TemplateSend
    }
    answer: Message
  }
  'POST /v1/instances/{id}/messages/media-upload': {
    query: {}
    body: undefined
    answer: Message
  }
  'GET /v1/instances/{id}/messages/{messageId}': {
    query: {}
    body: undefined
    answer: MessageDetail
  }
  'PATCH /v1/instances/{id}/messages/{messageId}': {
    query: {}
    body: { text: string }
    answer: Message
  }
  'DELETE /v1/instances/{id}/messages/{messageId}': {
    query: {}
    body: undefined
    answer: null
  }
  'GET /v1/instances/{id}/messages/{messageId}/media': {
    query: {}
    body: undefined
    answer: null
  }
  'POST /v1/instances/{id}/messages/read': {
    query: {}
    body: { waMessageIds?: string[]; conversationId?: string }
    answer: MarkedRead
  }
  'POST /v1/instances/{id}/messages/album': {
    query: {}
    body: {
      to?: Recipient
      conversationId?: TargetChat
      quotedWaMessageId?: QuotedMessage
      mentions?: Mentions
      delayMs?: SendDelay
      typingMs?: TypingTime
      overPace?: OverPace
      clientReference?: ClientReference
      metadata?: Metadata
      items: AlbumItem[]
    }
    answer: SentAlbum
  }
  'POST /v1/instances/{id}/messages/{messageId}/forward': {
    query: {}
    body: {
      to?: Recipient
      conversationId?: TargetChat
      delayMs?: SendDelay
      clientReference?: ClientReference
      metadata?: Metadata
    }
    answer: Message
  }
  'PUT /v1/instances/{id}/messages/{messageId}/pin': {
    query: {}
    body: { seconds: 86400 | 604800 | 2592000 }
    answer: Message
  }
  'DELETE /v1/instances/{id}/messages/{messageId}/pin': {
    query: {}
    body: undefined
    answer: Message
  }
  'PUT /v1/instances/{id}/messages/{messageId}/star': {
    query: {}
    body: undefined
    answer: Message
  }
  'DELETE /v1/instances/{id}/messages/{messageId}/star': {
    query: {}
    body: undefined
    answer: Message
  }
  'POST /v1/instances/{id}/scheduled-messages': {
    query: {}
    body: {
      sendAt: string
      message:
        | SendText
        | SendImage
        | SendVideo
        | SendAudio
        | SendDocument
        | SendSticker
        | SendLocation
        | SendContact
        | SendReaction
        | SendPoll
        | SendTemplate
    }
    answer: ScheduledMessage
  }
  'GET /v1/instances/{id}/scheduled-messages': {
    query: {
      limit?: number
      offset?: number
      status?: 'scheduled' | 'sent' | 'failed' | 'canceled'
    }
    body: undefined
    answer: ScheduledMessageList
  }
  'GET /v1/instances/{id}/scheduled-messages/{scheduleId}': {
    query: {}
    body: undefined
    answer: ScheduledMessage
  }
  'POST /v1/instances/{id}/scheduled-messages/{scheduleId}/cancel': {
    query: {}
    body: undefined
    answer: ScheduledMessage
  }
  'GET /v1/conversations': {
    query: {
      limit?: number
      offset?: number
      q?: string
      type?: 'direct' | 'group' | 'status' | 'channel'
      unread?: boolean
      awaitingReply?: boolean
      archived?: boolean
      pinned?: boolean
      labelId?: string
      status?: ConversationStatus
      assigneeId?: string
    }
    body: undefined
    answer: ConversationList
  }
  'GET /v1/response-times': {
    query: { days?: number; instanceId?: string; origin?: 'api' | 'panel' | 'phone' }
    body: undefined
    answer: ResponseTimes
  }
  'GET /v1/conversations/{id}': {
    query: {}
    body: undefined
    answer: Conversation
  }
  'GET /v1/instances/{id}/conversations': {
    query: {
      limit?: number
      offset?: number
      q?: string
      type?: 'direct' | 'group' | 'status' | 'channel'
      unread?: boolean
      awaitingReply?: boolean
      archived?: boolean
      pinned?: boolean
      labelId?: string
      status?: ConversationStatus
      assigneeId?: string
    }
    body: undefined
    answer: ConversationList
  }
  'GET /v1/instances/{id}/conversations/{conversationId}': {
    query: {}
    body: undefined
    answer: Conversation
  }
  'PATCH /v1/instances/{id}/conversations/{conversationId}': {
    query: {}
    body: {
      archived?: boolean
      pinned?: boolean
      status?: ConversationStatus
      assigneeId?: string
      unread?: true
    }
    answer: Conversation
  }
  'POST /v1/instances/{id}/conversations/{conversationId}/presence': {
    query: {}
    body: { state: 'typing' | 'recording' | 'paused' }
    answer: null
  }
  'POST /v1/instances/{id}/conversations/{conversationId}/history': {
    query: {}
    body: { count?: number }
    answer: HistoryRequest
  }
  'GET /v1/instances/{id}/health': {
    query: {}
    body: undefined
    answer: InstanceHealth
  }
  'GET /v1/instances/{id}/profile': {
    query: {}
    body: undefined
    answer: Profile
  }
  'PATCH /v1/instances/{id}/profile': {
    query: {}
    body: { about: string }
    answer: Profile
  }
  'GET /v1/instances/{id}/profile/picture': {
    query: { size?: 'full' | 'preview' }
    body: undefined
    answer: null
  }
  'PUT /v1/instances/{id}/profile/picture': {
    query: {}
    body: MediaInput
    answer: null
  }
  'DELETE /v1/instances/{id}/profile/picture': {
    query: {}
    body: undefined
    answer: null
  }
  'GET /v1/instances/{id}/templates': {
    query: { limit?: number; offset?: number }
    body: undefined
    answer: MessageTemplateList
  }
  'POST /v1/instances/{id}/templates': {
    query: {}
    body: {
      name: string
      language?: string
      category: 'MARKETING' | 'UTILITY' | 'AUTHENTICATION'
      body: string
      header?: string
      footer?: string
      variables?: string[]
    }
    answer: MessageTemplate
  }
  'DELETE /v1/instances/{id}/templates/{name}': {
    query: {}
    body: undefined
    answer: null
  }
  'GET /v1/instances/{id}/conversations/{conversationId}/notes': {
    query: { limit?: number; offset?: number }
    body: undefined
    answer: NoteList
  }
  'POST /v1/instances/{id}/conversations/{conversationId}/notes': {
    query: {}
    body: { text: string; mentions?: string[] }
    answer: Note
  }
  'DELETE /v1/instances/{id}/conversations/{conversationId}/notes/{noteId}': {
    query: {}
    body: undefined
    answer: null
  }
  'GET /v1/quick-replies': {
    query: { limit?: number; offset?: number; q?: string }
    body: undefined
    answer: QuickReplyList
  }
  'POST /v1/quick-replies': {
    query: {}
    body: { shortcut: string; text: string }
    answer: QuickReply
  }
  'PATCH /v1/quick-replies/{id}': {
    query: {}
    body: { shortcut?: string; text?: string }
    answer: QuickReply
  }
  'DELETE /v1/quick-replies/{id}': {
    query: {}
    body: undefined
    answer: null
  }
  'GET /v1/instances/{id}/contacts': {
    query: { limit?: number; offset?: number; q?: string }
    body: undefined
    answer: ContactList
  }
  'POST /v1/instances/{id}/contacts/check': {
    query: {}
    body: { phones: string[] }
    answer: CheckedPhones
  }
  'GET /v1/instances/{id}/blocked': {
    query: {}
    body: undefined
    answer: BlockedList
  }
  'PUT /v1/instances/{id}/blocked/{phone}': {
    query: {}
    body: undefined
    answer: null
  }
  'DELETE /v1/instances/{id}/blocked/{phone}': {
    query: {}
    body: undefined
    answer: null
  }
  'GET /v1/instances/{id}/contacts/{contactId}/profile': {
    query: {}
    body: undefined
    answer: Profile
  }
  'GET /v1/instances/{id}/contacts/{contactId}/picture': {
    query: { size?: 'full' | 'preview' }
    body: undefined
    answer: null
  }
  'GET /v1/instances/{id}/conversations/{conversationId}/picture': {
    query: { size?: 'full' | 'preview'; cached?: boolean }
    body: undefined
    answer: null
  }
  'GET /v1/instances/{id}/groups/{groupId}/picture': {
    query: { size?: 'full' | 'preview' }
    body: undefined
    answer: null
  }
  'PUT /v1/instances/{id}/groups/{groupId}/picture': {
    query: {}
    body: MediaInput
    answer: null
  }
  'DELETE /v1/instances/{id}/groups/{groupId}/picture': {
    query: {}
    body: undefined
    answer: null
  }
  'POST /v1/instances/{id}/contacts/import': {
    query: {}
    body: { contacts: { phone: string; name?: string; fields?: Record<string, string> }[] }
    answer: ImportedContacts
  }
  'GET /v1/instances/{id}/contacts/{contactId}': {
    query: {}
    body: undefined
    answer: Contact
  }
  'PATCH /v1/instances/{id}/contacts/{contactId}': {
    query: {}
    body: { name?: string; fields?: Record<string, string> }
    answer: Contact
  }
  'POST /v1/instances/{id}/contacts/{contactId}/merge': {
    query: {}
    body: { with: string }
    answer: Contact
  }
  'GET /v1/instances/{id}/groups': {
    query: { limit?: number; offset?: number; q?: string; community?: string }
    body: undefined
    answer: GroupList
  }
  'POST /v1/instances/{id}/groups': {
    query: {}
    body: NewGroup
    answer: Group
  }
  'POST /v1/instances/{id}/groups/join': {
    query: {}
    body: GroupJoin
    answer: JoinedGroup
  }
  'GET /v1/instances/{id}/groups/{groupId}': {
    query: {}
    body: undefined
    answer: Group
  }
  'PATCH /v1/instances/{id}/groups/{groupId}': {
    query: {}
    body: GroupChange
    answer: Group
  }
  'GET /v1/instances/{id}/groups/{groupId}/invite': {
    query: {}
    body: undefined
    answer: GroupInvite
  }
  'POST /v1/instances/{id}/groups/{groupId}/invite/reset': {
    query: {}
    body: undefined
    answer: GroupInvite
  }
  'POST /v1/instances/{id}/groups/{groupId}/participants': {
    query: {}
    body: { action: 'add' | 'remove' | 'promote' | 'demote'; participants: string[] }
    answer: Group
  }
  'POST /v1/instances/{id}/groups/{groupId}/leave': {
    query: {}
    body: undefined
    answer: Group
  }
  'GET /v1/instances/{id}/groups/{groupId}/join-requests': {
    query: {}
    body: undefined
    answer: JoinRequestList
  }
  'POST /v1/instances/{id}/groups/{groupId}/join-requests': {
    query: {}
    body: { action: 'approve' | 'reject'; participants: string[] }
    answer: AnsweredJoinRequests
  }
  'GET /v1/instances/{id}/labels': {
    query: { limit?: number; offset?: number }
    body: undefined
    answer: LabelList
  }
  'POST /v1/instances/{id}/labels': {
    query: {}
    body: NewLabel
    answer: Label
  }
  'PATCH /v1/instances/{id}/labels/{labelId}': {
    query: {}
    body: LabelChange
    answer: Label
  }
  'DELETE /v1/instances/{id}/labels/{labelId}': {
    query: {}
    body: undefined
    answer: null
  }
  'PUT /v1/instances/{id}/labels/{labelId}/conversations/{conversationId}': {
    query: {}
    body: undefined
    answer: null
  }
  'DELETE /v1/instances/{id}/labels/{labelId}/conversations/{conversationId}': {
    query: {}
    body: undefined
    answer: null
  }
  'GET /v1/instances/{id}/calls': {
    query: { limit?: number; offset?: number; conversationId?: string }
    body: undefined
    answer: CallList
  }
  'POST /v1/instances/{id}/calls/{callId}/reject': {
    query: {}
    body: undefined
    answer: Call
  }
  'POST /v1/simulator/phones': {
    query: {}
    body: { name: string; phone?: string; business?: boolean }
    answer: Phone
  }
  'GET /v1/simulator/phones': {
    query: { limit?: number; offset?: number }
    body: undefined
    answer: PhoneList
  }
  'GET /v1/simulator/phones/{id}': {
    query: {}
    body: undefined
    answer: Phone
  }
  'PATCH /v1/simulator/phones/{id}': {
    query: {}
    body: { name?: string; about?: string; picture?: MediaInput }
    answer: Phone
  }
  'DELETE /v1/simulator/phones/{id}': {
    query: {}
    body: undefined
    answer: null
  }
  'POST /v1/simulator/phones/{id}/scan': {
    query: {}
    body: { code: string }
    answer: Phone
  }
  'POST /v1/simulator/phones/{id}/unpair': {
    query: {}
    body: undefined
    answer: Phone
  }
  'POST /v1/simulator/phones/{id}/offline': {
    query: {}
    body: undefined
    answer: Phone
  }
  'POST /v1/simulator/phones/{id}/online': {
    query: {}
    body: undefined
    answer: Phone
  }
  'POST /v1/simulator/phones/{id}/new-device': {
    query: {}
    body: undefined
    answer: Phone
  }
  'POST /v1/simulator/phones/{id}/ban': {
    query: {}
    body: undefined
    answer: Phone
  }
  'POST /v1/simulator/phones/{id}/messages': {
    query: {}
    body:
      | PhoneSendText
      | PhoneSendImage
      | PhoneSendVideo
      | PhoneSendAudio
      | PhoneSendDocument
      | PhoneSendSticker
      | PhoneSendLocation
      | PhoneSendContact
      | PhoneSendReaction
      | PhoneSendPoll
      | PhoneSendPollVote
    answer: PhoneMessage
  }
  'PATCH /v1/simulator/phones/{id}/messages/{waMessageId}': {
    query: {}
    body: { text: string }
    answer: PhoneMessage
  }
  'DELETE /v1/simulator/phones/{id}/messages/{waMessageId}': {
    query: {}
    body: undefined
    answer: null
  }
  'POST /v1/simulator/phones/{id}/read': {
    query: {}
    body: { waMessageIds: string[] }
    answer: MarkedRead
  }
  'GET /v1/simulator/phones/{id}/inbox': {
    query: { limit?: number; offset?: number }
    body: undefined
    answer: PhoneInbox
  }
  'PUT /v1/simulator/phones/{id}/messages/{waMessageId}/pin': {
    query: {}
    body: { seconds: 86400 | 604800 | 2592000 }
    answer: PhoneMessage
  }
  'DELETE /v1/simulator/phones/{id}/messages/{waMessageId}/pin': {
    query: {}
    body: undefined
    answer: PhoneMessage
  }
  'PUT /v1/simulator/phones/{id}/messages/{waMessageId}/star': {
    query: {}
    body: undefined
    answer: PhoneMessage
  }
  'DELETE /v1/simulator/phones/{id}/messages/{waMessageId}/star': {
    query: {}
    body: undefined
    answer: PhoneMessage
  }
  'PUT /v1/simulator/phones/{id}/messages/{waMessageId}/keep': {
    query: {}
    body: undefined
    answer: PhoneMessage
  }
  'DELETE /v1/simulator/phones/{id}/messages/{waMessageId}/keep': {
    query: {}
    body: undefined
    answer: PhoneMessage
  }
  'POST /v1/simulator/phones/{id}/calls': {
    query: {}
    body: { to: string; video?: boolean }
    answer: PhoneCall
  }
  'POST /v1/simulator/phones/{id}/groups': {
    query: {}
    body: NewGroup
    answer: PhoneGroup
  }
  'PATCH /v1/simulator/phones/{id}/groups/{groupId}': {
    query: {}
    body: GroupChange
    answer: PhoneGroup
  }
  'GET /v1/simulator/phones/{id}/groups/{groupId}/invite': {
    query: {}
    body: undefined
    answer: GroupInvite
  }
  'POST /v1/simulator/phones/{id}/groups/{groupId}/participants': {
    query: {}
    body: { action: 'add' | 'remove' | 'promote' | 'demote' | 'leave'; participants?: string[] }
    answer: PhoneGroup
  }
  'GET /v1/simulator/phones/{id}/labels': {
    query: {}
    body: undefined
    answer: PhoneLabels
  }
  'POST /v1/simulator/phones/{id}/labels': {
    query: {}
    body: NewLabel
    answer: Label
  }
  'PATCH /v1/simulator/phones/{id}/labels/{labelId}': {
    query: {}
    body: LabelChange
    answer: Label
  }
  'DELETE /v1/simulator/phones/{id}/labels/{labelId}': {
    query: {}
    body: undefined
    answer: null
  }
  'PUT /v1/simulator/phones/{id}/labels/{labelId}/chats/{chat}': {
    query: {}
    body: undefined
    answer: null
  }
  'DELETE /v1/simulator/phones/{id}/labels/{labelId}/chats/{chat}': {
    query: {}
    body: undefined
    answer: null
  }
  'POST /v1/simulator/phones/{id}/groups/join': {
    query: {}
    body: GroupJoin
    answer: PhoneJoinedGroup
  }
  'POST /v1/simulator/phones/{id}/communities': {
    query: {}
    body: { subject: string; groups: string[] }
    answer: PhoneGroup
  }
  'PUT /v1/simulator/phones/{id}/groups/{groupId}/community': {
    query: {}
    body: { communityId: string }
    answer: PhoneGroup
  }
  'DELETE /v1/simulator/phones/{id}/groups/{groupId}/community': {
    query: {}
    body: undefined
    answer: null
  }
  'POST /v1/campaigns': {
    query: {}
    body: {
      name: string
      instanceIds: string[]
      message:
        | CampaignText
        | CampaignImage
        | CampaignVideo
        | CampaignAudio
        | CampaignDocument
        | CampaignSticker
        | CampaignLocation
        | CampaignContact
        | CampaignPoll
        | CampaignTemplate
      recipients?: CampaignRecipientInput[]
      scheduledAt?: string | null
      pacing?: PacingInput | null
    }
    answer: Campaign
  }
  'GET /v1/campaigns': {
    query: {
      limit?: number
      offset?: number
      status?: 'DRAFT' | 'SCHEDULED' | 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'CANCELED'
    }
    body: undefined
    answer: CampaignList
  }
  'GET /v1/campaigns/{id}': {
    query: {}
    body: undefined
    answer: Campaign
  }
  'PATCH /v1/campaigns/{id}': {
    query: {}
    body: {
      name?: string
      instanceIds?: string[]
      message?:
        | CampaignText
        | CampaignImage
        | CampaignVideo
        | CampaignAudio
        | CampaignDocument
        | CampaignSticker
        | CampaignLocation
        | CampaignContact
        | CampaignPoll
        | CampaignTemplate
      scheduledAt?: string
      pacing?: PacingInput
    }
    answer: Campaign
  }
  'POST /v1/campaigns/{id}/start': {
    query: {}
    body: undefined
    answer: Campaign
  }
  'POST /v1/campaigns/{id}/pause': {
    query: {}
    body: undefined
    answer: Campaign
  }
  'POST /v1/campaigns/{id}/resume': {
    query: {}
    body: undefined
    answer: Campaign
  }
  'POST /v1/campaigns/{id}/cancel': {
    query: {}
    body: undefined
    answer: Campaign
  }
  'GET /v1/campaigns/{id}/recipients': {
    query: {
      limit?: number
      offset?: number
      status?: 'pending' | 'sent' | 'delivered' | 'read' | 'replied' | 'failed' | 'skipped'
    }
    body: undefined
    answer: CampaignRecipientList
  }
  'POST /v1/campaigns/{id}/recipients': {
    query: {}
    body: { recipients?: CampaignRecipientInput[]; audience?: AudienceInput }
    answer: RecipientImport
  }
  'GET /v1/instances/{id}/audience': {
    query: { labelId?: string }
    body: undefined
    answer: Audience
  }
  'GET /v1/opt-outs': {
    query: { limit?: number; offset?: number; phone?: string }
    body: undefined
    answer: OptOutList
  }
  'POST /v1/opt-outs': {
    query: {}
    body: { phones: string[] }
    answer: AddedOptOuts
  }
  'DELETE /v1/opt-outs/{phone}': {
    query: {}
    body: undefined
    answer: null
  }
  'POST /v1/webhooks': {
    query: {}
    body: {
      name: string
      url: string
      events?: EventName[]
      include?: WebhookInclude
      filter?: {
        instanceIds?: string[]
        chatTypes?: ('direct' | 'group' | 'status' | 'channel')[]
        directions?: ('inbound' | 'outbound')[]
        types?: MessageType[]
      }
      media?: WebhookMedia
      headers?: Record<string, string>
    }
    answer: CreatedWebhook
  }
  'GET /v1/webhooks': {
    query: { limit?: number; offset?: number }
    body: undefined
    answer: WebhookList
  }
  'GET /v1/webhooks/{id}': {
    query: {}
    body: undefined
    answer: Webhook
  }
  'PATCH /v1/webhooks/{id}': {
    query: {}
    body: { enabled: boolean }
    answer: Webhook
  }
  'DELETE /v1/webhooks/{id}': {
    query: {}
    body: undefined
    answer: null
  }
  'POST /v1/webhooks/{id}/rotate-secret': {
    query: {}
    body: { overlapHours?: number }
    answer: CreatedWebhook
  }
  'GET /v1/webhooks/{id}/deliveries': {
    query: { limit?: number; offset?: number; event?: EventName; outcome?: 'success' | 'failed' }
    body: undefined
    answer: DeliveryLog
  }
  'POST /v1/simulator/inboxes': {
    query: {}
    body: { name: string }
    answer: Inbox
  }
  'GET /v1/simulator/inboxes': {
    query: { limit?: number; offset?: number }
    body: undefined
    answer: InboxList
  }
  'GET /v1/simulator/inboxes/{id}': {
    query: {}
    body: undefined
    answer: Inbox
  }
  'DELETE /v1/simulator/inboxes/{id}': {
    query: {}
    body: undefined
    answer: null
  }
  'GET /v1/simulator/inboxes/{id}/requests': {
    query: { limit?: number; offset?: number }
    body: undefined
    answer: InboxRequestList
  }
  'PUT /v1/simulator/inboxes/{id}/answer': {
    query: {}
    body: { status: number; times?: number; timeout?: boolean }
    answer: Inbox
  }
  'GET /v1/events': {
    query: { instanceId?: string; events?: string; ping?: boolean }
    body: undefined
    answer: null
  }
  'GET /panel/api/mails': {
    query: {}
    body: undefined
    answer: LocalMails
  }
  'POST /panel/api/account/delete': {
    query: {}
    body: { password: string; code?: string; company: string }
    answer: null
  }
  'GET /panel/api/alerts': {
    query: {}
    body: undefined
    answer: AlertSettings
  }
  'PUT /panel/api/alerts': {
    query: {}
    body: {
      kinds: ('instance_down' | 'webhook_failing' | 'credits_low' | 'payment_due')[]
      creditsBelow?: number
    }
    answer: null
  }
  'GET /panel/api/operation/projects': {
    query: { limit?: number; offset?: number; q?: string; status?: 'ACTIVE' | 'SUSPENDED' }
    body: undefined
    answer: OperatedProjects
  }
  'GET /panel/api/operation/projects/{id}': {
    query: {}
    body: undefined
    answer: OperatedProject
  }
  'PATCH /panel/api/operation/projects/{id}': {
    query: {}
    body: {
      status?: 'ACTIVE' | 'SUSPENDED'
      usageMode?: 'CRM' | 'API' | 'BOTH'
      exempt?: boolean
      massSending?: boolean
    }
    answer: OperatedProject
  }
  'POST /panel/api/operation/projects/{id}/credits': {
    query: {}
    body: { amount: number }
    answer: OperatedProject
  }
  'GET /panel/api/operation/nodes': {
    query: {}
    body: undefined
    answer: Nodes
  }
  'PATCH /panel/api/operation/nodes/{id}': {
    query: {}
    body: { draining: boolean }
    answer: null
  }
  'GET /panel/api/operation/queues': {
    query: {}
    body: undefined
    answer: Queues
  }
  'POST /panel/api/signup': {
    query: {}
    body: { company: string; taxId: string; email: string; password: string }
    answer: Accepted
  }
  'POST /panel/api/confirm-email/again': {
    query: {}
    body: { email: string; password: string }
    answer: Accepted
  }
  'POST /panel/api/confirm-email/resend': {
    query: {}
    body: { token?: string }
    answer: Accepted
  }
  'POST /panel/api/confirm-email': {
    query: {}
    body: { token: string }
    answer: null
  }
  'POST /panel/api/forgot-password': {
    query: {}
    body: { email: string }
    answer: Accepted
  }
  'POST /panel/api/reset-password': {
    query: {}
    body: { token: string; password: string }
    answer: null
  }
  'POST /panel/api/second-factor': {
    query: {}
    body: { password: string }
    answer: { secret: string; uri: string }
  }
  'POST /panel/api/second-factor/confirm': {
    query: {}
    body: { code: string }
    answer: { recoveryCodes: string[] }
  }
  'POST /panel/api/second-factor/end': {
    query: {}
    body: { code: string }
    answer: null
  }
  'GET /panel/api/members': {
    query: {}
    body: undefined
    answer: Members
  }
  'POST /panel/api/members/invitations': {
    query: {}
    body: { email: string; role: 'Dono' | 'Admin' | 'Desenvolvedor' | 'Atendente' | 'Financeiro' }
    answer: Invitation
  }
  'DELETE /panel/api/members/invitations/{id}': {
    query: {}
    body: undefined
    answer: null
  }
  'PATCH /panel/api/members/{id}': {
    query: {}
    body: { role: 'Dono' | 'Admin' | 'Desenvolvedor' | 'Atendente' | 'Financeiro' }
    answer: Member
  }
  'DELETE /panel/api/members/{id}': {
    query: {}
    body: undefined
    answer: null
  }
  'POST /panel/api/invitation': {
    query: {}
    body: { token: string }
    answer: {
      invitation: {
        company: string
        email: string
        role: 'Dono' | 'Admin' | 'Desenvolvedor' | 'Atendente' | 'Financeiro'
      } | null
    }
  }
  'POST /panel/api/accept-invitation': {
    query: {}
    body: { token: string; password: string; name?: string }
    answer: null
  }
  'POST /panel/api/change-email': {
    query: {}
    body: { email: string; password: string }
    answer: Accepted
  }
  'POST /panel/api/confirm-email-change': {
    query: {}
    body: { token: string }
    answer: { changed: boolean }
  }
  'GET /panel/api/{mode}/usage': {
    query: { from?: string; to?: string }
    body: undefined
    answer: Usage
  }
  'GET /panel/api/credits': {
    query: {}
    body: undefined
    answer: CreditEntries
  }
  'GET /panel/api/test/cap': {
    query: {}
    body: undefined
    answer: Cap
  }
  'GET /panel/api/plan': {
    query: {}
    body: undefined
    answer: Plan
  }
  'GET /panel/api/plan/offers': {
    query: {}
    body: undefined
    answer: { items: Offer[] }
  }
  'POST /panel/api/plan/checkout': {
    query: {}
    body: { offer: string }
    answer: { url: string }
  }
  'GET /panel/api/plan/invoices': {
    query: {}
    body: undefined
    answer: { items: Invoice[] }
  }
  'POST /panel/api/plan/manage': {
    query: {}
    body: undefined
    answer: { url: string }
  }
  'GET /panel/api/me': {
    query: {}
    body: undefined
    answer: Me
  }
  'PUT /panel/api/me/appearance': {
    query: {}
    body: Appearance
    answer: null
  }
  'PUT /panel/api/me/name': {
    query: {}
    body: { name: string }
    answer: null
  }
  'GET /panel/api/sessions': {
    query: {}
    body: undefined
    answer: OpenedSessions
  }
  'GET /panel/api/me/views': {
    query: {}
    body: undefined
    answer: { items: SavedView[] }
  }
  'PUT /panel/api/me/views': {
    query: {}
    body: SavedView
    answer: null
  }
  'DELETE /panel/api/me/views': {
    query: { page?: string; name?: string }
    body: undefined
    answer: null
  }
  'PUT /panel/api/project': {
    query: {}
    body: { defaultCountry?: string }
    answer: null
  }
  'GET /panel/api/audit': {
    query: {
      limit?: number
      offset?: number
      q?: string
      actions?: string
      mode?: 'test' | 'production'
    }
    body: undefined
    answer: AuditLog
  }
  'GET /v1/auth/successor': {
    query: {}
    body: undefined
    answer: Successor
  }
  'POST /panel/api/pair': {
    query: {}
    body: { token: string }
    answer: {
      company: string
      name: string
      status: InstanceStatus
      used: boolean
      code: string | null
      expiresAt: string | null
    }
  }
  'POST /panel/api/pair/code': {
    query: {}
    body: { token: string; phone: string }
    answer: PairingCode
  }
  'GET /panel/api/{mode}/requests': {
    query: {
      limit?: number
      before?: string
      result?: 'success' | 'failed' | '4xx' | '5xx'
      keyId?: string
      q?: string
    }
    body: undefined
    answer: ApiRequests
  }
  'GET /panel/api/{mode}/instances/{id}/pairing': {
    query: {}
    body: undefined
    answer: Pairing
  }
  'GET /panel/api/{mode}/instances/{id}/events': {
    query: { limit?: number; kind?: 'group' | 'label' | 'call'; subject?: string; before?: string }
    body: undefined
    answer: KeptEvents
  }
  'GET /panel/api/{mode}/instances/{id}/history': {
    query: {}
    body: undefined
    answer: InstanceHistory
  }
  'GET /panel/api/{mode}/mentions': {
    query: {}
    body: undefined
    answer: { items: UnreadMention[] }
  }
  'POST /panel/api/{mode}/mentions/read': {
    query: {}
    body: { conversationId: string }
    answer: null
  }
  'GET /panel/api/{mode}/instance-activity': {
    query: {}
    body: undefined
    answer: InstanceActivity
  }
  'GET /panel/api/{mode}/instances/{id}/label-counts': {
    query: {}
    body: undefined
    answer: LabelCounts
  }
  'GET /panel/api/{mode}/event-examples': {
    query: {}
    body: undefined
    answer: EventExamples
  }
  'GET /panel/api/{mode}/webhooks/{id}/events': {
    query: {
      outcome?: 'success' | 'failed'
      event?: EventName
      status?: '2xx' | '3xx' | '4xx' | '5xx' | 'none'
      hours?: number
      q?: string
      before?: number
      limit?: number
    }
    body: undefined
    answer: DeliveredEvents
  }
  'GET /panel/api/{mode}/webhooks/{id}/events/{eventId}': {
    query: {}
    body: undefined
    answer: KeptEvent
  }
  'GET /panel/api/{mode}/inboxes/{id}/requests': {
    query: {}
    body: undefined
    answer: CheckedRequests
  }
  'GET /panel/api/{mode}/deliveries/health': {
    query: {}
    body: undefined
    answer: DeliveryHealth
  }
  'POST /panel/api/{mode}/typing': {
    query: {}
    body: { conversationId: string }
    answer: null
  }
}
