import type { IncomingHttpHeaders } from 'node:http'
import { isTimeZone } from '../../kernel/day.ts'
import type { SignInOrigin } from './sessions.service.ts'

const MAX_LENGTH = 60

/**
 * Reads the address, browser and time zone of a sign-in from the request; the panel sends its time
 * zone in `X-Time-Zone`.
 */
export async function readSignInOrigin(request: {
  ip: string
  headers: IncomingHttpHeaders
}): Promise<SignInOrigin> {
  const zone = request.headers['x-time-zone']
  const timeZone = typeof zone === 'string' && isTimeZone(zone) ? zone : null
  const browser = await browserOf(request.headers['user-agent'] ?? '')
  return { address: request.ip, browser, timeZone }
}

/** Returns a browser and its operating system, such as `Chrome, Windows`, or null if unknown. */
async function browserOf(agent: string): Promise<string | null> {
  if (agent === '') return null
  const { default: Bowser } = await import('bowser')
  const { browser, os } = Bowser.parse(agent.slice(0, 500))
  const known = [browser.name, os.name].filter(Boolean).join(', ')
  return known === '' ? null : known.slice(0, MAX_LENGTH)
}
