import type { Db } from '../platform/db/sql.ts'
import type { PendingWork } from '../kernel/pending-work.ts'
import { createBatcher } from '../kernel/batcher.ts'
import type { Seal } from '../kernel/seal.ts'
import type { CredentialStore } from '../networks/network.port.ts'
import {
  clearCredentials,
  loadCredentials,
  loadCredentialsById,
  saveCredentials,
  type StoredCredential,
  type CredentialRequest,
} from './credentials.sql.ts'
import { OwnershipLost } from './fence.service.ts'
import type { Ownership } from './instances.sql.ts'

/** Maximum requests loaded in one statement; the keys of each instance may take up to a megabyte. */
const LOAD_BATCH_SIZE = 64
/** Maximum credentials of one instance that one statement reads by their ids. */
const MAX_IDS = 500

/**
 * Creates the credential stores of instances, kept in PostgreSQL. Each credential is sealed with the master key and
 * bound to its instance, kind and id. Instances that open at the same time are loaded in batches; saving throws
 * OwnershipLost if this node no longer owns the instance.
 */
export function createCredentialStores(deps: {
  db: Db
  activity: PendingWork
  seal: Seal
  /** This node; null writes without owning the instance, as for an account that the instance's owner has set. */
  owner: Ownership | null
}): (instanceId: string) => CredentialStore {
  const { db, activity, seal, owner } = deps

  async function loadAll(wanted: CredentialRequest[]): Promise<StoredCredential[][]> {
    const byPosition = Map.groupBy(await loadCredentials(db, wanted), ({ position }) => position)
    return wanted.map((_, position) => byPosition.get(position) ?? [])
  }

  const loader = createBatcher({
    flush: loadAll,
    maxItems: LOAD_BATCH_SIZE,
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
      async readMany(kind, ids) {
        const values = new Map<string, Buffer>()
        for (let at = 0; at < ids.length; at += MAX_IDS) {
          const some = ids.slice(at, at + MAX_IDS)
          for (const { id, sealed } of await loadCredentialsById(db, instanceId, kind, some))
            values.set(id, seal.open(sealed, context(kind, id)))
        }
        return values
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
      async clear() {
        if (!(await clearCredentials(db, instanceId, owner))) throw new OwnershipLost([instanceId])
      },
    }
  }
}
