import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createDatabase } from '../../../test/kit/test-app.ts'
import { copyTableOut } from './backup.sql.ts'

/** Rows of 2 kB: from a few packets to more than a stream holds. */
const ROW_BYTES = 2001
const SIZES = [1, 10, 30, 31, 32, 33, 40, 64, 100, 200, 400]

describe('copying tables', () => {
  it(
    'tables of any size are copied one after the other on one connection',
    { timeout: 60_000 },
    async () => {
      const { database, drop } = await createDatabase()
      const copied = await database.session(async (sql) => {
        const counts: number[] = []
        for (const size of SIZES) {
          await sql`create temporary table copied as select repeat('x', 2000) as text from generate_series(1, ${size}::int)`
          let bytes = 0
          const rows = await copyTableOut(sql, { name: 'copied', columns: ['text'] })
          // As behind a slow disk: the stream is full before it is read.
          const full = Math.min(size * ROW_BYTES, rows.readableHighWaterMark)
          while (rows.readableLength < full) await nextTurn()
          for await (const chunk of rows) bytes += (chunk as Buffer).length
          counts.push(bytes / ROW_BYTES)
          await sql`drop table copied`
        }
        return counts
      })
      await database.close(1)
      await drop()
      assert.deepEqual(copied, SIZES)
    },
  )
})
