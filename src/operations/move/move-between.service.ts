import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { AuditService } from '../../company/audit/audit.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { parseConfig, type Config } from '../../kernel/config/config.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Database } from '../../platform/db/database.ts'
import { masterKeysOf, openSeal } from '../../platform/db/master-key.ts'
import { openStorage } from '../../platform/db/storage.ts'
import { openFileCopier, storeNameOf } from '../../media/copy-files.service.ts'
import { listMediaStores } from './move.sql.ts'
import { moveProject, type Moved } from './move-project.ts'

/**
 * Moves a Project of this installation to the one whose variables are in `file`, which is read like an `.env` file. Throws
 * StartFault.
 */
export async function moveBetween(
  here: { config: Config; database: Database; audit: AuditService; clock: Clock },
  projectId: string,
  file: string,
): Promise<Moved> {
  const { config, database, audit, clock } = here
  const there = await readConfig(file)
  if (resolve(there.dataDir) === resolve(config.dataDir))
    throw new StartFault(say.ops.move.targetDataDir(file))
  await using storage = await openStorage(there, 'operator')
  // Fails unless both keys open what the installations have stored.
  await openSeal(database, config)
  await openSeal(storage.database, there)
  // The nodes there say where they keep files: copies in another place would never be found.
  const stores = await listMediaStores(storage.database)
  if (stores.length === 0) throw new StartFault(say.ops.move.noNode)
  if (!stores.includes(storeNameOf(there))) throw new StartFault(say.ops.move.otherFiles)
  await using files = await openFileCopier(database, config, there)
  const from = { database, masterKeys: masterKeysOf(config) }
  const to = { database: storage.database, masterKeys: masterKeysOf(there) }
  return await moveProject({ from, to, files, audit, clock, publicUrl: there.publicUrl }, projectId)
}

async function readConfig(file: string): Promise<Config> {
  let variables: NodeJS.Dict<string>
  try {
    variables = parseEnv(await readFile(file, 'utf8'))
  } catch (error) {
    throw new StartFault(say.ops.move.target(file), error)
  }
  if (!variables['DATA_DIR']) throw new StartFault(say.ops.move.targetDataDir(file))
  return parseConfig(variables)
}
