// What another process adds: accepted sends and sends to their final state, by one and by several workers in turns.
import { findPort } from '../test/kit/process.ts'
import { startServer } from './kit.ts'
import { print } from './load.ts'
import { acceptOn, finishOn } from './send.ts'

const COUNTS = [1, 2]
const ROUNDS = 3

const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** `npm run bench -- workers [seconds]`: medians of three alternating rounds, and the ratios to one worker. */
export async function benchWorkers(seconds: number): Promise<void> {
  const rates = COUNTS.map((workers) => ({
    workers,
    accepted: [] as number[],
    final: [] as number[],
  }))
  for (let round = 0; round < ROUNDS; round++) {
    for (const { workers, accepted, final } of rates) {
      const env = async () => ({ WORKERS: String(workers), PORT: String(await findPort()) })
      {
        await using bench = await startServer(['--hold-network'], await env())
        accepted.push(await acceptOn(bench, seconds))
      }
      await using bench = await startServer([], await env())
      final.push(await finishOn(bench, seconds))
    }
  }
  const [one] = rates
  for (const { workers, accepted, final } of rates) {
    const [sends, finals] = [median(accepted), median(final)]
    const [ofOne, finalsOfOne] = [
      sends / median(one?.accepted ?? []),
      finals / median(one?.final ?? []),
    ]
    print(
      `${workers} workers: ${sends.toFixed(0)} accepted/s (${ofOne.toFixed(2)}), ` +
        `${finals.toFixed(0)} final/s (${finalsOfOne.toFixed(2)})`,
    )
  }
}
