import type { Mode } from '../config/config.ts'
import type { BusTopics } from './bus.port.ts'

/** An instance types in a chat for so long before its message leaves. */
export type Typing = {
  projectId: string
  mode: Mode
  instanceId: string
  chatId: string
  ms: number
}

/** Shows the panels of a company, on every node, that an instance of the simulated network types. */
export function publishTyping(publish: BusTopics['publish'], typing: Typing): void {
  publish('typing', JSON.stringify(typing))
}

/** What a message of the topic `typing` tells. */
export const readTyping = (word: string): Typing => JSON.parse(word) as Typing
