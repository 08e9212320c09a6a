import type { Clock } from './clock.ts'

/** Settles with `work`, or rejects with `late()` if it takes longer than `ms`. The work itself is not stopped. */
export async function withDeadline<Result>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: Promise<Result>,
  late: () => Error,
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = clock.after(ms, () => reject(late()))
  try {
    return await Promise.race([work, promise])
  } finally {
    timer.cancel()
  }
}
