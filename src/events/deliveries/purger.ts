import type { PendingWork } from '../../kernel/pending-work.ts'

/** Removes the deliveries that a webhook no longer sends. */
export type Purger = {
  /** Adds a webhook to the queue; it is there at most once. */
  purge(webhookId: string): void
  /** Ends after the batch in progress. Claims skip and delete what is left. */
  stop(): void
}

/**
 * Creates a purger that deletes one batch at a time, of one webhook after the other: however many webhooks a company
 * pauses or removes at once, it holds one connection. A webhook that fails is reported and left to the claims.
 */
export function createPurger(deps: {
  activity: PendingWork
  /** Deletes one batch of a webhook's stale deliveries; returns whether there may be more. */
  deleteBatch: (webhookId: string) => Promise<boolean>
  onError: (error: unknown, task?: string) => void
}): Purger {
  const { activity, deleteBatch, onError } = deps
  const queue = new Set<string>()
  let isRunning = false
  let isStopped = false

  async function drain(): Promise<void> {
    for (const webhookId of queue) {
      queue.delete(webhookId)
      try {
        // Behind the others: a set iterates in the order of insertion.
        if ((await deleteBatch(webhookId)) && !isStopped) queue.add(webhookId)
      } catch (error) {
        onError(error, `removing the deliveries of webhook ${webhookId}`)
      }
    }
    isRunning = false
  }

  return {
    purge(webhookId) {
      if (isStopped) return
      queue.add(webhookId)
      if (isRunning) return
      isRunning = true
      void activity.run(drain)
    },
    stop() {
      isStopped = true
      queue.clear()
    },
  }
}
