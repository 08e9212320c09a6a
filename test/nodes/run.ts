// `npm run test:nodes`: three nodes under all kinds of traffic while nodes are killed, frozen, cut off, stopped and
// upgraded, with NATS and without it. A process of its own checks what was promised. `-- --short` runs each fault once.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createInstallation, type Installation, type Node } from '../faults/installation.ts'
import { copyAsNextVersion } from '../kit/next-migrations.ts'
import { startNats } from '../kit/nats.ts'
import { run } from '../kit/process.ts'
import type { Answer, Report, Told } from './checker.ts'
import { startTraffic } from './traffic.ts'

const isShort = process.argv.includes('--short')
const ROUNDS = 20
const AWAY_MS = 12_000
const BETWEEN_MESSAGES = 100
const NAMES = ['one', 'two', 'three']
const say = (text: string) => process.stdout.write(`${text}\n`)

type Fleet = {
  place: Installation
  nodes: Map<string, Node>
  nats: { stop(): Promise<void>; start(): Promise<void> } | null
  /** The directory of the version that nodes are started with; undefined is this one. */
  home: string | undefined
}

/** The nodes that requests go to. */
function route({ place, nodes }: Fleet, without?: string): void {
  place.ports = [...nodes].filter(([name]) => name !== without).map(([, { port }]) => port)
}

async function startNode(fleet: Fleet, name: string): Promise<void> {
  fleet.nodes.set(name, await fleet.place.start(name, fleet.home))
  route(fleet)
}

const nodeOf = ({ nodes }: Fleet, name: string): Node => {
  const node = nodes.get(name)
  assert.ok(node, name)
  return node
}

async function stopNode(fleet: Fleet, name: string): Promise<void> {
  const { server } = nodeOf(fleet, name)
  route(fleet, name)
  server.child.kill('SIGTERM')
  const { code, output } = await server.ended
  assert.equal(code, 0, output)
}

/** What is done to a node, or to all. */
const FAULTS: Record<string, (fleet: Fleet, name: string) => Promise<void>> = {
  async 'kill -9'(fleet, name) {
    const { server } = nodeOf(fleet, name)
    route(fleet, name)
    server.child.kill('SIGKILL')
    await server.ended
    await pause(3000)
    await startNode(fleet, name)
  },
  async SIGSTOP(fleet, name) {
    const { server } = nodeOf(fleet, name)
    route(fleet, name)
    server.child.kill('SIGSTOP')
    await pause(AWAY_MS)
    server.child.kill('SIGCONT')
    await pause(2000)
    route(fleet)
  },
  /** Requests still reach the node, which must refuse them. */
  async 'no database'(fleet, name) {
    const { proxy } = nodeOf(fleet, name)
    proxy.blackHole()
    await pause(AWAY_MS)
    proxy.heal()
  },
  async SIGTERM(fleet, name) {
    await stopNode(fleet, name)
    await startNode(fleet, name)
  },
  async 'all restart in turn'(fleet) {
    for (const name of NAMES) {
      await stopNode(fleet, name)
      await startNode(fleet, name)
    }
  },
  async 'no bus'({ nats }) {
    await nats?.stop()
    await pause(AWAY_MS / 2)
    await nats?.start()
  },
}

/** All nodes are replaced by those of the next version, whose migrations run while they serve. */
async function upgrade(fleet: Fleet): Promise<void> {
  const next = copyAsNextVersion(join(fleet.place.dir, 'next'))
  const { code, output } = await run(
    'src/cli.ts',
    ['migrate', '--json'],
    fleet.place.envOf('ops', 0),
    [],
    next,
  ).ended
  assert.equal(code, 0, output)
  fleet.home = next
  await FAULTS['all restart in turn']?.(fleet, '')
}

async function startChecker(place: Installation) {
  const child = fork(new URL('checker.ts', import.meta.url), { stdio: ['ignore', 2, 2, 'ipc'] })
  const tell = (told: Told) => void child.send(told)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the checker exited with code ${code}`)
  })
  // It stops by itself.
  ended.catch(() => {})
  const answer = async () => ((await Promise.race([once(child, 'message'), ended])) as [Answer])[0]
  tell({ open: place.address })
  const { url } = (await answer()) as { url: string }
  return {
    url,
    tell,
    async report() {
      tell('report')
      return (await answer()) as Report
    },
    stop: () => child.disconnect(),
  }
}

async function runRounds(withNats: boolean): Promise<void> {
  await using stack = new AsyncDisposableStack()
  let bus = withNats ? await startNats('nats-server') : null
  const url = bus?.url ?? ''
  stack.defer(async () => bus?.stop())
  const place = await createInstallation(stack, 'nodes', bus ? { NATS_URL: url } : {})
  const project = await place.createCompany()
  const nats = bus && {
    async stop() {
      await bus?.stop()
      bus = null
    },
    async start() {
      bus = await startNats('nats-server', Number(new URL(url).port))
    },
  }
  const fleet: Fleet = { place, nodes: new Map(), nats, home: undefined }
  for (const node of NAMES) await startNode(fleet, node)
  const checker = await startChecker(place)
  stack.defer(checker.stop)
  const traffic = await startTraffic(place, project, checker.url, checker.tell)
  stack.defer(traffic.stop)
  await traffic.waitForMore(BETWEEN_MESSAGES)

  const kinds = Object.keys(FAULTS).filter((kind) => kind !== 'no bus' || withNats)
  const rounds = isShort ? kinds.length : ROUNDS
  for (let round = 0; round < rounds; round++) {
    const kind = kinds[round % kinds.length] ?? ''
    const target = NAMES[Math.floor(Math.random() * NAMES.length)] ?? ''
    const startedAt = performance.now()
    checker.tell({ fault: 'begins' })
    await FAULTS[kind]?.(fleet, target)
    await traffic.waitForMore(BETWEEN_MESSAGES)
    checker.tell({ fault: 'ends' })
    await traffic.checkStreams(place.ports)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    say(`  ${`${kind}, ${target}`.padEnd(32)} ${seconds} s`)
  }
  if (!isShort) {
    checker.tell({ fault: 'begins' })
    await upgrade(fleet)
    await traffic.waitForMore(BETWEEN_MESSAGES)
    checker.tell({ fault: 'ends' })
    say('  all upgraded in turn')
  }
  await traffic.stop()
  const report = await checker.report()
  const { promised, inFlightAtFaults, ...wrong } = report
  say(
    `three nodes ${withNats ? 'with' : 'without'} NATS, ${rounds} faults: promised ${promised}, ` +
      `${Object.entries(wrong)
        .map(([what, found]) => `${what} ${typeof found === 'number' ? found : found.length}`)
        .join(
          ', ',
        )}; in flight at faults ${inFlightAtFaults}; refused ${JSON.stringify(traffic.refusals())}`,
  )
  for (const [what, found] of Object.entries(wrong)) {
    if (typeof found === 'number') assert.equal(found, 0, what)
    else assert.deepEqual(found.slice(0, 5), [], what)
  }
}

const only = process.argv
  .find((argument) => argument.startsWith('--nats='))
  ?.slice('--nats='.length)
if (only !== 'on') await runRounds(false)
if (only !== 'off') await runRounds(true)
process.exit(0)
