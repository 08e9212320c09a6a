// How long a backup and its restore take, for a database of about a gigabyte.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseConfig } from '../src/kernel/config/config.ts'
import { openStorage } from '../src/platform/db/storage.ts'
import { makeDataDir, removeDataDir, run } from '../test/kit/process.ts'
import { fill } from './growth.ts'
import { pairInstance, startServer } from './kit.ts'
import { print } from './load.ts'

/** Of the large database of `growth`, which has 11 GB. */
const SHARE = 0.1
const TARGET_S = 120

/** `npm run bench -- restore [share]`: prints the sizes and the times, and fails above two minutes. */
export async function benchRestore(share = SHARE): Promise<void> {
  const key = 'b'.repeat(32)
  await using stack = new AsyncDisposableStack()
  const makeDir = () => {
    const dir = makeDataDir()
    stack.defer(() => removeDataDir(dir))
    return dir
  }
  const bench = stack.use(await startServer([], { MASTER_KEY: key }))
  const instance = await pairInstance(bench, 'restore')
  const copy = join(makeDir(), 'copy')
  let megabytes: number
  {
    await using storage = await openStorage(parseConfig(bench.env), 'operator')
    await fill({ bench, db: storage.database.patient, instance, friend: '' }, share)
    const [row] = await storage.database.system<{ size: number }[]>`
      select pg_database_size(current_database())::float8 as size`
    megabytes = (row?.size ?? 0) / 1e6
  }
  const timed = async (args: string[], env: Record<string, string>) => {
    const startedAt = performance.now()
    const { code, output } = await run('src/cli.ts', args, env).ended
    if (code !== 0) throw new Error(`recado-ops ${args.join(' ')} exited with ${code}: ${output}`)
    return (performance.now() - startedAt) / 1000
  }
  const backup = await timed(['backup', '--to', copy], bench.env)
  const tables = join(copy, 'tables')
  const bytes = readdirSync(tables).reduce(
    (sum, name) => sum + statSync(join(tables, name)).size,
    0,
  )
  const restore = await timed(['restore', '--from', copy], { DATA_DIR: makeDir(), MASTER_KEY: key })
  print(
    `database ${megabytes.toFixed(0)} MB, backup ${(bytes / 1e6).toFixed(0)} MB in ${backup.toFixed(1)} s, ` +
      `restored in ${restore.toFixed(1)} s (target ${TARGET_S} s)`,
  )
  if (restore > TARGET_S) process.exitCode = 1
}
