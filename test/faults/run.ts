// `npm run test:faults`: verifies the README's durability claims under faults. Takes minutes;
// `npm test` runs a short version.
import assert from 'node:assert/strict'
import { createReplicatedHost, createSmallDisk, type DatabaseHost } from './database-host.ts'
import {
  crashPostgres,
  cutConnections,
  failOver,
  fillDisk,
  freezePostgres,
  killServer,
  limitDatabase,
  losePackets,
  makeReadOnly,
  restartPostgres,
  stopServer,
} from './faults.ts'
import { runClockJumps } from './clock.ts'
import { runFleet, runManyInstances } from './fleet.ts'
import { countIdleStatements } from './idle.ts'
import { runScale } from './scale.ts'
import { killBetween } from './sdk-kills.ts'
import { runWhatsAppFleet } from './whatsapp-fleet.ts'
import { watchMemory } from './memory.ts'
import { upgradeUnderLoad } from './upgrade.ts'
import { createWorld, type Result, type World } from './world.ts'

const ROUNDS = 20
const CUTS = 200
/** `npm run test:faults -- frozen` runs only the scenarios whose name contains `frozen`; `-- sdk 10` kills ten times. */
const [only, kills = '100'] = process.argv.slice(2)
let ran = 0
/** What missed its target. The scenarios after it run all the same. */
const failures: string[] = []
async function attempt(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
    process.stderr.write(`${name} failed: ${told}\n`)
    failures.push(name)
  }
}
const chosen = (name: string) => {
  const isChosen = only === undefined || name.includes(only)
  if (isChosen) ran++
  return isChosen
}
const random = (from: number, to: number) => Math.floor(from + Math.random() * (to - from))
const say = (text: string) => process.stdout.write(`${text}\n`)

/** Events that may arrive twice: those in flight at the fault, or any if responses could not be stored. */
type Allowed = { has(id: string): boolean; size: number | string }
const ANY: Allowed = { has: () => true, size: 'any' }

/** Formats the median and longest of the recovery times; throws if one exceeds the target. */
function describeRecovery(waits: number[], targetMs: number): string {
  const sorted = waits.toSorted((a, b) => a - b)
  const [median = 0, longest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  assert.ok(
    longest <= targetMs,
    `messages were accepted again only after ${longest} ms, target ${targetMs} ms`,
  )
  return `accepted again after ${seconds(median)} s, at most ${seconds(longest)} s (target ${seconds(targetMs)} s)`
}

type Fault = (world: World) => Promise<{ allowed: Allowed; note: string }>

/** Runs a scenario with a fault if it is chosen. */
async function scenario(name: string, fault: Fault): Promise<void> {
  if (chosen(name)) await attempt(name, () => runScenario(name, fault))
}

/**
 * Injects a fault into a server under load, then counts losses and duplicates; `allowed` lists permitted duplicates.
 */
async function runScenario(name: string, fault: Fault, host?: DatabaseHost): Promise<void> {
  const startedAt = performance.now()
  await using world = await createWorld(host)
  await world.waitForMore(200)
  const { allowed, note } = await fault(world)
  await world.waitForMore(500)
  const result: Result = await world.drain()
  const unexplained = result.duplicated.filter((id) => !allowed.has(id))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  say(
    `${name.padEnd(44)} acknowledged ${String(result.acknowledged).padStart(6)}   lost ${result.lost.length}   ` +
      `duplicated ${result.duplicated.length} of ${allowed.size} in flight   ${note}   (${seconds} s)`,
  )
  assert.equal(result.lost.length, 0, `${name}: ${result.lost.slice(0, 5).join(', ')}`)
  assert.deepEqual(await world.drift(), [], `${name}: balances differ from the ledger`)
  assert.equal(
    unexplained.length,
    0,
    `${name}: duplicates that were not in flight: ${unexplained.slice(0, 5).join(', ')}`,
  )
}

await scenario(`kill -9 of the server, ${ROUNDS} times`, async (world) => {
  const allowed = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    await world.waitForMore(random(100, 1500))
    for (const id of await killServer(world)) allowed.add(id)
  }
  return { allowed, note: '' }
})

await scenario('SIGTERM', async (world) => {
  let longest = 0
  for (let round = 0; round < 3; round++) {
    await world.waitForMore(random(100, 1000))
    longest = Math.max(longest, await stopServer(world))
  }
  return { allowed: new Set(), note: `stopped in at most ${(longest / 1000).toFixed(1)} s` }
})

await scenario('PostgreSQL stopped (immediate mode)', async (world) => {
  for (let round = 0; round < 3; round++) {
    await world.waitForMore(random(100, 1000))
    await crashPostgres(world)
  }
  return { allowed: new Set(), note: '' }
})

