// Counts the statements that an idle server sends to its database.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { createInstallation } from './installation.ts'

const SETTLED_MS = 5000
const WATCHED_MS = 60_000
const MAX_STATEMENTS_PER_SECOND = 5

/** Measures statements per second over a minute and prints them; throws above the target. */
export async function countIdleStatements(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const place = await createInstallation(stack, 'idle')
  await place.createCompany()
  const { port } = await place.start('one')
  const sent = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`)
    return Number(/^db_statement_seconds_count (\d+)/m.exec(await response.text())?.[1])
  }
  await pause(SETTLED_MS)
  const before = await sent()
  await pause(WATCHED_MS)
  const perSecond = ((await sent()) - before) / (WATCHED_MS / 1000)
  process.stdout.write(
    `idle: ${perSecond.toFixed(1)} statements a second (target ${MAX_STATEMENTS_PER_SECOND})\n`,
  )
  assert.ok(perSecond <= MAX_STATEMENTS_PER_SECOND)
}
