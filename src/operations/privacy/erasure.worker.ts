import type { InstancesService } from '../../instances/instances.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { OPERATOR } from '../../kernel/principal.ts'
import { isMissingTable } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/sql.ts'
import { closeUnconfirmed, listLive } from './close.sql.ts'
import { endInstances } from './end-instances.ts'
import {
  eraseContacts,
  eraseConversations,
  eraseMessages,
  eraseNames,
  eraseRecipients,
  eraseRows,
  expireFiles,
  findDueErasure,
  lockDueErasure,
  postponeErasure,
} from './erase.sql.ts'

/** Time for instances to log out before their credentials are erased. */
export const ERASED_AFTER_MS = 3600_000
const FILES_SWEPT_MS = 15 * 60_000
/** A sign-up that stays unconfirmed this long is closed, and its personal data erased. */
const UNCONFIRMED_KEPT_MS = 30 * 24 * 3600_000
const POLL_INTERVAL_MS = 10 * 60_000
const BATCH = 5000
const MAX_CLOSED = 100

/** Runs `work`, and once more if retention drops a partition between its listing and the deletion from it. */
async function retryOnDroppedTable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isMissingTable(error)) throw error
    return work()
  }
}

/** Starts closing sign-ups that are never confirmed, and erasing accounts whose time has come. */
export function startErasure(deps: {
  db: Db
  clock: Clock
  instances: Pick<InstancesService, 'remove'>
  activity: PendingWork
  onError: (error: unknown, task?: string) => void
}): { stop(): Promise<void> } {
  const { db, clock, activity, onError } = deps
  const inMs = (ms: number) => new Date(clock.now() + ms)
  let stopping = false

  /** Erases a batch of an account. Returns true if the next one may follow immediately. */
  async function eraseBatch(tx: Db, accountId: string): Promise<boolean> {
    if (!(await lockDueErasure(tx, accountId, inMs(0)))) return false
    for (const erase of [eraseMessages, eraseRecipients, eraseConversations, eraseContacts]) {
      if ((await erase(tx, accountId, BATCH)) > 0) return true
    }
    const files = await expireFiles(tx, accountId, inMs(0), BATCH)
    if (files.expired > 0) return true
    // The module `media` removes the bytes of files first; the rest is erased afterwards.
    if (files.isLeft) {
      await postponeErasure(tx, accountId, inMs(FILES_SWEPT_MS))
      return false
    }
    const live = await listLive(tx, accountId, { after: '', most: 1 })
    // Without its row and credentials, an instance could no longer log out.
    if (live.length > 0) {
      await postponeErasure(tx, accountId, inMs(ERASED_AFTER_MS))
      return false
    }
    if ((await eraseRows(tx, accountId, BATCH)) > 0) return true
    await eraseNames(tx, accountId, inMs(0))
    return false
  }

  /** Erases as much of an account as is due. Returns true if another one may be due. */
  async function eraseAccount(): Promise<boolean> {
    const accountId = await findDueErasure(db, inMs(0))
    if (accountId === null) return false
    try {
      // Those that a crash or a failure kept from being removed when the account was deleted.
      if ((await endInstances(deps, OPERATOR, accountId)) > 0) {
        await postponeErasure(db, accountId, inMs(ERASED_AFTER_MS))
        return true
      }
      const eraseNext = () => db.transaction((tx) => eraseBatch(tx, accountId))
      while (!stopping && (await retryOnDroppedTable(eraseNext)));
      return true
    } catch (error) {
      // An account that cannot be erased now must not block the others.
      await postponeErasure(db, accountId, inMs(ERASED_AFTER_MS))
      throw error
    }
  }

  async function closeSome(): Promise<boolean> {
    const times = { before: inMs(-UNCONFIRMED_KEPT_MS), now: inMs(0) }
    return (await closeUnconfirmed(db, { ...times, most: MAX_CLOSED })) === MAX_CLOSED
  }

  // Separate loops, so that neither delays the other.
  const loops = [
    { task: 'closing unconfirmed accounts', run: closeSome },
    { task: 'erasing deleted accounts', run: eraseAccount },
  ].map(({ task, run }) =>
    createLoop({ task, run, clock, activity, onError, everyMs: () => POLL_INTERVAL_MS }),
  )
  return {
    async stop() {
      stopping = true
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
