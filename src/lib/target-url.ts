import { isIP } from 'node:net'
import type { AddressPolicy } from './address-policy.ts'

export type TargetProblem = 'scheme' | 'host' | 'private' | 'long' | 'credentials'
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
