import { lockProjects } from '../../company/projects/projects.service.ts'
import { createFinisher, type Finisher } from '../../kernel/finisher.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Db } from '../../platform/db/sql.ts'
import { findUnfinishedMerge, moveMessages } from './merge-conversations.sql.ts'

/** Creates the worker that finishes merges of long conversations by moving their older messages. */
export const createMergeFinisher = (deps: {
  activity: PendingWork
  onError: (error: unknown, task?: string) => void
}): Finisher<Db> =>
  createFinisher({
    ...deps,
    idOf: ({ from }) => from,
    find: findUnfinishedMerge,
    step: (db, merge) =>
      db.transaction(async (tx) => moveMessages(await lockProjects(tx, [merge.projectId]), merge)),
  })
