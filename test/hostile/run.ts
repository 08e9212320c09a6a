// `npm run test:hostile`: latencies of twenty companies while another company, or an anonymous
// client, attacks the server.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ATTACKS } from './attacks.ts'
import { residentMb } from './memory.ts'
import { createWorld, type Experience, type World } from './world.ts'

const SECONDS = 6
/** Number of attacks per baseline run without an attack. */
const QUIET_EVERY = 4
const MAX_RATIO = 2
const MAX_GROWTH_MB = 150
/** `npm run test:hostile -- logins 5` runs only the attacks whose name contains `logins`, in five rounds. */
const [only = '', rounds = '3'] = process.argv.slice(2)
const ROUNDS = Number(rounds)
const names = Object.keys(ATTACKS).filter((name) => name.includes(only))
const say = (text: string) => process.stdout.write(`${text}\n`)

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity
}
const median = (values: number[]) => percentile(values, 0.5)

/** The compared latencies: p95 and p99 of the API, p99 of events. */
const MEASURES = {
  'http p95': ({ http }: Experience) => percentile(http, 0.95),
  'http p99': ({ http }: Experience) => percentile(http, 0.99),
  'event p99': ({ delivery }: Experience) => percentile(delivery, 0.99),
}
type Measure = keyof typeof MEASURES
const measures = Object.keys(MEASURES) as Measure[]

async function attacked(world: World, name: string) {
  const attacker = fork(fileURLToPath(new URL('attacker.ts', import.meta.url)), {
    execArgv: ['--max-old-space-size=1024'],
  })
  attacker.send({ name, target: world.target })
  await once(attacker, 'message')
  const experience = await world.experience(SECONDS)
  attacker.send('stop')
  const [{ statuses }] = (await once(attacker, 'message')) as [{ statuses: Record<string, number> }]
  await once(attacker, 'exit')
  return { experience, statuses }
}

await using world = await createWorld()
for (const index of Array(12).keys()) {
  world.names.set(`malformado-${index}.test`, 'malformed')
  world.names.set(`mudo-${index}.test`, 'silence')
  world.names.set(`falho-${index}.test`, 'servfail')
}
const ratios = new Map(names.map((name) => [name, [] as Record<Measure, number>[]]))
const statusesOf = new Map<string, Record<string, number>>()
const failures: string[] = []
const quietRuns: Experience[] = []
await world.experience(SECONDS)
const memoryBefore = residentMb(world.pid)

for (let round = 0; round < ROUNDS; round++) {
  let quiet: Experience | null = null
  for (const [index, name] of names.entries()) {
    if (!quiet || index % QUIET_EVERY === 0) {
      quiet = await world.experience(SECONDS)
      quietRuns.push(quiet)
      failures.push(...quiet.failures.map((failure) => `quiet: ${failure}`))
    }
    const from = performance.now()
    const { experience, statuses } = await attacked(world, name)
    const seconds = ((performance.now() - from) / 1000).toFixed(0)
    const p99 = MEASURES['http p99'](experience).toFixed(0)
    process.stderr.write(
      `round ${round + 1} of ${ROUNDS}, ${seconds} s: ${name}, p99 ${p99} ms, ${residentMb(world.pid).toFixed(0)} MB\n`,
    )
    failures.push(...experience.failures.map((failure) => `${name}: ${failure}`))
    const counted = statusesOf.get(name) ?? {}
    for (const [status, count] of Object.entries(statuses)) {
      counted[status] = (counted[status] ?? 0) + count
    }
    statusesOf.set(name, counted)
    const before = quiet
    ratios
      .get(name)
      ?.push(
        Object.fromEntries(
          measures.map((measure) => [
            measure,
            MEASURES[measure](experience) / MEASURES[measure](before),
          ]),
        ) as Record<Measure, number>,
      )
  }
}

const quietNow = (measure: Measure) => median(quietRuns.map((run) => MEASURES[measure](run)))
say(
  `quiet: ${measures.map((measure) => `${measure} ${quietNow(measure).toFixed(1)} ms`).join('   ')}`,
)
say(`relative to a quiet run (median of ${ROUNDS}, at most ${MAX_RATIO}):`)
const slow: string[] = []
for (const name of names) {
  const found = measures.map((measure) => {
    const ratio = median(ratios.get(name)?.map((one) => one[measure]) ?? [])
    if (ratio > MAX_RATIO) slow.push(`${name}: ${measure} ${ratio.toFixed(2)}`)
    return `${measure} ${ratio.toFixed(2).padStart(5)}`
  })
  say(`${name.padEnd(28)} ${found.join('   ')}   responses ${JSON.stringify(statusesOf.get(name))}`)
}
const grown = residentMb(world.pid) - memoryBefore
say(
  `memory grew by ${grown.toFixed(0)} MB (at most ${MAX_GROWTH_MB}); failed requests of the twenty companies: ${failures.length}`,
)
const broken = names.filter((name) =>
  Object.keys(statusesOf.get(name) ?? {}).some(
    (status) => status.startsWith('5') && status !== '503',
  ),
)
assert.deepEqual(failures.slice(0, 10), [])
assert.deepEqual(broken, [], 'attacks that received a 5xx other than 503')
assert.deepEqual(slow, [])
