import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../../test/kit/test-app.ts'
import { openDatabase, type DatabaseAddress } from './database.ts'
import { migrate } from './migrate.ts'
import { readSteps } from './migration-steps.ts'

const NEWEST = 37

/** An empty database of its own. */
async function createEmpty() {
  const address = JSON.parse(process.env['RECADO_TEST_DATABASE'] ?? '') as Exclude<
    DatabaseAddress,
    { url: string }
  >
  const name = `empty_${process.pid}_${Math.floor(performance.now())}`
  const server = openDatabase(address, 1)
  await server.sql`create database ${server.sql(name)}`
  const open = () => openDatabase({ ...address, database: name }, 2)
  return {
    open,
    async [Symbol.asyncDispose]() {
      await server.sql`drop database ${server.sql(name)} with (force)`
      await server.close(1)
    },
  }
}

test('a migration gives way to a request that holds a table, and goes on when it ends', async () => {
  await using empty = await createEmpty()
  await using database = empty.open()
  await using requests = empty.open()
  assert.equal((await migrate(database, 31)).at(-1), 31)
  const holding = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const request = requests.transaction(async (tx) => {
    await tx.sql`select count(*) from message`
    holding.resolve()
    await release.promise
    // The migration locks this table first: neither may be the victim of a deadlock.
    await tx.sql`lock table conversation in row exclusive mode`
  })
  await holding.promise
  const migrated = migrate(database)
  // Other requests are not held up behind the migration.
  for (let count = 0; count < 20; count++) await requests.sql`select count(*) from message`
  release.resolve()
  await request
  assert.deepEqual(await migrated, [32, 33, 34, 35, 36, NEWEST])
})

test('two nodes that start at once migrate once, and a third finds nothing to do', async () => {
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

test('conversations from before get the hour of their last message, and keep it right', async () => {
  await using empty = await createEmpty()
  await using database = empty.open()
  await migrate(database, 31)
  await database.transaction(async (tx) => {
    await tx.sql`set local session_replication_role = replica`
    await tx.sql`
      insert into conversation (id, project_id, mode, instance_id, chat_id, chat_type, last_message_at, created_at)
      select 'cnv' || n, 'prj', 'test', 'ins', n::text, 'direct', '2026-11-22 10:30:00+00', now()
      from generate_series(1, 1200) n`
  })
  await migrate(database)
  const hours = () => database.sql<{ hour: Date; count: number }[]>`
    select last_message_hour as hour, count(*)::int as count from conversation group by 1 order by 1`
  assert.deepEqual([...(await hours())], [{ hour: new Date('2026-11-22T10:00:00Z'), count: 1200 }])
  await database.sql`update conversation set last_message_at = '2026-11-22 11:59:00+00' where id = 'cnv1'`
  assert.deepEqual(
    (await hours()).map(({ count }) => count),
    [1199, 1],
  )
})

test('a program refuses a schema that needs a newer one, and works beside one that does not', async () => {
  const { database, drop } = await createDatabase()
  await database.sql`insert into schema_version (version, name) values (${NEWEST + 1}, 'newer')`
  assert.deepEqual(await migrate(database), [])
  await database.sql`update schema_compatibility set needs = ${NEWEST + 1}`
  await assert.rejects(migrate(database), /versão mais nova do Recado/)
  await database.close(1)
  await drop()
})

test('a migration is read in steps only if its first line says so', () => {
  assert.equal(readSteps('create table a ();\n-- @once\n'), null)
  assert.deepEqual(readSteps('-- @steps\n-- @once\nselect 1;\n\n-- @alone\nselect 2;'), [
    { kind: 'once', statement: 'select 1;' },
    { kind: 'alone', statement: 'select 2;' },
  ])
})
