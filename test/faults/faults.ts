// Injects faults into a server under load, its database and its disk.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from '../kit/process.ts'
import type { createSmallDisk, ReplicatedHost } from './database-host.ts'
import { LOAD_CLIENTS, type World } from './world.ts'

/** Asserts, after the load has ended, that nothing is lost, no balance is wrong, and only `inFlight` events came twice. */
export async function assertNothingLost(world: World, inFlight: Set<string>): Promise<void> {
  const { lost, duplicated } = await world.drain()
  assert.deepEqual(lost, [])
  assert.deepEqual(await world.drift(), [])
  assert.deepEqual(
    duplicated.filter((id) => !inFlight.has(id)),
    [],
  )
}

/**
 * Kills the server with SIGKILL and starts it again; returns the events in flight, the only ones that may arrive twice.
 */
export async function killServer(world: World): Promise<Set<string>> {
  world.server().child.kill('SIGKILL')
  await world.server().ended
  const inFlight = await world.inFlight()
  await world.start()
  return inFlight
}

/** Stops the server with SIGTERM and starts it again; returns how long the stop took, in milliseconds. */
export async function stopServer(world: World): Promise<number> {
  const startedAt = performance.now()
  world.server().child.kill('SIGTERM')
  const { code, output } = await world.server().ended
  if (code !== 0) throw new Error(`server exited with code ${code} after SIGTERM:\n${output}`)
  const took = performance.now() - startedAt
  await world.start()
  return took
}

/** Stops PostgreSQL like `pg_ctl stop -m immediate`, without a checkpoint. The server has to start it again. */
export async function crashPostgres(world: World): Promise<void> {
  const pid = world.postmaster()
  process.kill(pid, 'SIGQUIT')
  while (isAlive(pid)) await pause(10)
}

/** Terminates every database connection of the server. */
const closeAll = (world: World) =>
  world.sql(`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'recado' and pid <> pg_backend_pid() and backend_type = 'client backend'`)

/** Terminates every database connection of the server; returns the recovery time in ms. */
export async function cutConnections(world: World): Promise<number> {
  await closeAll(world)
  return measureRecovery(world)
}

/**
 * Stops PostgreSQL like `pg_ctl restart -m fast`; the server has to start it again. Returns the recovery time in ms.
 */
export async function restartPostgres(world: World): Promise<number> {
  const pid = world.postmaster()
  process.kill(pid, 'SIGINT')
  while (isAlive(pid)) await pause(10)
  return measureRecovery(world)
}

/** Recovery time: milliseconds until a message that is sent from now on is accepted. */
async function measureRecovery(world: World): Promise<number> {
  const startedAt = performance.now()
  // One more than the responses that may already have been in flight before the fault.
  await world.waitForMore(LOAD_CLIENTS + 1)
  return performance.now() - startedAt
}

/** Suspends every PostgreSQL process for `ms`, then resumes them; returns the recovery time in ms. */
export async function freezePostgres(world: World, ms: number): Promise<number> {
  const family = () => {
    const postmaster = world.postmaster()
    return [postmaster, ...childrenOf(postmaster)]
  }
  const frozen = family()
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  await pause(ms)
  for (const pid of frozen) if (isAlive(pid)) process.kill(pid, 'SIGCONT')
  return measureRecovery(world)
}

/** Keeps the database's disk full for `ms`; returns the recovery time in ms. */
export async function fillDisk(
  world: World,
  disk: ReturnType<typeof createSmallDisk>,
  ms: number,
): Promise<number> {
  disk.fill()
  await pause(ms)
  disk.empty()
  return measureRecovery(world)
}

/** Applies a limit to the database and its new connections for `ms`; returns the recovery time in ms. */
export async function limitDatabase(
  world: World,
  { set, reset }: { set: string; reset: string },
  ms: number,
): Promise<number> {
  await world.sql(set)
  await closeAll(world)
  await pause(ms)
  await world.sql(reset)
  await closeAll(world)
  return measureRecovery(world)
}

/** Figures of a database that could not be reached: the recovery time, and what /readyz did meanwhile; in ms. */
type Unreachable = { recovered: number; notReadyAfter: number; slowestCheck: number }

/**
 * Loses every packet between the server and its database for `ms`, closing nothing, and asks /readyz all the time. Throws
 * if the server says that it is ready again before that.
 */
export async function losePackets(
  world: World,
  host: ReplicatedHost,
  ms: number,
): Promise<Unreachable> {
  host.blackHole()
  const startedAt = performance.now()
  let notReadyAfter: number | null = null
  let slowestCheck = 0
  while (performance.now() - startedAt < ms) {
    const askedAt = performance.now()
    const { status } = await fetch(`http://127.0.0.1:${world.port}/readyz`)
    slowestCheck = Math.max(slowestCheck, performance.now() - askedAt)
    if (status !== 200) notReadyAfter ??= performance.now() - startedAt
    else if (notReadyAfter !== null)
      throw new Error(`/readyz returned ${status} without a database`)
    await pause(100)
  }
  if (notReadyAfter === null)
    throw new Error(`/readyz returned 200 for ${ms} ms without a database`)
  host.heal()
  return { recovered: await measureRecovery(world), notReadyAfter, slowestCheck }
}

/** Stops the primary and promotes its standby; returns the recovery time in ms. */
export async function failOver(world: World, host: ReplicatedHost): Promise<number> {
  await host.failOver()
  return measureRecovery(world)
}

/** Makes the database read-only for `ms`; returns the recovery time in ms. */
export async function makeReadOnly(world: World, ms: number): Promise<number> {
  await world.sql(`alter system set default_transaction_read_only = on`)
  await world.sql(`select pg_reload_conf()`)
  await pause(ms)
  await world.sql(`alter system reset default_transaction_read_only`)
  await world.sql(`select pg_reload_conf()`)
  return measureRecovery(world)
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent
      } catch {
        return false
      }
    })
}
