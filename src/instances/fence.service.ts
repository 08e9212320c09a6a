import type { Db } from '../platform/db/sql.ts'
import type { Ownership } from './instances.sql.ts'
import { lockOwned } from './ownership.sql.ts'

export type { Ownership }

/** Thrown when another node owns the instance, so that writes of this node must be discarded. */
export class OwnershipLost extends Error {
  constructor(instanceIds: string[]) {
    super(`this node no longer owns ${instanceIds.join(', ')}`)
    this.name = 'OwnershipLost'
  }
}

/** Guards transactions against writes to instances that this node no longer owns. */
export type Fence = {
  /** Locks the ownership of these instances until the transaction ends. Throws OwnershipLost if this node lacks any. */
  lockOwnership(tx: Db, instanceIds: string[]): Promise<void>
}

/**
 * Creates the fence that stops a node that was frozen or disconnected from writing for instances that others have taken
 * over.
 */
export function createFence(owner: Ownership): Fence {
  return {
    async lockOwnership(tx, instanceIds) {
      const ids = [...new Set(instanceIds)]
      if (ids.length === 0) return
      const owned = new Set(await lockOwned(tx, owner, ids))
      const lost = ids.filter((id) => !owned.has(id))
      if (lost.length > 0) throw new OwnershipLost(lost)
    },
  }
}
