// The words of the API that several modules name, once each. It imports nothing, so that the panel loads nothing else.

/** The statuses of a message, in their order. */
export const MESSAGE_STATUSES = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'played',
  'failed',
  'received',
] as const
/** The status of a message. */
export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

/** The statuses of sent messages that a network reports. */
export const RECEIPT_STATUSES = ['sent', 'delivered', 'read', 'played', 'failed'] as const
/** The status of a sent message that a network reports. */
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number]

/** The statuses of a message of the past. */
export type HistoricStatus = 'received' | Exclude<ReceiptStatus, 'failed'>

/** From where messages are sent. */
export const MESSAGE_ORIGINS = ['api', 'panel', 'campaign', 'phone'] as const
/** From where a message was sent. */
export type MessageOrigin = (typeof MESSAGE_ORIGINS)[number]

/** The message kinds that carry a file. */
export const MEDIA_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const
/** A message kind that carries a file. */
export type MediaKind = (typeof MEDIA_KINDS)[number]

/** The types of chats. `status` and `channel` are what the account publishes; nothing is received there. */
export const CHAT_TYPES = ['direct', 'group', 'status', 'channel'] as const
/** The type of a chat. */
export type ChatType = (typeof CHAT_TYPES)[number]

/** What someone can be shown to do in a chat. */
export const PRESENCES = ['typing', 'recording', 'paused'] as const
/** What a chat shows that someone is doing. */
export type PresenceState = (typeof PRESENCES)[number]

/** The roles of a group's participants. */
export const PARTICIPANT_ROLES = ['member', 'admin', 'superadmin'] as const
/** The role of a group's participant. */
export type ParticipantRole = (typeof PARTICIPANT_ROLES)[number]
/** The roles of those who may change a group, and revoke the messages of others. */
export const ADMIN_ROLES: readonly ParticipantRole[] = ['admin', 'superadmin']

/** What an admin can do to the participants of a group. */
export const PARTICIPANT_ACTIONS = ['add', 'remove', 'promote', 'demote'] as const
/** What an admin does to the participants of a group. */
export type ParticipantAction = (typeof PARTICIPANT_ACTIONS)[number]
/** What someone does to the participants of a group; `leave` applies to themselves. */
export type GroupAction = ParticipantAction | 'leave'

/** The statuses of an instance. */
export const INSTANCE_STATUSES = [
  'CREATED',
  'CONNECTING',
  'QR',
  'PAIRED',
  'CONNECTED',
  'DISCONNECTED',
  'LOGGED_OUT',
  'BANNED',
  'STOPPED',
  'PASSKEY_REQUIRED',
] as const
/** The status of an instance. */
export type InstanceStatus = (typeof INSTANCE_STATUSES)[number]
/** Why instances are disconnected. */
export const DISCONNECT_REASONS = [
  'device_removed',
  'logged_out',
  'replaced',
  'banned',
  'client_outdated',
  'qr_expired',
  'passkey_required',
  'network',
  'stopped',
] as const
/** Why an instance was disconnected. */
export type DisconnectReason = (typeof DISCONNECT_REASONS)[number]

/** The states of a call. */
export const CALL_STATUSES = ['ringing', 'rejected', 'missed', 'accepted'] as const
/** The status of a call. */
export type CallStatus = (typeof CALL_STATUSES)[number]

/**
 * How carefully an instance writes to people who have not written to it: not at all, with pauses, or like a new number.
 */
export const PACES = ['off', 'normal', 'safe'] as const

/** How much history from before the pairing is stored: none, recent months, or all the phone has. */
export const HISTORY_SYNCS = ['none', 'recent', 'full'] as const

/** What a template is for; the network reviews and charges each category differently. */
export const TEMPLATE_CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const

/** What happens to a virtual phone. */
export type PhoneState = 'offline' | 'online' | 'new-device' | 'ban'

/** Who may send: the panel, API keys, or both. */
export const USAGE_MODES = ['CRM', 'API', 'BOTH'] as const
/** Who may send in a Project. */
export type UsageMode = (typeof USAGE_MODES)[number]

/** The states of a subscription. */
export const SUBSCRIPTIONS = [
  'none',
  'active',
  'pending',
  'paused',
  'past_due',
  'canceled',
] as const
/** The state of a Project's subscription. */
export type Subscription = (typeof SUBSCRIPTIONS)[number]

/** Whether a Project may be used. */
export type ProjectStatus = 'ACTIVE' | 'SUSPENDED'
