import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from '../kit/process.ts'
import type { createReplicatedHost, createSmallDisk } from './database-host.ts'
import { LOOPS, type World } from './world.ts'

/** Kills the server outright; answers what was in flight, which alone may arrive twice. */
export async function killServer(world: World): Promise<Set<string>> {
  world.server().child.kill('SIGKILL')
  await world.server().ended
  const inFlight = await world.inFlight()
  await world.start()
  return inFlight
}

/** Asks the server to stop, and starts another; answers how long the stop took, in milliseconds. */
export async function stopServer(world: World): Promise<number> {
  const startedAt = performance.now()
  world.server().child.kill('SIGTERM')
  const { code, output } = await world.server().ended
  if (code !== 0) throw new Error(`the server stopped with ${code}:\n${output}`)
  const took = performance.now() - startedAt
  await world.start()
  return took
}

/** What `pg_ctl stop -m immediate` does: no checkpoint, no goodbye. The server has to start it again. */
export async function crashPostgres(world: World): Promise<void> {
  const pid = world.postmaster()
  process.kill(pid, 'SIGQUIT')
  while (isAlive(pid)) await pause(10)
}

/** Ends every connection of the server to its database; returns how long it took until a message was accepted again. */
export async function cutConnections(world: World): Promise<number> {
  await world.sql(`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'recado' and pid <> pg_backend_pid() and backend_type = 'client backend'`)
  return timeUntil(world)
}

/** What `pg_ctl restart -m fast` does; the server has to start it again. */
export async function restartPostgres(world: World): Promise<number> {
  const pid = world.postmaster()
  process.kill(pid, 'SIGINT')
  while (isAlive(pid)) await pause(10)
  return timeUntil(world)
}

/** How long it takes until messages that were asked for from now on are accepted. */
async function timeUntil(world: World): Promise<number> {
  const startedAt = performance.now()
  // As many as may have been answered before the fault, and one.
  await world.more(LOOPS + 1)
  return performance.now() - startedAt
}

/** Stops every process of PostgreSQL where it stands, and lets them go on. */
export async function freezePostgres(world: World, ms: number): Promise<number> {
  const family = () => {
    const postmaster = world.postmaster()
    return [postmaster, ...childrenOf(postmaster)]
  }
  const frozen = family()
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  await pause(ms)
  for (const pid of frozen) if (isAlive(pid)) process.kill(pid, 'SIGCONT')
  return timeUntil(world)
}

/** Leaves no byte free on the database's disk for so long; returns how long it took until a message was accepted again. */
export async function fillDisk(
  world: World,
  disk: ReturnType<typeof createSmallDisk>,
  ms: number,
): Promise<number> {
  disk.fill()
  await pause(ms)
  disk.empty()
  return timeUntil(world)
}

/** Ends the primary and promotes its standby; returns how long it took until a message was accepted again. */
export async function failOver(
  world: World,
  host: Awaited<ReturnType<typeof createReplicatedHost>>,
): Promise<number> {
  await host.failOver()
  return timeUntil(world)
}

export async function makeReadOnly(world: World, ms: number): Promise<number> {
  await world.sql(`alter system set default_transaction_read_only = on`)
  await world.sql(`select pg_reload_conf()`)
  await pause(ms)
  await world.sql(`alter system reset default_transaction_read_only`)
  await world.sql(`select pg_reload_conf()`)
  return timeUntil(world)
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
