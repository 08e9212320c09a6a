import type { Changed } from '../../kernel/changed.ts'
import type { Mode } from '../../kernel/config/config.ts'

/**
 * The messages that nodes publish, by topic, with the module that owns each. A message carries ids and wakes a worker; the
 * database is the source of truth and every worker also polls, so a lost message costs seconds and nothing else.
 */
export type BusMessages = {
  /** `events/webhooks`: a webhook was paused, resumed or removed. */
  webhooks: { webhookId: string }
  /** `instances`: an instance has a new code, status or setting; null when any of them may have changed owner. */
  instances: ChangedInstance | null
  /** `messaging/messages`: an instance has messages to send. */
  outbound: { instanceId: string }
  /** `events/streams`: another node recorded an event, `at` milliseconds since the epoch. */
  events: { eventId: string; at: number }
  /** `events/streams`: another node's bus works. */
  heartbeat: null
  /** `media`: the URL of a send is to be fetched. */
  media: { mediaId: string }
  /** `instances`: asks the node that owns this instance's session to run a command. */
  commands: { instanceId: string }
  /** `instances`: a command has its result. */
  commandResults: { commandId: string }
  /** `campaigns`: a campaign may continue. */
  campaigns: { campaignId: string }
  /** `networks/simulator`: the simulated network has events for this instance. */
  simulator: { instanceId: string }
  /** `events/streams`: data that panels show has changed. */
  changes: Change
  /** `networks/simulator`: an instance of the simulated network is typing. */
  typing: Typing
}

/** An instance whose state changed, and its Project. */
type ChangedInstance = { id: string; projectId: string; mode: Mode }

/** What changed in a Project's mode, for the panels that show it. */
type Change = { projectId: string; mode: Mode; what: Changed }

/** A message is being typed in this chat for `ms` milliseconds. */
type Typing = {
  projectId: string
  mode: Mode
  instanceId: string
  chatId: string
  ms: number
}

export type Topic = keyof BusMessages

export type BusTopics = {
  /** Delivers to every subscriber: those of this process at once, other nodes soon. Never throws, never waits. */
  publish<T extends Topic>(topic: T, message: BusMessages[T]): void
  /** Delivers to subscribers on other nodes only. Never throws, never waits. */
  publishToOthers<T extends Topic>(topic: T, message: BusMessages[T]): void
  /** Calls `receive` for each message of a topic. Returns a function that unsubscribes. */
  subscribe<T extends Topic>(topic: T, receive: (message: BusMessages[T]) => void): () => void
}

export type Bus = BusTopics & {
  /** Whether other nodes receive what this one publishes, as far as it knows. */
  connected(): boolean
  close(): Promise<void>
}
