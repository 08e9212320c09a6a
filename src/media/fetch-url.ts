import type { AddressPolicy } from '../kernel/address-policy.ts'
import type { Clock } from '../kernel/clock.ts'
import { exhaustedResource } from '../kernel/exhausted-resource.ts'
import { startBudget } from '../kernel/budget.ts'
import { discardBody, getFollowingRedirects } from '../platform/egress/follow-redirects.ts'
import type { Egress } from '../platform/egress/safe-fetch.ts'
import { parseTarget } from '../platform/egress/target-url.ts'
import { MediaProblem } from './media-problem.ts'
import type { Stage } from './stage-file.ts'
import type { StagedFile } from './store.port.ts'

/** Time budget from the DNS lookup to the last byte. */
const FETCH_TIMEOUT_MS = 30_000

/** A fetch that failed and may succeed on a later attempt. */
export class RetryableFetchError extends MediaProblem {
  constructor(cause: unknown) {
    super('fetch_failed', '', cause)
  }
}

/**
 * Fetches a file by GET under the egress rules, with every redirect checked, straight to disk. Returns it with the type
 * that the host declares. Throws MediaProblem; RetryableFetchError if a later
 * attempt may succeed; an error of the system if the disk or its files are exhausted.
 */
export async function fetchUrl(
  deps: { clock: Clock; policy: AddressPolicy; egress: Egress; stage: Stage },
  address: string,
  maxBytes: number,
): Promise<{ file: StagedFile; contentType: string | null }> {
  const { clock, policy, egress, stage } = deps
  const target = parseTarget(address, policy)
  if (!target.url) throw new MediaProblem('fetch_failed', target.problem)
  const budget = startBudget(clock, FETCH_TIMEOUT_MS)
  const headers = { 'user-agent': 'service-webhooks/1', accept: '*/*' }
  try {
    const answer = await getFollowingRedirects({ client: egress, policy }, target.url, {
      headers,
      budget,
    })
    if (answer.status < 200 || answer.status > 299) {
      discardBody(answer)
      const problem = new MediaProblem('fetch_failed', `HTTP ${answer.status}`)
      throw answer.status >= 500 || answer.status === 429
        ? new RetryableFetchError(problem)
        : problem
    }
    return { file: await stage.write(answer.body, maxBytes), contentType: answer.contentType }
  } catch (error) {
    if (error instanceof MediaProblem) throw error
    // The fault of this machine, not of the host.
    if (exhaustedResource(error) !== null) throw error
    const code = (error as { code?: string }).code
    // Not retried: a host that used up the budget would occupy a slot for as long again.
    const hopeless = code === 'FORBIDDEN_ADDRESS' || code === 'BUDGET_SPENT'
    throw hopeless ? new MediaProblem('fetch_failed', code, error) : new RetryableFetchError(error)
  } finally {
    budget.end()
  }
}
