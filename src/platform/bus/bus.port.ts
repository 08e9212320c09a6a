import type { ChangeKind } from '../../kernel/change-kind.ts'
import type { Mode } from '../../kernel/config/config.ts'

/**
 * The payloads of messages between nodes, by topic, each with the module that owns the topic. A message carries ids and
 * wakes a worker; the database is the source of truth and every worker also polls, so a lost message only costs
 * seconds.
 */
export type BusMessages = {
  /** `events/webhooks`: a webhook was paused, resumed or removed. */
  webhooks: { webhookId: string }
  /**
   * `instances`: an instance has a new pairing code, status or setting; null when any instance may have changed owner.
   */
  instances: ChangedInstance | null
  /** `messaging/messages`: an instance has messages to send. */
  outbound: { instanceId: string }
  /** `events/streams`: another node recorded an event, `at` milliseconds since the epoch. */
  events: { eventId: string; at: number }
  /** `events/streams`: proves that the bus of another node works. */
  heartbeat: null
  /** `platform/bus`: messages of other nodes may have been missed; only within this process. */
  gap: null
  /** `media`: a file that a send refers to by URL must be downloaded. */
  media: { mediaId: string }
  /** `instances`: asks the node that owns this instance's session to run a command. */
  commands: { instanceId: string }
  /** `instances`: a command has its result. */
  commandResults: { commandId: string }
  /** `campaigns`: a campaign may continue. */
  campaigns: { campaignId: string }
  /** `networks/simulator`: the simulated network has events for this instance. */
  simulator: { instanceId: string }
  /** `events/streams`: data displayed in the panel has changed. */
  changes: Change
  /** `company/sessions`: a session of this user has ended. */
  sessions: { userId: string }
  /** `networks/simulator`: an instance of the simulated network is typing. */
  typing: Typing
  /** `events/streams`: a member of the team is writing in a conversation. */
  teammates: Teammate
}

/** An instance whose state has changed, and its Project. */
type ChangedInstance = { id: string; projectId: string; mode: Mode }

/** The kind of data that has changed in one mode of a Project. */
type Change = { projectId: string; mode: Mode; what: ChangeKind }

/** An instance is shown as typing, or recording, in this chat for `ms` milliseconds; 0 ends it. */
type Typing = {
  projectId: string
  mode: Mode
  instanceId: string
  chatId: string
  ms: number
  recording: boolean
}

/** A member of the team is shown as writing in this conversation for `ms` milliseconds. */
type Teammate = {
  projectId: string
  mode: Mode
  conversationId: string
  userId: string
  ms: number
}

/** The name of a bus topic. */
export type Topic = keyof BusMessages

/** Publishing and subscribing by topic. */
export type BusTopics = {
  /**
   * Delivers a message to every subscriber: synchronously in this process, asynchronously on other nodes. Never throws.
   */
  publish<T extends Topic>(topic: T, message: BusMessages[T]): void
  /** Delivers a message to subscribers on other nodes only, asynchronously. Never throws. */
  publishToOthers<T extends Topic>(topic: T, message: BusMessages[T]): void
  /** Calls `receive` for each message of a topic. Returns a function that unsubscribes. */
  subscribe<T extends Topic>(topic: T, receive: (message: BusMessages[T]) => void): () => void
}

/** The message bus between the nodes of an installation. */
export type Bus = BusTopics & {
  /** Whether messages reach other nodes, as far as this node knows. */
  connected(): boolean
  /** Sends what is still queued where possible, and disconnects. */
  close(): Promise<void>
}
