import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SigningKeys } from '../webhooks/webhooks.service.ts'

export const WEBHOOK_ID_HEADER = 'x-service-webhook-id'
export const SIGNATURE_HEADER = 'x-service-signature'

const serviceSignature = (keys: SigningKeys, body: Buffer): string =>
  `sha256=${createHmac('sha256', keys.service).update(body).digest('hex')}`

/** Whether a body was signed with these keys. Source: specification §6.2. */
export function isSignedBy(keys: SigningKeys, body: Buffer, told: string): boolean {
  const [expected, given] = [Buffer.from(serviceSignature(keys, body)), Buffer.from(told)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/**
 * The headers of a delivery. Source: specification §6.2; beside them the Standard Webhooks headers, so that the
 * libraries of that standard verify us (contract §2.6).
 */
export function deliveryHeaders(delivery: {
  webhookId: string
  event: { id: string; name: string }
  body: Buffer
  keys: SigningKeys
  at: number
}): Record<string, string> {
  const { webhookId, event, body, keys, at } = delivery
  const seconds = Math.floor(at / 1000)
  const standard = createHmac('sha256', keys.standard)
    .update(`${event.id}.${seconds}.`)
    .update(body)
    .digest('base64')
  return {
    'content-type': 'application/json',
    'user-agent': 'service-webhooks/1',
    'accept-encoding': 'identity',
    'x-service-event': event.name,
    [WEBHOOK_ID_HEADER]: webhookId,
    [SIGNATURE_HEADER]: serviceSignature(keys, body),
    'webhook-id': event.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${standard}`,
  }
}
