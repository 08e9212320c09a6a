import type { BusTopics } from './bus.port.ts'

/** An instance that has a new code, status or setting, and whose it is. */
export type ChangedInstance = { id: string; projectId: string; mode: string }

/** Tells workers, pairing pages and panels, on every node, to look at an instance again. */
export function publishInstance(
  publish: BusTopics['publish'],
  { id, projectId, mode }: ChangedInstance,
): void {
  publish('instances', `${id}@${projectId}@${mode}`)
}

/** The instance that a message of the topic `instances` is about. */
export function readInstanceChange(word: string): ChangedInstance {
  const [id = '', projectId = '', mode = ''] = word.split('@')
  return { id, projectId, mode }
}
