import { createHmac } from 'node:crypto'
import { fetch as undiciFetch } from 'undici'
import type { WebhookEvent } from '../../sdk/src/index.ts'
import { isUnsent } from './call.ts'
import { say } from './phrases.ts'

const TIMEOUT_MS = 15_000
/** Requests of one delivery, redirects included, as on the server. */
const MAX_REQUESTS = 10
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const SECRET_PREFIX = 'whsec_'

/** The outcome of forwarding an event: the status, or why there is none. */
export type Forwarded = { status: number | null; ms: number; problem: string | null }

/** Returns the headers with which the server would deliver the event: see `docs/receiving-events.md`. */
function sign(event: WebhookEvent, body: string, secret: string): Record<string, string> {
  const seconds = Math.floor(Date.now() / 1000)
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const { eventId } = event.data
  const standard = createHmac('sha256', key)
    .update(`${eventId}.${seconds}.${body}`)
    .digest('base64')
  const service = createHmac('sha256', secret).update(body).digest('hex')
  return {
    'content-type': 'application/json',
    'user-agent': 'service-webhooks/1',
    'x-service-event': event.event,
    'x-service-webhook-id': 'whk_cli',
    'x-service-signature': `sha256=${service}`,
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${standard}`,
  }
}

/** Where a response redirects to; null if it does not, or nowhere that can be followed. */
function redirectOf(status: number, location: string | null, from: string): string | null {
  if (!REDIRECTS.has(status) || location === null || !URL.canParse(location, from)) return null
  const target = new URL(location, from)
  return /^https?:$/.test(target.protocol) ? target.href : null
}

/** Posts an event and follows redirects as the server does: the event is sent again, except after a 303. */
async function post(url: string, signed: Record<string, string>, body: string) {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const { 'content-type': _, ...headers } = signed
  let [at, asGet] = [url, false]
  for (let requests = 1; ; requests++) {
    const request = asGet ? { method: 'GET', headers } : { method: 'POST', body, headers: signed }
    const response = await undiciFetch(at, { ...request, redirect: 'manual', signal })
    await response.body?.cancel()
    const { status } = response
    const next = redirectOf(status, response.headers.get('location'), at)
    if (next === null || requests === MAX_REQUESTS) return { status, at }
    at = next
    asGet ||= status === 303
  }
}

/** What the user should know about a response; null if the program accepted the event where it was sent. */
function problemOf(status: number, redirectedTo: string | null): string | null {
  if (REDIRECTS.has(status)) return say.appRedirectsNowhere
  if (redirectedTo !== null) return say.appRedirects(redirectedTo)
  return status < 300 ? null : say.appRefuses
}

function explainFailure(error: unknown, url: string): string {
  if (error instanceof Error && error.name === 'TimeoutError') return say.appSlow
  return isUnsent(error) ? say.appDown(url) : say.appBroke(url)
}

/** Posts an event to the user's program as a webhook would; never throws. */
export async function forward(
  url: string,
  event: WebhookEvent,
  secret: string,
): Promise<Forwarded> {
  const body = JSON.stringify(event)
  const startedAt = performance.now()
  const ms = () => Math.round(performance.now() - startedAt)
  try {
    const { status, at } = await post(url, sign(event, body, secret), body)
    return { status, ms: ms(), problem: problemOf(status, at === url ? null : at) }
  } catch (error) {
    return { status: null, ms: ms(), problem: explainFailure(error, url) }
  }
}
