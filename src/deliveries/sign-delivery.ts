import { createHmac } from 'node:crypto'
import type { SigningKeys } from '../webhooks/webhooks.service.ts'

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
    'x-service-webhook-id': webhookId,
    'x-service-signature': `sha256=${createHmac('sha256', keys.service).update(body).digest('hex')}`,
    'webhook-id': event.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${standard}`,
  }
}
