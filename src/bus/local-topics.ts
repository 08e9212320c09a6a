import type { BusTopics, Topic } from './bus.port.ts'

/** The subscribers in this process, who hear at once whatever carries the message to other nodes. */
export function createLocalTopics(): BusTopics {
  const subscribers = new Map<Topic, Set<(id: string) => void>>()
  return {
    tellOthers: () => {},
    publish(topic, id) {
      for (const hear of subscribers.get(topic) ?? []) hear(id)
    },
    subscribe(topic, hear) {
      const set = subscribers.get(topic) ?? new Set()
      subscribers.set(topic, set.add(hear))
      return () => void set.delete(hear)
    },
  }
}
