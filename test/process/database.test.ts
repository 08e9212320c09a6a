// A server and its database: connections that are cut, and connections on which nothing arrives any more.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import type { DatabaseAddress } from '../../src/platform/db/driver.ts'
import { openDatabase, type Database } from '../../src/platform/db/database.ts'
import { startDatabaseProxy, type DatabaseProxy } from '../kit/database-proxy.ts'
import { findPort, makePreparedDataDir, removeDataDir, run, type Run } from '../kit/process.ts'

const NAME = `test_process_${process.pid}`
const LOOPS = 8
const ROUNDS = 20
/** A deadline of this test, far beyond what the server takes. */
const GIVE_UP_MS = 20_000
const LOGIN = JSON.stringify({ email: 'a@b.com.br', password: 'errada errada' })

let admin: Database
let proxy: DatabaseProxy
let server: Run
let port: number
let working = true
let loops: Promise<void>[] = []
const dataDir = makePreparedDataDir()

const get = (path: string) =>
  request(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(GIVE_UP_MS) })
const post = (path: string, body: string) =>
  request(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(GIVE_UP_MS),
  })

async function readiness(): Promise<number> {
  const { statusCode, body } = await get('/readyz')
  await body.dump()
  return statusCode
}

async function until(status: number): Promise<void> {
  const end = performance.now() + GIVE_UP_MS
  while ((await readiness()) !== status) {
    assert.ok(performance.now() < end, `never ${status}:\n${server.output()}`)
    await pause(20)
  }
}

/** Keeps the server at work with its database. */
async function work(): Promise<void> {
  while (working) {
    const { body } = await request(`http://127.0.0.1:${port}/v1/instances`, {
      headers: { authorization: `Bearer svc_live_${'x'.repeat(40)}` },
    })
    await body.dump()
    await pause(5)
  }
}

before(async () => {
  const given = process.env['RECADO_TEST_DATABASE']
  assert.ok(given, 'run the tests with npm test: they need its global setup')
  const address = JSON.parse(given) as Exclude<DatabaseAddress, { url: string }>
  admin = openDatabase(address, 1)
  await admin.system`create role ${admin.sql(NAME)} login password 'p'`
  await admin.system`create database ${admin.sql(NAME)} owner ${admin.sql(NAME)}`
  proxy = await startDatabaseProxy(address)
  port = await findPort()
  server = run('src/main.ts', [], {
    DATA_DIR: dataDir,
    DATABASE_URL: proxy.url(NAME, 'p', NAME),
    MASTER_KEY: 'm'.repeat(32),
    PORT: String(port),
    LOG_LEVEL: 'error',
  })
  await server.says('Recado está no ar.')
  loops = Array.from({ length: LOOPS }, work)
})
after(async () => {
  working = false
  await Promise.allSettled(loops)
  server.child.kill('SIGTERM')
  await server.ended
  await proxy.close()
  await admin.system`drop database ${admin.sql(NAME)} with (force)`
  await admin.system`drop role ${admin.sql(NAME)}`
  await admin.close(1)
  removeDataDir(dataDir)
})

describe('a server whose database fails', () => {
  it('a server recovers when all of its database connections are terminated repeatedly', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await admin.system`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${NAME}`
      await until(200)
    }
    assert.equal(server.child.exitCode, null)
  })

  it('a server recovers when a limit of the database has canceled its statements', async () => {
    await admin.system`alter database ${admin.sql(NAME)} set statement_timeout = 1`
    proxy.cut()
    await pause(500)
    await admin.system`alter database ${admin.sql(NAME)} reset statement_timeout`
    proxy.cut()
    await until(200)
    assert.equal(server.child.exitCode, null)
  })

  it('a server recovers when the database has refused connections for a while', async () => {
    await admin.system`alter database ${admin.sql(NAME)} connection limit 0`
    proxy.cut()
    await until(503)
    await admin.system`alter database ${admin.sql(NAME)} connection limit -1`
    await until(200)
    assert.equal(server.child.exitCode, null)
  })

  it('a server returns 503 and is not ready while its database does not respond, and recovers by itself', async () => {
    proxy.blackHole()
    await until(503)
    const { statusCode, headers, body } = await post('/v1/auth/login', LOGIN)
    await body.dump()
    assert.equal(statusCode, 503)
    assert.ok(Number(headers['retry-after']) > 0)
    proxy.heal()
    await until(200)
    assert.equal((await post('/v1/auth/login', LOGIN)).statusCode, 401)
  })
})
