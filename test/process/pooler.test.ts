// PgBouncer in front of PostgreSQL: with sessions of their own everything works; mixed sessions are refused at the start.
import assert from 'node:assert/strict'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import type { DatabaseAddress } from '../../src/platform/db/driver.ts'
import { openDatabase, type Database } from '../../src/platform/db/database.ts'
import { startDatabaseProxy, type DatabaseProxy } from '../kit/database-proxy.ts'
import { findPort, makeDataDir, removeDataDir, run } from '../kit/process.ts'

const NAME = `test_pooler_${process.pid}`
const installed = spawnSync('which', ['pgbouncer']).status === 0
const skip = installed ? false : 'install pgbouncer to run it (apt-get install pgbouncer)'

let admin: Database
let address: Exclude<DatabaseAddress, { url: string }>
let dir: string
let proxy: DatabaseProxy
const bouncers: ChildProcess[] = []

before(async () => {
  address = JSON.parse(process.env['RECADO_TEST_DATABASE'] ?? '') as typeof address
  admin = openDatabase(address, 1)
  await admin.system`create role ${admin.sql(NAME)} login password 'p'`
  await admin.system`create database ${admin.sql(NAME)} owner ${admin.sql(NAME)}`
  proxy = await startDatabaseProxy(address)
  dir = mkdtempSync('/tmp/recado-pooler-')
  chmodSync(dir, 0o777)
})
after(async () => {
  for (const bouncer of bouncers) bouncer.kill('SIGKILL')
  await admin.system`drop database ${admin.sql(NAME)} with (force)`
  await admin.system`drop role ${admin.sql(NAME)}`
  await admin.close(1)
  await proxy.close()
  rmSync(dir, { recursive: true, force: true })
})

/** The configuration that docs/operating/scale.md shows, on loopback. */
async function startBouncer(mode: 'session' | 'transaction'): Promise<string> {
  const port = await findPort()
  const file = join(dir, `${mode}.ini`)
  writeFileSync(join(dir, 'users.txt'), `"${NAME}" "p"\n`)
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=127.0.0.1 port=${new URL(proxy.url('x', 'x', 'x')).port}`,
      '[pgbouncer]',
      `pool_mode = ${mode}`,
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = plain',
      `auth_file = ${join(dir, 'users.txt')}`,
      'max_client_conn = 200',
      'default_pool_size = 40',
      'ignore_startup_parameters = plan_cache_mode,enable_seqscan,statement_timeout,idle_in_transaction_session_timeout',
    ].join('\n'),
  )
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const bouncer = spawn('pgbouncer', [...user, file], { stdio: 'ignore' })
  bouncers.push(bouncer)
  while (!(await accepts(port))) await pause(50)
  return `postgres://${NAME}:p@127.0.0.1:${port}/${NAME}`
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

async function start(url: string) {
  const dataDir = makeDataDir()
  const port = await findPort()
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: url,
    MASTER_KEY: 'm'.repeat(32),
    PORT: String(port),
  }
  return { server: run('src/main.ts', [], { ...env, LOG_LEVEL: 'error' }), port, dataDir }
}

describe('behind PgBouncer', { skip }, () => {
  it('a pooler in transaction mode is rejected at start with a sentence that says what to do', async () => {
    const { server, dataDir } = await start(await startBouncer('transaction'))
    const { code, output } = await server.ended
    assert.notEqual(code, 0)
    assert.match(output, /DATABASE_URL: há um pooler em modo transaction/)
    removeDataDir(dataDir)
  })

  it('a pooler in session mode works with the documented configuration', async () => {
    const { server, port, dataDir } = await start(await startBouncer('session'))
    await server.says('Recado está no ar.')
    const { statusCode, body } = await request(`http://127.0.0.1:${port}/readyz`)
    await body.dump()
    assert.equal(statusCode, 200)
    server.child.kill('SIGTERM')
    assert.equal((await server.ended).code, 0)
    removeDataDir(dataDir)
  })

  it('migrations, backups and long transactions have their time, whatever timeout the database has', async () => {
    const url = await startBouncer('session')
    // The documentation sets 4500ms.
    await admin.system`alter database ${admin.sql(NAME)} set statement_timeout = '200ms'`
    const database = openDatabase({ url }, 1)
    await assert.rejects(
      Promise.resolve(database.system`select pg_sleep(0.4)`),
      /statement timeout/,
    )
    await database.session((sql) => sql`select pg_sleep(0.4)`)
    await database.patient.transaction((tx) => Promise.resolve(tx.system`select pg_sleep(0.4)`))
    await database.close(1)
    await admin.system`alter database ${admin.sql(NAME)} reset statement_timeout`
  })
})
