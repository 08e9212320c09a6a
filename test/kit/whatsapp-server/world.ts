import type { BinaryNode, proto } from 'baileys'
import type { WebSocket } from 'ws'
import type { AppState } from './app-state.ts'
import type { Channels } from './channels.ts'
import type { ChainFault } from './certificate.ts'
import type { OnTheWay } from './faults.ts'
import type { Companion, Line, Person } from './person.ts'

/** The code of a refusal, a signature of a stranger's, or an entry without its identity key. */
export type KeyFault = '404' | '406' | '429' | 'forged' | 'no_identity'

/** What a test may have the server do wrong. */
export type Faults = {
  /** Answers this error instead of accepting a message; null accepts. */
  refuse: (message: BinaryNode) => string | null
  /** Rejects a login with this error. */
  refuseLogin: Record<string, string> | null
  /** The faults injected into stanzas on their way to devices. */
  onTheWay: OnTheWay
  /** The delivery delay at devices. */
  delayMs: number
  /** The account may start no new chats until this time, in seconds since 1970. */
  timeLock: number | null
  /** What is wrong with the certificate that it presents. */
  chain: ChainFault | null
  /** Signs the account's half of a pairing with a stranger's key. */
  forgedAccount: boolean
  /** Signs the prekeys of phones with a foreign key. */
  forgedPreKeys: boolean
  /** What becomes of one person's keys: the code of a refusal, or what is wrong with them; null serves them. */
  spoilKeys: (person: Person) => KeyFault | null
  /** Refuses a whole query for keys with this code; null answers it. */
  refuseKeys: string | null
  /** The code with which a query is refused, such as `w:g2 get query`; null answers it. */
  refuseQuery: (name: string) => string | null
  /** Sends no acknowledgement of messages. */
  silent: boolean
}

export type Connection = Line & {
  companion: Companion | null
  /** The keys with which a device that is not paired introduced itself. */
  registration: proto.ClientPayload.IDevicePairingRegistrationData | null
  socket: WebSocket
  /** The device requested a code to be typed on a phone. */
  hello: { jid: string; wrapped: Buffer; ref: Buffer } | null
  /** Told to come back as the device that it has become. */
  restarting: boolean
}

/** The state that the server's parts share. */
export type World = {
  persons: Person[]
  connections: Set<Connection>
  faults: Faults
  surprises: string[]
  keyQueries: number
  /** The files on the media host. */
  media: { hostname: string; files: Map<string, Buffer> }
  appState: AppState
  channels: Channels
  /** Called with each message that a device could not decrypt. */
  onRetry: (id: string) => void
  /** Returns the user that a JID names, by phone or by LID. */
  find(jid: string): Person | undefined
}
