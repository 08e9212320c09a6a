import type { BusTopics, Topic } from './bus.port.ts'

/** The subscribers in this process, who hear at once whatever carries the message to other nodes. */
export function createLocalTopics(onError: (error: unknown) => void): BusTopics {
  const subscribers = new Map<Topic, Set<(id: string) => void>>()
  return {
    tellOthers: () => {},
    publish(topic, id) {
      for (const hear of subscribers.get(topic) ?? []) {
        try {
          hear(id)
        } catch (error) {
          // Whoever cannot read it keeps nobody else from it, nor from what comes behind it.
          onError(error)
        }
      }
    },
    subscribe(topic, hear) {
      const set = subscribers.get(topic) ?? new Set()
      subscribers.set(topic, set.add(hear))
      return () => void set.delete(hear)
    },
  }
}
