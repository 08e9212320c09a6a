import { accessSync, constants } from 'node:fs'
import type { BillingService } from '../../company/billing/billing.service.ts'
import type { Config } from '../../kernel/config/config.ts'
import { opensStoredValues } from '../../platform/db/master-key.ts'
import type { Db } from '../../platform/db/sql.ts'
import { examineDatabase } from './ops.sql.ts'

/** The result of a check; `detail` is the value that was found. */
export type Check = { name: string; ok: boolean; detail: string }

/** Checks what a server needs to run. */
export async function examine(
  config: Config,
  db: Db,
  billing: Pick<BillingService, 'drift'>,
): Promise<Check[]> {
  const found = await examineDatabase(db)
  const overdue = found.overdueDeliveries
  const drift = await billing.drift(db)
  return [
    { name: 'DATA_DIR', ok: writable(config.dataDir), detail: config.dataDir },
    { name: 'PostgreSQL', ok: true, detail: found.serverVersion },
    { name: 'schema', ok: found.schemaVersion > 0, detail: String(found.schemaVersion) },
    {
      name: 'MASTER_KEY',
      ok: await opensStoredValues(db, config),
      detail: config.masterKey ? 'MASTER_KEY' : 'DATA_DIR/master.key',
    },
    { name: 'nodes', ok: true, detail: String(found.liveNodes) },
    { name: 'overdue deliveries', ok: overdue === 0, detail: String(overdue) },
    {
      name: 'balances',
      ok: drift.length === 0,
      detail: drift.map(({ projectId }) => projectId).join(', ') || '=',
    },
  ]
}

function writable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK)
    return true
  } catch {
    return false
  }
}
