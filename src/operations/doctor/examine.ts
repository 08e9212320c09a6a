import { accessSync, constants } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { BillingService } from '../../company/billing/billing.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Config } from '../../kernel/config/config.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { openSeal, opensStoredValues } from '../../platform/db/master-key.ts'
import type { Db } from '../../platform/db/sql.ts'
import { CONNECTIONS_PER_NODE } from '../../platform/db/storage.ts'
import type { Egress } from '../../platform/egress/safe-fetch.ts'
import { check, type Check } from './check.ts'
import { checkHosts } from './check-hosts.ts'
import { checkOutgoing } from './check-outgoing.ts'
import { examineDatabase, type Examination } from './doctor.sql.ts'
import { makeProbeToken } from './probe.ts'

const LEAST_VERSION = 150_000
const LARGEST_CLOCK_DIFFERENCE_MS = 2000
const LEAST_FREE_GB = 1

/**
 * Checks a whole installation: this machine, the database, the addresses through their proxy, and what the server
 * connects to. The addresses are checked only while a node runs. `webhook` is a URL that a test delivery goes to.
 */
export async function examine(
  config: Config,
  deps: {
    db: Db
    clock: Clock
    billing: Pick<BillingService, 'drift'>
    egress: Pick<Egress, 'exchange'>
  },
  webhook: string | null = null,
): Promise<Check[]> {
  const { db, clock } = deps
  const before = clock.now()
  const found = await examineDatabase(db)
  const clockDifference = Math.round(found.now - (before + clock.now()) / 2)
  const keyOpens = await opensStoredValues(db, config)
  const words = say.ops.remedies
  return [
    check('DATA_DIR', writable(config.dataDir), config.dataDir, words.dataDir),
    await checkDisk(config.dataDir),
    ...checkDatabase(found),
    check(
      'clock',
      Math.abs(clockDifference) <= LARGEST_CLOCK_DIFFERENCE_MS,
      `${clockDifference} ms`,
      words.clock,
    ),
    check(
      'MASTER_KEY',
      keyOpens,
      config.masterKey ? 'MASTER_KEY' : 'DATA_DIR/master.key',
      words.masterKey,
    ),
    ...(await checkWork(found, deps)),
    ...(keyOpens && found.liveNodes > 0 && config.port > 0
      ? await checkHosts(config, makeProbeToken(await openSeal(db, config), clock.now()))
      : []),
    ...(await checkOutgoing(config, deps, webhook)),
  ]
}

function checkDatabase(found: Examination): Check[] {
  const { serverVersion, serverVersionNumber, unsafeSettings, maxConnections, liveNodes } = found
  const needed = CONNECTIONS_PER_NODE * Math.max(1, liveNodes)
  const words = say.ops.remedies
  const isNew = serverVersionNumber >= LEAST_VERSION
  const settings = unsafeSettings.join(', ') || 'ok'
  const connections = `${maxConnections} ≥ ${needed}`
  return [
    check('PostgreSQL', isNew, serverVersion, words.postgresVersion),
    check('settings', unsafeSettings.length === 0, settings, words.postgresSettings),
    check('connections', maxConnections >= needed, connections, words.connections(needed)),
    check('schema', found.schemaVersion > 0, String(found.schemaVersion), words.schema),
  ]
}

async function checkWork(
  { liveNodes, overdueDeliveries }: Examination,
  { db, billing }: { db: Db; billing: Pick<BillingService, 'drift'> },
): Promise<Check[]> {
  const words = say.ops.remedies
  const drift = (await billing.drift(db)).map(({ projectId }) => projectId)
  return [
    check('nodes', true, String(liveNodes), ''),
    check('overdue deliveries', overdueDeliveries === 0, String(overdueDeliveries), words.overdue),
    check('balances', drift.length === 0, drift.join(', ') || 'ok', words.balances),
  ]
}

async function checkDisk(dir: string): Promise<Check> {
  const { bavail, bsize } = await statfs(dir)
  const free = (bavail * bsize) / 1024 ** 3
  return check('disk', free >= LEAST_FREE_GB, `${free.toFixed(1)} GB`, say.ops.remedies.disk)
}

function writable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK)
    return true
  } catch {
    return false
  }
}
