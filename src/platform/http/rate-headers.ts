import type { FastifyReply } from 'fastify'
import type { RateState } from '../../kernel/phrases/fail.ts'

/** The headers that state a rate limit. */
export const RATE_HEADERS = ['ratelimit-policy', 'ratelimit'] as const

/** Sets the headers RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers) of a limit. */
export function setRateHeaders(reply: FastifyReply, rate: RateState): void {
  const { policy, limit, windowSeconds, remaining, resetSeconds } = rate
  void reply.header('ratelimit-policy', `"${policy}";q=${limit};w=${windowSeconds}`)
  void reply.header('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`)
}
