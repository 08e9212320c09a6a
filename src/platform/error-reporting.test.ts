import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createDatabase } from '../../test/kit/test-app.ts'
import { createManualClock } from '../../test/kit/manual-clock.ts'
import { createMetrics } from './metrics/metrics.ts'
import { createErrorReporter } from './error-reporting.ts'

test('after an unhandled error the node is not ready until the database responds on new connections', async (t) => {
  const { database, drop } = await createDatabase()
  t.after(async () => {
    await database.close(1)
    await drop()
  })
  const lines: string[] = []
  const storage = {
    database,
    relocatedTo: null,
    restartDatabase: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
  const { onUnhandledError, recovering } = createErrorReporter({
    storage,
    clock: createManualClock(),
    metrics: createMetrics(),
    logger: pino({}, { write: (line: string) => void lines.push(line) }),
  })
  assert.equal(recovering(), false)
  onUnhandledError(new Error('unhandled'))
  assert.equal(recovering(), true)
  assert.match(lines.join(''), /unhandled error/)
  while (recovering()) await new Promise((resolve) => setImmediate(resolve))
  await database.system`select 1`
})
