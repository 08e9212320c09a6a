import { isValueFault } from '../platform/db/database-errors.ts'
import type { Db } from '../platform/db/sql.ts'
import type { Ownership } from './instances.sql.ts'
import { lockOwned } from './ownership.sql.ts'

export type { Ownership }

/** Another node owns the instance now: what this one still does for it must not count. */
export class OwnershipLost extends Error {
  constructor(instanceIds: string[]) {
    super(`this node no longer owns ${instanceIds.join(', ')}`)
    this.name = 'OwnershipLost'
  }
}

export type Fence = {
  /** Makes sure that this node owns these instances until the transaction ends. Throws OwnershipLost. */
  hold(tx: Db, instanceIds: string[]): Promise<void>
}

/** Whether a failure lies in one item of a batch, for what it holds or for whose it is: the others may go on without it. */
export function isOwnFault(error: unknown): boolean {
  return isValueFault(error) || error instanceof OwnershipLost
}

/** Keeps a node that was frozen or cut off from writing for instances that others have taken over. */
export function createFence(owner: Ownership): Fence {
  return {
    async hold(tx, instanceIds) {
      const ids = [...new Set(instanceIds)]
      if (ids.length === 0) return
      const owned = new Set(await lockOwned(tx, owner, ids))
      const lost = ids.filter((id) => !owned.has(id))
      if (lost.length > 0) throw new OwnershipLost(lost)
    },
  }
}
