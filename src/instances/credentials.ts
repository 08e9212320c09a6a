import type { Db } from '../db/sql.ts'
import type { Seal } from '../lib/seal.ts'
import type { CredentialStore } from '../networks/network.port.ts'
import { clearCredentials, loadCredentials, saveCredentials } from './credentials.sql.ts'

/** An account's secrets in PostgreSQL, each sealed with the master key and bound to its place. */
export function createCredentialStore(deps: {
  db: Db
  seal: Seal
  instanceId: string
}): CredentialStore {
  const { db, seal, instanceId } = deps
  const context = (kind: string, id: string) => `${instanceId}/${kind}/${id}`
  return {
    async load(kind) {
      const rows = await loadCredentials(db, instanceId, kind)
      return new Map(rows.map((row) => [row.id, seal.open(row.sealed, context(kind, row.id))]))
    },
    async read(kind, id) {
      const [row] = await loadCredentials(db, instanceId, kind, id)
      return row ? seal.open(row.sealed, context(kind, row.id)) : null
    },
    save: (entries) =>
      saveCredentials(
        db,
        instanceId,
        entries.map(({ kind, id, value, expiresAt }) => ({
          kind,
          id,
          expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
          sealed: value && seal.close(value, context(kind, id)),
        })),
      ),
    clear: () => clearCredentials(db, instanceId),
  }
}
