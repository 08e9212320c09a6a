import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { NEWEST, NEXT_VERSIONS, writeNextMigrations } from '../../../test/kit/next-migrations.ts'
import { createDatabase } from '../../../test/kit/test-app.ts'
import type { DatabaseAddress } from './driver.ts'
import { openDatabase } from './database.ts'
import { migrate, planMigrations } from './migrate.ts'
import { readSteps } from './migration-steps.ts'

/** Migrations of a next version in a folder that is removed afterwards. */
function nextMigrations() {
  const dir = mkdtempSync(join(tmpdir(), 'recado-migrations-'))
  const folder = writeNextMigrations(join(dir, 'migrations'))
  return { folder, [Symbol.dispose]: () => rmSync(dir, { recursive: true }) }
}

/** Creates an empty database without a schema. */
async function createEmpty() {
  const address = JSON.parse(process.env['RECADO_TEST_DATABASE'] ?? '') as Exclude<
    DatabaseAddress,
    { url: string }
  >
  const name = `empty_${process.pid}_${Math.floor(performance.now())}`
  const server = openDatabase(address, 1)
  await server.system`create database ${server.sql(name)}`
  const open = () => openDatabase({ ...address, database: name }, 2)
  return {
    open,
    async [Symbol.asyncDispose]() {
      await server.system`drop database ${server.sql(name)} with (force)`
      await server.close(1)
    },
  }
}

test('a migration yields to a request that holds a lock, retries, and blocks no other request', async () => {
  await using empty = await createEmpty()
  await using database = empty.open()
  await using requests = empty.open()
  using next = nextMigrations()
  assert.equal((await migrate(database)).at(-1), NEWEST)
  const holding = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const request = requests.transaction(async (tx) => {
    await tx.system`select count(*) from message`
    holding.resolve()
    await release.promise
    // The migration locks this table first: neither may be the victim of a deadlock.
    await tx.system`lock table conversation in row exclusive mode`
  })
  await holding.promise
  const migrated = migrate(database, next)
  for (let count = 0; count < 20; count++) await requests.system`select count(*) from message`
  release.resolve()
  await request
  assert.deepEqual(await migrated, NEXT_VERSIONS)
})

test('a plan lists the migrations that are missing and how they run, and changes nothing', async () => {
  await using empty = await createEmpty()
  await using database = empty.open()
  using next = nextMigrations()
  const untouched = await planMigrations(database)
  assert.deepEqual([untouched.database, untouched.pending.length], [0, NEWEST])
  const tables = await database.system`select 1 from pg_tables where schemaname = current_schema()`
  assert.equal(tables.length, 0)
  await migrate(database)
  assert.deepEqual((await planMigrations(database)).pending, [])
  const plan = await planMigrations(database, next)
  assert.deepEqual([plan.database, plan.program], [NEWEST, NEXT_VERSIONS.at(-1)])
  assert.deepEqual(
    plan.pending.map(({ version }) => version),
    NEXT_VERSIONS,
  )
  assert.equal(plan.pending[0]?.steps, null)
  assert.deepEqual(plan.pending[1]?.steps?.slice(0, 3), ['once', 'alone', 'batches'])
  assert.deepEqual(await migrate(database, next), NEXT_VERSIONS)
})

test('two nodes that start concurrently migrate once, and a third has nothing to do', async () => {
  await using empty = await createEmpty()
  await using one = empty.open()
  await using two = empty.open()
  const applied = await Promise.all([migrate(one), migrate(two)])
  assert.deepEqual(
    applied.map((versions) => versions.length).toSorted((a, b) => a - b),
    [0, NEWEST],
  )
  assert.deepEqual(await migrate(two), [])
})

test('the table of versions is created whole or not at all, since other nodes read it without the lock', async () => {
  await using empty = await createEmpty()
  await using database = empty.open()
  await database.system.unsafe(`
    create function refuse() returns event_trigger language plpgsql as $$ begin raise exception 'no'; end $$;
    create event trigger refuse on ddl_command_start when tag in ('ALTER TABLE') execute function refuse();
  `)
  await assert.rejects(migrate(database))
  const [row] = await database.system`select to_regclass('schema_version') as versions`
  assert.equal(row?.['versions'], null)
  await database.system`drop event trigger refuse`
  assert.equal((await migrate(database)).length, NEWEST)
})

test('a migration fills existing rows in batches and builds its indexes online', async () => {
  await using empty = await createEmpty()
  await using database = empty.open()
  using next = nextMigrations()
  await migrate(database)
  await database.transaction(async (tx) => {
    await tx.system`set local session_replication_role = replica`
    await tx.system`
      insert into conversation (id, project_id, mode, instance_id, chat_id, chat_type, unread_count, created_at)
      select 'cnv' || n, 'prj', 'test', 'ins', n::text, 'direct', n % 2, now()
      from generate_series(1, 1200) n`
  })
  assert.deepEqual(await migrate(database, next), NEXT_VERSIONS)
  const priorities = await database.system<{ priority: number; count: number }[]>`
    select priority, count(*)::int as count from conversation group by 1 order by 1`
  assert.deepEqual(
    [...priorities],
    [
      { priority: 0, count: 600 },
      { priority: 1, count: 600 },
    ],
  )
  const [invalid] = await database.system<{ count: number }[]>`
    select count(*)::int as count from pg_index where not indisvalid`
  assert.equal(invalid?.count, 0)
})

for (const [what, first] of [
  ['other migrations', { name: 'accounts', newest: 37 }],
  ['an earlier form of this one', { name: 'platform', newest: 9 }],
] as const)
  test(`a database from before the first release, with ${what}, is rejected with one sentence and left unchanged`, async () => {
    await using empty = await createEmpty()
    await using database = empty.open()
    await database.system`
      create table schema_version (version bigint primary key, name text, md5 text, run_at timestamptz)`
    await database.system`
      insert into schema_version (version, name, md5) values (1, ${first.name}, 'another'),
        (${first.newest}, 'newest', 'another')`
    await assert.rejects(
      migrate(database),
      /anterior à 0\.1, que não pode ser migrada; nada foi alterado/,
    )
    const tables = await database.system<{ name: string }[]>`
      select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'`
    assert.deepEqual([...tables], [{ name: 'schema_version' }])
  })

test('a program rejects a newer schema only if that schema requires a newer program', async () => {
  const { database, drop } = await createDatabase()
  await database.system`insert into schema_version (version, name) values (${NEWEST + 1}, 'newer')`
  assert.deepEqual(await migrate(database), [])
  await database.system`update schema_compatibility set needs = ${NEWEST + 1}`
  await assert.rejects(migrate(database), /versão mais nova do Recado/)
  await database.close(1)
  await drop()
})

test('readSteps splits a migration into steps only if its first line declares them', () => {
  assert.equal(readSteps('create table a ();\n-- @once\n'), null)
  assert.deepEqual(readSteps('-- @steps\n-- @once\nselect 1;\n\n-- @alone\nselect 2;'), [
    { kind: 'once', statement: 'select 1;' },
    { kind: 'alone', statement: 'select 2;' },
  ])
})
