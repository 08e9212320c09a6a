import type { BusTopics } from './bus.port.ts'

/** What somebody changed, such as `webhooks`, in a Project's mode. */
export type Change = { projectId: string; mode: string; what: string }

/** Tells the panels of a company, on every node, that there is something to read again. */
export function publishChange(
  publish: BusTopics['publish'],
  { projectId, mode, what }: Change,
): void {
  publish('changes', `${projectId}@${mode}@${what}`)
}

/** The change that a message of the topic `changes` tells of. */
export function readChange(word: string): Change {
  const [projectId = '', mode = '', what = ''] = word.split('@')
  return { projectId, mode, what }
}
