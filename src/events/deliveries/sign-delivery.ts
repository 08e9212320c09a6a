import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SigningKeys } from '../webhooks/webhooks.service.ts'

/** Header with the id of the webhook that a delivery belongs to. */
export const WEBHOOK_ID_HEADER = 'x-service-webhook-id'
/** Header with the HMAC-SHA256 of the body, as `sha256=<hex>`. */
export const SIGNATURE_HEADER = 'x-service-signature'
/** Header with the signature of the new secret while the previous one still signs. */
const NEXT_SIGNATURE_HEADER = 'x-service-signature-next'

const serviceSignature = (keys: SigningKeys, body: Buffer): string =>
  `sha256=${createHmac('sha256', keys.service).update(body).digest('hex')}`

/**
 * Returns whether a signature header matches `body` and these keys; compares in constant time (G47).
 */
export function isSignedBy(keys: SigningKeys, body: Buffer, header: string): boolean {
  const [expected, given] = [Buffer.from(serviceSignature(keys, body)), Buffer.from(header)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/**
 * Returns the headers of a delivery: the five `X-Service-*` headers and the Standard Webhooks headers, so that libraries
 * for that standard can verify it (G47). `at` is in epoch milliseconds. While a replaced secret still signs, receivers
 * that know either secret accept the delivery.
 */
export function deliveryHeaders(delivery: {
  webhookId: string
  event: { id: string; name: string }
  body: Buffer
  keys: SigningKeys
  previous?: { keys: SigningKeys; until: number } | null
  headers?: Record<string, string>
  at: number
}): Record<string, string> {
  const { webhookId, event, body, keys, previous = null, headers = {}, at } = delivery
  const seconds = Math.floor(at / 1000)
  const standard = (signing: SigningKeys) =>
    `v1,${createHmac('sha256', signing.standard)
      .update(`${event.id}.${seconds}.`)
      .update(body)
      .digest('base64')}`
  const older = previous && at < previous.until ? previous.keys : null
  return {
    ...headers,
    'content-type': 'application/json',
    'user-agent': 'service-webhooks/1',
    'accept-encoding': 'identity',
    'x-service-event': event.name,
    [WEBHOOK_ID_HEADER]: webhookId,
    [SIGNATURE_HEADER]: serviceSignature(older ?? keys, body),
    ...(older ? { [NEXT_SIGNATURE_HEADER]: serviceSignature(keys, body) } : {}),
    'webhook-id': event.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': [keys, ...(older ? [older] : [])].map(standard).join(' '),
  }
}