await scenario(`all PostgreSQL connections closed, ${CUTS} times`, async (world) => {
  const waits: number[] = []
  for (let round = 0; round < CUTS; round++) {
    await world.waitForMore(random(20, 100))
    waits.push(await cutConnections(world))
  }
  return { allowed: ANY, note: describeRecovery(waits, 2000) }
})

await scenario('PostgreSQL restarted (fast mode), 5 times', async (world) => {
  const waits: number[] = []
  for (let round = 0; round < 5; round++) {
    await world.waitForMore(random(100, 1000))
    waits.push(await restartPostgres(world))
  }
  return { allowed: ANY, note: describeRecovery(waits, 10_000) }
})

await scenario('PostgreSQL frozen for 30 s', async (world) => ({
  note: describeRecovery([await freezePostgres(world, 30_000)], 10_000),
  allowed: ANY,
}))

await scenario('database read-only for 10 s', async (world) => ({
  note: describeRecovery([await makeReadOnly(world, 10_000)], 10_000),
  allowed: ANY,
}))

const FULL_DISK = 'database disk full for 20 s'
if (chosen(FULL_DISK)) {
  await attempt(FULL_DISK, async () => {
    const disk = createSmallDisk()
    const fault = async (world: World) => {
      const waited = await fillDisk(world, disk, 20_000)
      const note = `${describeRecovery([waited], 10_000)}, returned 507 ${world.answered(507)} times`
      return { note, allowed: ANY }
    }
    await runScenario(FULL_DISK, fault, disk)
  })
}

const UNREACHABLE = 'database unreachable for 60 s'
/** Maximum duration of /readyz, and maximum time until it reports the database as down. */
const MAX_CHECK_MS = 1000
const MAX_NOTICE_MS = 10_000
if (chosen(UNREACHABLE)) {
  await attempt(UNREACHABLE, async () => {
    const host = await createReplicatedHost()
    const fault = async (world: World) => {
      const { recovered, notReadyAfter, slowestCheck } = await losePackets(world, host, 60_000)
      assert.ok(slowestCheck <= MAX_CHECK_MS, `/readyz took ${slowestCheck} ms`)
      assert.ok(notReadyAfter <= MAX_NOTICE_MS, `not ready only after ${notReadyAfter} ms`)
      const note =
        `${describeRecovery([recovered], 10_000)}, not ready after ${(notReadyAfter / 1000).toFixed(1)} s, ` +
        `/readyz within ${slowestCheck.toFixed(0)} ms (target ${MAX_CHECK_MS})`
      return { note, allowed: ANY }
    }
    await runScenario(UNREACHABLE, fault, host)
  })
}

/** What an operator of a database may do to it; only roles without its rights are limited. */
for (const [name, change] of Object.entries({
  'statement_timeout of 1 ms for 10 s': {
    set: 'alter database server set statement_timeout = 1',
    reset: 'alter database server reset statement_timeout',
  },
  'database refuses connections for 10 s': {
    set: 'alter database server connection limit 0',
    reset: 'alter database server connection limit -1',
  },
})) {
  if (!chosen(name)) continue
  await attempt(name, async () => {
    const host = await createReplicatedHost()
    const fault = async (world: World) => {
      const recovered = await limitDatabase(world, change, 10_000)
      return { note: describeRecovery([recovered], 10_000), allowed: ANY }
    }
    await runScenario(name, fault, host)
  })
}

const FAIL_OVER = 'fail-over to a synchronous standby'
if (chosen(FAIL_OVER)) {
  await attempt(FAIL_OVER, async () => {
    const host = await createReplicatedHost()
    const fault = async (world: World) => ({
      note: describeRecovery([await failOver(world, host)], 10_000),
      allowed: ANY,
    })
    await runScenario(FAIL_OVER, fault, host)
  })
}
for (const [name, run] of Object.entries({
  clock: runClockJumps,
  fleet: runFleet,
  many: runManyInstances,
  scale: runScale,
  idle: countIdleStatements,
  sdk: () => killBetween(Number(kills)),
  whatsapp: runWhatsAppFleet,
  upgrade: upgradeUnderLoad,
})) {
  if (only !== undefined && only !== name) continue
  ran++
  await attempt(name, run)
}
// Takes more than an hour.
if (only === 'memory') {
  ran++
  await attempt('memory', watchMemory)
}
if (ran === 0) {
  process.stderr.write(`no scenario contains «${only}»\n`)
  process.exit(1)
}
if (failures.length > 0) process.stderr.write(`failed: ${failures.join('; ')}\n`)
process.exit(failures.length === 0 ? 0 : 1)
