import type { FastifyReply } from 'fastify'
import type { RateState } from '../../kernel/phrases/fail.ts'

/** Sets the headers RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers) of a key's rate limit. */
export function setRateHeaders(reply: FastifyReply, rate: RateState): void {
  void reply.header('ratelimit-policy', `"key";q=${rate.limit};w=60`)
  void reply.header('ratelimit', `"key";r=${rate.remaining};t=${rate.resetSeconds}`)
}
