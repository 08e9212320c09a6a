import type { BusTopics } from './bus.port.ts'

export type LocalTopics = BusTopics & {
  /** Publishes what another node sent: JSON of the topic's message. Skips what this version cannot parse. */
  publishEncoded(topic: string, json: string): void
}

/** The subscribers of this process, which receive a message at once whatever carries it to other nodes. */
export function createLocalTopics(onError: (error: unknown) => void): LocalTopics {
  const subscribers = new Map<string, Set<(message: never) => void>>()
  function publish(topic: string, message: unknown): void {
    for (const receive of subscribers.get(topic) ?? []) {
      try {
        receive(message as never)
      } catch (error) {
        // A subscriber that fails affects neither the others nor later messages.
        onError(error)
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
