// Runs once before all test files: starts one PostgreSQL with a migrated template database that each test copies, keeps
// a copy of its files for tests that start a server of their own, and builds the panel, so that test files do not build
// it concurrently.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { buildPanel } from '../../src/app/build-panel.ts'
import { openCluster, type Cluster } from '../../src/platform/db/embedded/cluster.ts'
import { openDatabase } from '../../src/platform/db/database.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { findUnvalidated } from './openapi-check.ts'
import { removeDataDir } from './process.ts'

/** Name of the migrated template database. */
export const TEMPLATE = 'recado_template'
/**
 * Test data need not survive a power failure, no table grows enough to need statistics, and each test file opens several
 * pools.
 */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '200',
}
/** Set by `npm test`, which runs every test that makes requests. */
const RUNS_ALL = process.env['RECADO_TEST_ALL'] !== undefined
let cluster: Cluster | undefined
let dir = ''

/** Publishes the server's address in RECADO_TEST_DATABASE and the copied files in RECADO_TEST_POSTGRES. */
export async function globalSetup(): Promise<void> {
  dir = mkdtempSync(join('/tmp', 'recado-test-'))
  chmodSync(dir, 0o711)
  cluster = await openCluster(dir, true, SETTINGS)
  const { address } = cluster
  if ('url' in address)
    throw new Error(`embedded PostgreSQL in ${dir}: expected a socket address, got a URL`)
  await buildPanel()
  {
    await using database = openDatabase(address, 1)
    await migrate(database)
  }
  await copyFiles()
  await using server = openDatabase(address, 1)
  await server.system`create database ${server.sql(TEMPLATE)}`
  await using database = openDatabase({ ...address, database: TEMPLATE }, 1)
  await migrate(database)
  process.env['RECADO_TEST_DATABASE'] = JSON.stringify(address)
  process.env['RECADO_TEST_RESPONSES'] = join(dir, 'responses')
}

/** Copies the files of the stopped cluster, and starts it again. */
async function copyFiles(): Promise<void> {
  const home = realpathSync(join(dir, 'postgres'))
  const copy = join(dir, 'copy')
  await cluster?.stop()
  mkdirSync(copy)
  const { status } = spawnSync('cp', ['-a', join(home, 'cluster'), join(home, 'password'), copy])
  if (status !== 0) throw new Error(`cp -a ${home}/cluster ${copy} exited with ${status}`)
  process.env['RECADO_TEST_POSTGRES'] = copy
  cluster = await openCluster(dir, true, SETTINGS)
}

/** Stops PostgreSQL and removes its data. The run fails if it has all tests, and an operation had no successful response. */
export async function globalTeardown(): Promise<void> {
  await cluster?.stop()
  const missing = RUNS_ALL ? findUnvalidated(join(dir, 'responses')) : []
  removeDataDir(dir)
  if (missing.length === 0) return
  // The runner does not end after an error here.
  process.stderr.write(`no test validates a successful response of ${missing.join(', ')}\n`)
  process.exitCode = 1
}
