// Counts the statements that an idle server sends to its database.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { createInstallation } from './installation.ts'

const SETTLED_MS = 5000
const WATCHED_MS = 60_000
const MAX_STATEMENTS_PER_SECOND = 5

/**
 * Measures statements per second over a minute, of one server without instances and of each of three nodes of which one
 * holds an instance, and prints them; throws above the target.
 */
export async function countIdleStatements(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const place = await createInstallation(stack, 'idle')
  await place.createCompany()
  const names = ['one', 'two', 'three']
  const { port } = await place.start('one')
  check('one server without instances', await measure([port]))
  const others = await Promise.all(names.slice(1).map((name) => place.start(name)))
  place.ports = [port, ...others.map((node) => node.port)]
  await place.signInAndConnect()
  check('the busiest of three nodes with an instance', await measure(place.ports))
}

/** Returns the statements per second of the busiest of these servers. */
async function measure(ports: number[]): Promise<number> {
  const sent = (port: number) =>
    fetch(`http://127.0.0.1:${port}/metrics`)
      .then((response) => response.text())
      .then((text) => Number(/^db_statement_seconds_count (\d+)/m.exec(text)?.[1]))
  await pause(SETTLED_MS)
  const before = await Promise.all(ports.map(sent))
  await pause(WATCHED_MS)
  const after = await Promise.all(ports.map(sent))
  return Math.max(...after.map((count, i) => count - (before[i] ?? 0))) / (WATCHED_MS / 1000)
}

function check(what: string, perSecond: number): void {
  process.stdout.write(
    `idle: ${perSecond.toFixed(1)} statements a second of ${what} (target ${MAX_STATEMENTS_PER_SECOND})\n`,
  )
  assert.ok(perSecond <= MAX_STATEMENTS_PER_SECOND, `too many statements of ${what}`)
}
