// A server of several processes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createEmbeddedHost } from '../faults/database-host.ts'
import { assertNothingLost, crashPostgres, stopServer } from '../faults/faults.ts'
import { createWorld, type World } from '../faults/world.ts'
import { isAlive, makePreparedDataDir, removeDataDir, run } from '../kit/process.ts'

const WORKERS = { WORKERS: '2' }

/** The pids of the processes that a server has started, without its PostgreSQL. */
function workersOf(pid: number | undefined): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return children.split(' ').map(Number).filter(Boolean)
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!condition()) {
    assert.ok(Date.now() < deadline, `never true: ${condition.toString()}`)
    await pause(20)
  }
}

/** The number of requests that each worker has answered, by worker. */
async function requestsByWorker(world: World): Promise<Map<string, number>> {
  const response = await fetch(`http://127.0.0.1:${world.port}/metrics`)
  const counts = new Map<string, number>()
  for (const line of (await response.text()).split('\n')) {
    if (!line.startsWith('http_request_seconds_count{')) continue
    const worker = /worker="(\d+)"/.exec(line)?.[1] ?? 'none'
    counts.set(worker, (counts.get(worker) ?? 0) + Number(line.split(' ').at(-1)))
  }
  return counts
}

describe('a server of two processes', () => {
  it('a server of two processes shares its requests, replaces a process that is killed, and loses nothing to that, to a crash of PostgreSQL or to SIGTERM', async () => {
    await using world = await createWorld({ ...createEmbeddedHost(), env: WORKERS })
    await world.waitForMore(150)
    const counts = await requestsByWorker(world)
    assert.deepEqual([...counts.keys()].toSorted(), ['1', '2'])
    for (const [worker, count] of counts) assert.ok(count > 10, `worker ${worker}: ${count}`)

    const { pid } = world.server().child
    const before = workersOf(pid)
    assert.equal(before.length, 2)
    const [killed = 0] = before
    process.kill(killed, 'SIGKILL')
    const inFlight = await world.inFlight()
    await world.waitForMore(150)
    await until(() => workersOf(pid).filter((one) => one !== killed).length === 2)
    await world.waitForMore(150)

    await crashPostgres(world)
    await world.waitForMore(150)
    const last = workersOf(pid)
    await stopServer(world)
    assert.deepEqual(last.filter(isAlive), [])
    await world.waitForMore(150)
    await assertNothingLost(world, inFlight)
  })

  it('a server whose processes and PostgreSQL are all killed serves again, and its metrics wait for no process that starts', async () => {
    await using world = await createWorld({ ...createEmbeddedHost(), env: WORKERS })
    const { pid } = world.server().child
    await crashPostgres(world)
    for (const worker of workersOf(pid)) process.kill(worker, 'SIGKILL')
    await until(() => workersOf(pid).length === 2)
    await world.waitForMore(20)
    const [killed = 0] = workersOf(pid)
    process.kill(killed, 'SIGKILL')
    await until(() => workersOf(pid).length === 2 && !workersOf(pid).includes(killed))
    assert.ok((await requestsByWorker(world)).size >= 1)
    assert.deepEqual((await world.drain()).lost, [])
  })

  it('the workers of a server end with its primary process', async () => {
    await using world = await createWorld({ ...createEmbeddedHost(), env: WORKERS })
    const workers = workersOf(world.server().child.pid)
    world.server().child.kill('SIGKILL')
    await until(() => !workers.some(isAlive))
    await world.start()
    await world.waitForMore(20)
    assert.deepEqual((await world.drain()).lost, [])
  })

  it('a server whose processes cannot listen says why once and ends', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = other.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const dataDir = makePreparedDataDir()
    const env = { ...WORKERS, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'error' }
    const { code, output } = await run('src/main.ts', [], env).ended
    other.close()
    removeDataDir(dataDir)
    assert.equal(code, 1)
    assert.equal(output.split(`PORT: a porta ${port} já está em uso`).length, 2, output)
  })
})
