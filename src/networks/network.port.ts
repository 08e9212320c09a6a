import type {
  DisconnectReason,
  MessageErrorCode,
  MessageType,
  Party,
  Quoted,
} from '../records/records.schemas.ts'

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
  /** A null value deletes. */
  save(entries: { kind: string; id: string; value: Buffer | null }[]): Promise<void>
  clear(): Promise<void>
}

export type NetworkSession = {
  /** Asks for a code to pair with, if the account is not paired; the listener hears it. */
  requestCode(): Promise<void>
  /** A code to type on the telephone, or null where the network has none. */
  requestPairingCode(phone: string): Promise<{ code: string; expiresAt: number } | null>
  /**
   * Hands messages over, in this order. Resolves when they are on their way; what became of each is heard as a
   * receipt with its `waMessageId`. The same id sent again is the same message.
   */
  send(messages: OutboundMessage[]): Promise<void>
  /** Tells the network that these messages were read. */
  markRead(messages: { chatId: string; waMessageId: string; sender: Party }[]): Promise<void>
  /** Which of these phones are on the network, in their canonical form. */
  lookUp(phones: string[]): Promise<LookedUp[]>
  /** Unpairs the account. Resolves true when the network confirmed. */
  logout(): Promise<boolean>
  /** Closes without unpairing. */
  close(): Promise<void>
}

type LookedUp = { input: string; exists: boolean; phone: string | null; lid: string | null }

export type OutboundMessage = {
  waMessageId: string
  chatId: string
  chatType: 'direct' | 'group'
  content: MessageContent
  quoted: Quoted | null
  /** Phones. */
  mentions: string[]
  /** Shows "typing…" for so long before it leaves. */
  typingMs: number
  linkPreview: boolean
}

/** What a message says, by kind. A new kind joins here, and no adapter compiles before it knows the kind. */
export type MessageContent = { type: 'text'; text: string }

/**
 * What a network tells. Every call resolves when what it told is committed; an adapter acknowledges nothing to
 * its network before.
 */
export type NetworkListener = {
  /** A new code waits to be scanned. */
  code(code: { code: string; at: number; expiresAt: number }): Promise<void>
  status(change: SessionStatus): Promise<void>
  received(messages: InboundMessage[]): Promise<void>
  receipts(receipts: Receipt[]): Promise<void>
}

export type SessionStatus =
  /** A telephone accepted the code. */
  | { status: 'PAIRED'; phone: string; lid: string | null; profileName: string; business: boolean }
  | { status: 'CONNECTED' }
  /** Dropped; the adapter reconnects by itself. */
  | { status: 'DISCONNECTED'; reason: DisconnectReason }
  /** Over: the account has to be paired again. */
  | { status: 'LOGGED_OUT'; reason: DisconnectReason }
  | { status: 'BANNED'; reason: DisconnectReason; restrictedUntil: number | null }
  /** The codes are used up and nobody scanned one. */
  | { status: 'CODES_EXPIRED' }

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
  content: MessageContent | { type: 'unsupported' }
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
