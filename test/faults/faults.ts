import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { World } from './world.ts'

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

/** Stops every process of PostgreSQL where it stands, and lets them go on. */
export async function freezePostgres(world: World, ms: number): Promise<void> {
  const family = () => {
    const postmaster = world.postmaster()
    return [postmaster, ...childrenOf(postmaster)]
  }
  const frozen = family()
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  await pause(ms)
  for (const pid of frozen) if (isAlive(pid)) process.kill(pid, 'SIGCONT')
}

export async function makeReadOnly(world: World, ms: number): Promise<void> {
  await world.sql(`alter system set default_transaction_read_only = on`)
  await world.sql(`select pg_reload_conf()`)
  await pause(ms)
  await world.sql(`alter system reset default_transaction_read_only`)
  await world.sql(`select pg_reload_conf()`)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
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
