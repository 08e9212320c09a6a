import type { AddressPolicy } from '../../kernel/address-policy.ts'
import type { Budget } from '../../kernel/budget.ts'
import type { OutboundClient, Download } from './outbound-client.ts'
import { redirectTarget } from './target-url.ts'

const MAX_REQUESTS = 5

/**
 * Sends a GET and follows redirects (at most five requests), checking each target against the policy. The caller must
 * read or discard the body.
 */
export async function getFollowingRedirects(
  deps: { client: Pick<OutboundClient, 'download'>; policy: AddressPolicy },
  first: URL,
  request: { headers: Record<string, string>; budget: Budget },
): Promise<Download> {
  const { client: door, policy } = deps
  const get = (url: URL) => door.download({ url, method: 'GET', body: null, ...request })
  let url = first
  let answer = await get(url)
  for (let count = 1; count < MAX_REQUESTS; count++) {
    const next = nextHop(answer, url, policy)
    if (!next) break
    discardBody(answer)
    url = next
    answer = await get(url)
  }
  return answer
}

function nextHop(answer: Download, url: URL, policy: AddressPolicy): URL | null {
  try {
    return redirectTarget(answer, url, policy)
  } catch (error) {
    discardBody(answer)
    throw error
  }
}

/** Reads a body up to about `maxBytes`, and destroys the rest. */
export async function readStart({ body }: Download, maxBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    parts.push(part)
    bytes += part.length
    if (bytes >= maxBytes) break
  }
  return Buffer.concat(parts).toString()
}

/** Destroys the body of a response. */
export function discardBody(answer: Download): void {
  answer.body.on('error', () => {}).destroy()
}
