import type { Db } from '../platform/db/sql.ts'
import { keyOf } from './store-file.ts'
import { findExpired, markExpired, type ExpiredMedia } from './media.sql.ts'
import type { MediaStore } from './store.port.ts'

const BATCH_SIZE = 500

/**
 * Removes the bytes of expired files, then marks the files as expired. One that cannot be removed
 * affects no other and is retried at the next sweep; then this throws.
 */
export async function sweepFiles(deps: {
  db: Db
  store: MediaStore
  now: () => Date
  onError: (error: unknown, task?: string) => void
}): Promise<void> {
  const { db, store, now, onError } = deps
  let failed = 0
  let last: ExpiredMedia | null = null
  for (;;) {
    const rows: ExpiredMedia[] = await findExpired(db, BATCH_SIZE, now(), last)
    const failures = rows.length > 0 ? await store.remove(rows.map(keyOf)) : []
    const kept = new Set(failures.map(({ key }) => key))
    const removed = rows.filter((row) => !kept.has(keyOf(row))).map(({ id }) => id)
    await markExpired(db, removed)
    failed += failures.length
    const [first] = failures
    if (first) onError(new Error(`cannot remove ${first.key}: ${first.reason}`))
    last = rows.at(-1) ?? null
    // A store that does not respond would fail for every file; single files that it refuses to delete stop no others.
    if (rows.length < BATCH_SIZE || failures.some(({ isUnanswered }) => isUnanswered)) break
  }
  if (failed > 0) throw new Error(`${failed} expired files could not be removed`)
}
