import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../../test/kit/test-app.ts'
import { maintainPartitions, createDailyPartitions } from './partitions.ts'

const NOW = Date.parse('2026-11-20T15:00:00.000Z')

test('partition maintenance gives up instead of waiting for a long statement, so that other statements do not queue behind it', async (t) => {
  const { database, drop } = await createDatabase()
  t.after(async () => {
    await database.close(2)
    await drop()
  })
  const tables = [{ name: 'event' as const, isExpired: () => true }]
  const days = [{ table: 'event', name: 'event_20260101' }]
  await createDailyPartitions(database, days)
  const isThere = async () =>
    (await database.system`select to_regclass('event_20260101') as there`)[0]?.['there'] !== null
  const reading = Promise.withResolvers<void>()
  const read = Promise.withResolvers<void>()
  const backup = database.transaction(async (tx) => {
    await tx.system`select count(*) from event`
    reading.resolve()
    await read.promise
  })
  await reading.promise
  const kept = maintainPartitions(database.patient, NOW, tables)
  // If maintenance waited for the reader, this statement would queue behind it until its own timeout.
  await database.system`select count(*) from event`
  assert.equal(await kept, false)
  assert.equal(await isThere(), true)
  read.resolve()
  await backup
  assert.equal(await maintainPartitions(database.patient, NOW, tables), true)
  assert.equal(await isThere(), false)
})
