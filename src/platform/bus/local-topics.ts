import type { BusTopics } from './bus.port.ts'

/** The subscribers of this process, with a way to deliver messages received from other nodes. */
export type LocalTopics = BusTopics & {
  /** Delivers a message received from another node as JSON. A message that cannot be parsed is reported and skipped. */
  publishEncoded(topic: string, json: string): void
}

/**
 * Delivers messages to the subscribers in this process; a bus driver adds the transport to other nodes. Errors of
 * subscribers and of parsing go to `onError`.
 */
export function createLocalTopics(onError: (error: unknown, task?: string) => void): LocalTopics {
  const subscribers = new Map<string, Set<(message: never) => void>>()
  function publish(topic: string, message: unknown): void {
    for (const receive of subscribers.get(topic) ?? []) {
      try {
        receive(message as never)
      } catch (error) {
        // A failing subscriber must not affect other subscribers or later messages.
        onError(error, `delivering a message of topic ${topic}`)
      }
    }
  }
  return {
    publish,
    publishToOthers: () => {},
    publishEncoded(topic, json) {
      let message: unknown
      try {
        message = JSON.parse(json)
      } catch (error) {
        return onError(
          new Error(`cannot parse a bus message of topic ${topic}: ${json.slice(0, 100)}`, {
            cause: error,
          }),
        )
      }
      publish(topic, message)
    },
    subscribe(topic, receive) {
      const set = subscribers.get(topic) ?? new Set()
      subscribers.set(topic, set.add(receive))
      return () => void set.delete(receive)
    },
  }
}
