import { isIP } from 'node:net'
import type { AddressPolicy } from '../../kernel/address-policy.ts'

/** Why a target URL is rejected. */
export type TargetProblem = 'scheme' | 'host' | 'private' | 'long' | 'credentials'
/** A checked target URL, or the reason why it was rejected. */
export type Target = { url: URL; problem: null } | { url: null; problem: TargetProblem }

const MAX_URL_LENGTH = 2048

/** The IP address in a URL's host name, without brackets; null for a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? null : bare
}

/**
 * Parses a URL supplied by a tenant. The URL parser normalizes every notation of a literal address (decimal, octal,
 * hexadecimal, full-width digits), which is then checked against the policy. Names are checked when they are resolved.
 */
export function parseTarget(text: string, policy: AddressPolicy): Target {
  const problem = (found: TargetProblem): Target => ({ url: null, problem: found })
  if (text.length > MAX_URL_LENGTH) return problem('long')
  if (!/^https?:/i.test(text)) return problem('scheme')
  if (!/^https?:\/\/[^/?#\\]/i.test(text) || !URL.canParse(text)) return problem('host')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return problem('credentials')
  if (url.hostname === '' || !hasValidLabels(url.hostname)) return problem('host')
  const literal = literalAddress(url.hostname)
  if (literal !== null && !policy.permits(literal)) return problem('private')
  return { url, problem: null }
}

const MAX_LABEL_LENGTH = 63
const MAX_HOST_LENGTH = 253
/** Whether a host can be a name: none of its labels is empty or too long (RFC 1035 §2.3.4). A dot may end it. */
function hasValidLabels(hostname: string): boolean {
  const labels = hostname.replace(/\.$/, '').split('.')
  return (
    hostname.length <= MAX_HOST_LENGTH + 1 &&
    labels.every((label) => label !== '' && label.length <= MAX_LABEL_LENGTH)
  )
}

const MAX_LOCATION_LENGTH = 8192
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * The URL that a response redirects to; null when it is not a redirect or its location is unusable. Throws an error
 * with code FORBIDDEN_ADDRESS when the location is a literal address that the policy denies.
 */
export function redirectTarget(
  answer: { status: number; location: string | null },
  from: URL,
  policy: AddressPolicy,
): URL | null {
  const { status, location } = answer
  if (!REDIRECTS.has(status) || !location || location.length > MAX_LOCATION_LENGTH) return null
  if (!URL.canParse(location, from.href)) return null
  const target = parseTarget(new URL(location, from).href, policy)
  if (target.problem === 'private') throw Object.assign(new Error(), { code: 'FORBIDDEN_ADDRESS' })
  return target.url
}
