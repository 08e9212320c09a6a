import { lockProjects } from '../../company/projects/projects.service.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Db } from '../../platform/db/sql.ts'
import { findUnfinishedMerge, moveMessages } from './merge-conversations.sql.ts'

/** Moves what is left of merged conversations; see `createMergeFinisher`. */
export type MergeFinisher = ReturnType<typeof createMergeFinisher>

/**
 * Creates the worker that moves the older messages of long conversations after these were merged, in transactions that
 * delay nothing else. `sweep` continues what a crash interrupted.
 */
export function createMergeFinisher(deps: {
  db: Db
  activity: PendingWork
  onError: (error: unknown) => void
}) {
  const { db, activity, onError } = deps
  let isRunning = false

  async function finish(on: Db): Promise<void> {
    const failed: string[] = []
    for (;;) {
      const merge = await findUnfinishedMerge(on, failed)
      if (!merge) return
      try {
        await on.transaction(async (tx) =>
          moveMessages(await lockProjects(tx, [merge.projectId]), merge),
        )
      } catch (error) {
        // The next sweep tries again; others must not wait for it.
        failed.push(merge.from)
        onError(error)
      }
    }
  }

  return {
    /** Begins to move what is left, unless that is already under way. */
    start(): void {
      if (isRunning) return
      isRunning = true
      void activity
        .run(() => finish(db))
        .catch(onError)
        .finally(() => (isRunning = false))
    },
    sweep: finish,
  }
}
