import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { createDatabase } from '../../../test/kit/test-app.ts'
import { createPendingWork } from '../../kernel/pending-work.ts'
import { createDueWatch } from './due-watch.ts'

async function startWatch(t: TestContext) {
  const { database: db, drop } = await createDatabase()
  const clock = createManualClock()
  const activity = createPendingWork()
  const errors: unknown[] = []
  const watch = createDueWatch({ db, clock, activity, onError: (error) => void errors.push(error) })
  t.after(async () => {
    await watch.stop()
    await db.close(2)
    await drop()
  })
  const second = async () => {
    clock.jump(1000)
    await activity.idle()
  }
  return { db, watch, errors, second }
}

test('a worker is woken every second while it has due work, and no other worker is', async (t) => {
  const { db, watch, second } = await startWatch(t)
  const woken: string[] = []
  let open = true
  const watched = (name: string, condition: Parameters<typeof watch.watch>[0]) =>
    watch.watch(condition, () => void woken.push(name))
  watched('idle', () => db.sql`false`)
  const end = watched('busy', (now) => db.sql`${now}::timestamptz > '2026-01-01'`)
  watched('away', () => (open ? db.sql`true` : null))
  await second()
  assert.deepEqual(woken.splice(0), ['busy', 'away'])
  open = false
  await second()
  assert.deepEqual(woken.splice(0), ['busy'])
  end()
  await second()
  assert.deepEqual(woken, [])
})

test('a due watch whose statement fails reports the error, wakes its workers and retries a second later', async (t) => {
  const { db, watch, errors, second } = await startWatch(t)
  let divisor = 0
  let woken = 0
  watch.watch(
    () => db.sql`1 / ${divisor}::int = 1`,
    () => woken++,
  )
  await second()
  assert.deepEqual([errors.length, woken], [1, 1])
  divisor = 1
  await second()
  assert.deepEqual([errors.length, woken], [1, 2])
})
