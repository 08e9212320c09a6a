import type { FastifyRequest } from 'fastify'

/** Headers that proxies add. */
const PROXY_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/**
 * Whether a proxy seems to have forwarded the request, so that its connection says nothing about where its client is.
 * Without a header, HTTP/1.0 betrays older versions of nginx: clients no longer speak it.
 */
export const cameThroughProxy = ({ headers, raw }: FastifyRequest): boolean =>
  raw.httpVersion === '1.0' || PROXY_HEADERS.some((name) => headers[name] !== undefined)
