/**
 * What nodes tell one another. A message carries an id and wakes somebody up; the database holds the truth, and
 * every worker also looks by itself, so a lost message costs seconds and nothing else (deliveries I7).
 */
export type Topic =
  /** Deliveries may be due. */
  | 'deliveries'
  /** This webhook was paused, resumed or removed. */
  | 'webhooks'
  /** An instance has a new code or status, or is to be connected or disconnected: see `instance-changes.ts`. */
  | 'instances'
  /** This instance has messages to send. */
  | 'outbound'
  /** These events were recorded elsewhere: `<id>@<milliseconds of their record>`. */
  | 'events'
  /** Another node's bus works. */
  | 'beats'
  /** A URL of a send is to be fetched. */
  | 'media'
  /** A node asks the one that holds this instance's session to do something. */
  | 'commands'
  /** The command of this id has its answer. */
  | 'answers'
  /** This campaign may go on. */
  | 'campaigns'
  /** The simulated network has something to tell this instance. */
  | 'simulator'
  /** Somebody changed something that panels show: see `changes.ts`. */
  | 'changes'
  /** An instance types, on the simulated network: see `typing.ts`. */
  | 'typing'

export type BusTopics = {
  /** Tells every subscriber, here at once and on other nodes soon. Never throws, never waits. */
  publish(topic: Topic, id: string): void
  /** Tells the subscribers on other nodes alone. Never throws, never waits. */
  tellOthers(topic: Topic, id: string): void
  subscribe(topic: Topic, hear: (id: string) => void): () => void
}

export type Bus = BusTopics & {
  /** Whether other nodes hear this one, as far as it knows. */
  connected(): boolean
  close(): Promise<void>
}
