// `npm run test:hostile`: latencies of twenty companies while another company, or an anonymous
// client, attacks the server.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { ATTACKS } from './attacks.ts'
import { residentMb } from './memory.ts'
import {
  ATTACKER_PRIORITY,
  createWorld,
  type Experience,
  type World,
  type WorldNetwork,
} from './world.ts'

const SECONDS = 6
const MAX_RATIO = 2
const MAX_GROWTH_MB = 150
/** `npm run test:hostile -- logins 5` runs only the attacks whose name contains `logins`, in five rounds. */
const [only = '', rounds = '3'] = process.argv.slice(2)
const ROUNDS = Number(rounds)
const selected = Object.entries(ATTACKS).filter(([name]) => name.includes(only))
const say = (text: string) => process.stdout.write(`${text}\n`)

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity
}

const p95 = ({ http }: Experience) => percentile(http, 0.95)
const p99 = ({ http }: Experience) => percentile(http, 0.99)
const eventP99 = ({ delivery }: Experience) => percentile(delivery, 0.99)
/** The latencies that are compared with the quiet ones: while the attack runs, and in the seconds after it. */
const MEASURES = [
  { label: 'http p95', phase: 'attacked', read: p95 },
  { label: 'http p99', phase: 'attacked', read: p99 },
  { label: 'event p99', phase: 'attacked', read: eventP99 },
  { label: 'http p99 after', phase: 'afterwards', read: p99 },
  { label: 'event p99 after', phase: 'afterwards', read: eventP99 },
] as const

/** What the companies experienced right before each round of an attack, during it and right after it. */
type Observation = {
  name: string
  quiet: Experience
  attacked: Experience
  afterwards: Experience
  /** Number of responses to the attacker, by status. */
  statuses: Record<string, number>
}
const nothing = (): Experience => ({ http: [], delivery: [], failures: [] })

function collect(into: Experience, from: Experience, failurePrefix: string): void {
  into.http.push(...from.http)
  into.delivery.push(...from.delivery)
  into.failures.push(...from.failures.map((failure) => `${failurePrefix}: ${failure}`))
}

/** Runs one round of an attack. */
async function attack(world: World, observation: Observation): Promise<void> {
  const { name, attacked, afterwards, statuses } = observation
  const attacker = fork(fileURLToPath(new URL('attacker.ts', import.meta.url)), {
    execArgv: ['--max-old-space-size=1024'],
  })
  setPriority(attacker.pid ?? 0, ATTACKER_PRIORITY)
  attacker.send({ name, target: world.target })
  await once(attacker, 'message')
  collect(attacked, await world.experience(SECONDS), name)
  attacker.send('stop')
  const [report] = (await once(attacker, 'message')) as [Pick<Observation, 'statuses'>]
  await once(attacker, 'exit')
  for (const [status, count] of Object.entries(report.statuses)) {
    statuses[status] = (statuses[status] ?? 0) + count
  }
  collect(afterwards, await world.experience(SECONDS), `after ${name}`)
}

/** Runs all rounds of the attacks on one network; returns the observations and the server's growth in MB. */
async function observe(network: WorldNetwork, names: string[]) {
  await using world = await createWorld(network)
  for (const index of Array(12).keys()) {
    world.names.set(`malformado-${index}.test`, 'malformed')
    world.names.set(`mudo-${index}.test`, 'silence')
    world.names.set(`falho-${index}.test`, 'servfail')
  }
  await world.experience(SECONDS)
  const memoryBefore = residentMb(world.pid)
  const observations = names.map((name): Observation => ({
    name,
    quiet: nothing(),
    attacked: nothing(),
    afterwards: nothing(),
    statuses: {},
  }))
  for (let round = 1; round <= ROUNDS; round++) {
    for (const one of observations) {
      collect(one.quiet, await world.experience(SECONDS), `before ${one.name}`)
      await attack(world, one)
      const memory = residentMb(world.pid).toFixed(0)
      process.stderr.write(`round ${round} of ${ROUNDS}: ${one.name}, ${memory} MB\n`)
    }
  }
  return { observations, grown: residentMb(world.pid) - memoryBefore }
}

const slow: string[] = []
const failures: string[] = []
const broken: string[] = []
for (const network of ['simulator', 'whatsapp'] as const) {
  const names = selected
    .filter(([, { network: wanted = 'simulator' }]) => wanted === network)
    .map(([name]) => name)
  if (names.length === 0) continue
  const { observations, grown } = await observe(network, names)
  say(
    `${network}: latencies relative to the quiet seconds before each attack, at most ${MAX_RATIO}`,
  )
  for (const observation of observations) {
    const { name, quiet, attacked, afterwards, statuses } = observation
    const found = MEASURES.map(({ label, phase, read }) => {
      const [before, then] = [read(quiet), read(observation[phase])]
      const ratio = then / before
      if (ratio > MAX_RATIO) slow.push(`${name}: ${label} ${ratio.toFixed(2)}`)
      return `${label} ${ratio.toFixed(2).padStart(5)} (${before.toFixed(0)} → ${then.toFixed(0)} ms)`
    })
    say(`${name.padEnd(28)} ${found.join('   ')}   responses ${JSON.stringify(statuses)}`)
    failures.push(...quiet.failures, ...attacked.failures, ...afterwards.failures)
    const serverErrors = Object.keys(statuses).filter((status) => /^5(?!03)/.test(status))
    if (serverErrors.length > 0) broken.push(`${name}: ${serverErrors.join(', ')}`)
  }
  say(`memory grew by ${grown.toFixed(0)} MB, at most ${MAX_GROWTH_MB}`)
  if (grown > MAX_GROWTH_MB) slow.push(`${network}: ${grown.toFixed(0)} MB of growth`)
}
say(`failed requests of the twenty companies: ${failures.length}`)
assert.deepEqual(failures.slice(0, 10), [])
assert.deepEqual(broken, [], 'attacks that received a 5xx other than 503')
assert.deepEqual(slow, [])
