import type { Prepared } from '../../kernel/prepared.ts'
import { isDatabaseUnavailable } from './database-errors.ts'

/**
 * Runs `work`, which commits what refers to `prepared`, and then keeps that. Without the database, it is unknown
 * whether `work` was committed, so `prepared` is kept as well.
 */
export async function keepOnceCommitted<Result>(
  prepared: Prepared | null,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work()
    prepared?.commit()
    return result
  } catch (error) {
    if (isDatabaseUnavailable(error)) prepared?.commit()
    throw error
  }
}
