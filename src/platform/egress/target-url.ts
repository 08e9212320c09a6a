import { isIP } from 'node:net'
import type { AddressPolicy } from '../../kernel/address-policy.ts'

type TargetProblem = 'scheme' | 'host' | 'private' | 'long' | 'credentials'
export type Target = { url: URL; problem: null } | { url: null; problem: TargetProblem }

const LONGEST_URL = 2048

/** The literal address that a URL's host is, without brackets, or null when it is a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? null : bare
}

/**
 * Reads a URL that we are asked to call. The platform's parser turns every disguise of a literal address
 * (decimal, octal, hexadecimal, full-width digits) into its plain form, which the policy then judges. Names are
 * judged when they are resolved.
 */
export function parseTarget(text: string, policy: AddressPolicy): Target {
  const problem = (found: TargetProblem): Target => ({ url: null, problem: found })
  if (text.length > LONGEST_URL) return problem('long')
  if (!/^https?:/i.test(text)) return problem('scheme')
  if (!/^https?:\/\/[^/?#\\]/i.test(text) || !URL.canParse(text)) return problem('host')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return problem('credentials')
  if (url.hostname === '') return problem('host')
  const literal = literalAddress(url.hostname)
  if (literal !== null && !policy.permits(literal)) return problem('private')
  return { url, problem: null }
}

const LONGEST_LOCATION = 8192
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Where an answer sends the request on to; null when it does not, or to no place that can be asked.
 * Throws FORBIDDEN_ADDRESS when it is a literal private address.
 */
export function nextAddress(
  answer: { status: number; location: string | null },
  from: URL,
  policy: AddressPolicy,
): URL | null {
  const { status, location } = answer
  if (!REDIRECTS.has(status) || !location || location.length > LONGEST_LOCATION) return null
  if (!URL.canParse(location, from.href)) return null
  const target = parseTarget(new URL(location, from).href, policy)
  if (target.problem === 'private') throw Object.assign(new Error(), { code: 'FORBIDDEN_ADDRESS' })
  return target.url
}
