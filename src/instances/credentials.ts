import type { Db } from '../platform/db/sql.ts'
import type { Activity } from '../kernel/activity.ts'
import { createBatcher } from '../kernel/batcher.ts'
import type { Seal } from '../kernel/seal.ts'
import type { CredentialStore } from '../networks/network.port.ts'
import {
  clearCredentials,
  loadCredentials,
  saveCredentials,
  type StoredCredential,
  type WantedCredentials,
} from './credentials.sql.ts'
import { OwnershipLost } from './fence.service.ts'
import type { Ownership } from './instances.sql.ts'

/** What is read in one statement: the keys of several accounts, up to a megabyte each. */
const LOADED_AT_ONCE = 64

/**
 * The accounts' secrets in PostgreSQL, each sealed with the master key and bound to its place. Accounts that open at the same time are
 * read together; only the node that owns an account writes.
 */
export function createCredentialStores(deps: {
  db: Db
  activity: Activity
  seal: Seal
  /** The node that writes them; null where there are no instances: a bench. */
  owner: Ownership | null
}): (instanceId: string) => CredentialStore {
  const { db, activity, seal, owner } = deps

  async function loadAll(wanted: WantedCredentials[]): Promise<StoredCredential[][]> {
    const byPosition = Map.groupBy(await loadCredentials(db, wanted), ({ position }) => position)
    return wanted.map((_, position) => byPosition.get(position) ?? [])
  }

  const loader = createBatcher({
    flush: loadAll,
    maxItems: LOADED_AT_ONCE,
    maxInFlight: 2,
    activity,
  })
  return (instanceId) => {
    const context = (kind: string, id: string) => `${instanceId}/${kind}/${id}`
    return {
      async load(kind) {
        const rows = await loader.add({ instanceId, kind, id: null })
        return new Map(rows.map((row) => [row.id, seal.open(row.sealed, context(kind, row.id))]))
      },
      async read(kind, id) {
        const [row] = await loader.add({ instanceId, kind, id })
        return row ? seal.open(row.sealed, context(kind, row.id)) : null
      },
      async save(entries) {
        const sealed = entries.map(({ kind, id, value, expiresAt }) => ({
          kind,
          id,
          expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
          sealed: value && seal.close(value, context(kind, id)),
        }))
        if (!(await saveCredentials(db, instanceId, owner, sealed))) {
          throw new OwnershipLost([instanceId])
        }
      },
      clear: () => clearCredentials(db, instanceId),
    }
  }
}
