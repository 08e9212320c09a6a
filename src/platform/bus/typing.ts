import type { Mode } from '../../kernel/config/config.ts'
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
  const { projectId, mode, instanceId, chatId, ms } = typing
  publish('typing', [projectId, mode, instanceId, ms, chatId].join('@'))
}

/** What a message of the topic `typing` tells; a chat's id has the sign between the parts in it, and stands last. */
export function readTyping(word: string): Typing {
  const [projectId = '', mode = '', instanceId = '', ms = '', ...chat] = word.split('@')
  const where = { projectId, mode: mode as Mode, instanceId }
  return { ...where, ms: Number(ms), chatId: chat.join('@') }
}
