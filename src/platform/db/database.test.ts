import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../../test/kit/test-app.ts'
import { booleans, byteas, timestamps, type Db } from './sql.ts'

test('the first statement on a connection encodes arrays of times, booleans and bytes like any later one', async (t) => {
  const { database, drop } = await createDatabase()
  t.after(async () => {
    await database.close(2)
    await drop()
  })
  const at = new Date('2026-11-22T12:00:00.123Z')
  const read = () => database.pipeline.system`
    select * from unnest(${timestamps(database, [at, null])}::timestamptz[],
      ${booleans(database, [true, false])}::boolean[],
      ${byteas(database, [Buffer.from([0, 92, 34]), null])}::bytea[]) as t(at, flag, bytes)`
  const rows = [
    { at, flag: true, bytes: Buffer.from([0, 92, 34]) },
    { at: null, flag: false, bytes: null },
  ]
  assert.deepEqual([...(await read())], rows)
  assert.deepEqual([...(await read())], rows)
})

test('a transaction whose process stops between two statements loses its locks after four seconds', async (t) => {
  const { database, drop } = await createDatabase()
  t.after(async () => {
    await database.close(2)
    await drop()
  })
  await database.system`create table held (id int primary key)`
  await database.system`insert into held values (1)`
  const locked = Promise.withResolvers<void>()
  const stopped = database.transaction(async (tx) => {
    await tx.system`select 1 from held where id = 1 for update`
    locked.resolve()
    await new Promise<never>(() => {})
  })
  const outcome = stopped.then(
    () => 'committed',
    () => 'ended',
  )
  await locked.promise
  await database.patient.system`update held set id = 2 where id = 1`
  assert.equal(await outcome, 'ended')
  const [row] = await database.system<{ id: number }[]>`select id from held`
  assert.equal(row?.id, 2)
})

test('statements of requests time out after 4.5 s, statements of maintenance after 10 minutes', async (t) => {
  const { database, drop } = await createDatabase()
  t.after(async () => {
    await database.close(2)
    await drop()
  })
  const limitOf = async ({ system }: Db) => {
    const [row] = await system<
      { limit: string }[]
    >`select current_setting('statement_timeout') as limit`
    return row?.limit
  }
  assert.equal(await limitOf(database), '4500ms')
  assert.equal(await limitOf(database.pipeline), '4500ms')
  assert.equal(await limitOf(database.patient), '10min')
})

test('transactions succeed as the first use of a pool, and in larger numbers than its connections', async (t) => {
  const { database, drop } = await createDatabase()
  t.after(async () => {
    await database.close(2)
    await drop()
  })
  const numbers = Array.from({ length: 30 }, (_, index) => index)
  const answers = (db: Db) =>
    Promise.all(
      numbers.map((number) =>
        db.transaction(async (tx) => {
          const [row] = await tx.system<{ number: number }[]>`select ${number}::int as number`
          return row?.number
        }),
      ),
    )
  assert.deepEqual(await answers(database), numbers)
  assert.deepEqual(await answers(database.patient), numbers)
  database.reset()
  assert.deepEqual(await answers(database), numbers)
})

test('a transaction is not committed after one of its statements failed, even if the error was caught', async (t) => {
  const { database, drop } = await createDatabase()
  t.after(async () => {
    await database.close(2)
    await drop()
  })
  await database.system`create table noted (number int)`
  const caught = database.transaction(async (tx) => {
    await tx.system`insert into noted values (1)`
    await tx.system`select 1 / 0`.catch(() => {})
  })
  await assert.rejects(caught)
  assert.deepEqual([...(await database.system`select * from noted`)], [])
})
