import { createHmac } from 'node:crypto'
import { fetch as undiciFetch } from 'undici'
import type { WebhookEvent } from '../../sdk/src/index.ts'
import { say } from './phrases.ts'

const TIMEOUT_MS = 15_000
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

/** Posts an event to the user's program as a webhook would; never throws. Follows redirects, as the server does. */
export async function forward(
  url: string,
  event: WebhookEvent,
  secret: string,
): Promise<Forwarded> {
  const body = JSON.stringify(event)
  const startedAt = performance.now()
  const ms = () => Math.round(performance.now() - startedAt)
  try {
    const response = await undiciFetch(url, {
      method: 'POST',
      body,
      headers: sign(event, body, secret),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    const { status, redirected } = response
    return { status, ms: ms(), problem: redirected ? say.appRedirects(response.url) : null }
  } catch (error) {
    const late = error instanceof Error && error.name === 'TimeoutError'
    return { status: null, ms: ms(), problem: late ? say.appSlow : say.appDown(url) }
  }
}
