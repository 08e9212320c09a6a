import { createHmac } from 'node:crypto'

/**
 * The headers of a delivery. Source: specification §6.2; beside them the Standard Webhooks headers, whose key is
 * what the base64 behind `whsec_` decodes to, so that the libraries of that standard verify us (contract §2.6).
 */
export function deliveryHeaders(delivery: {
  webhookId: string
  event: { id: string; name: string }
  body: Buffer
  secret: string
  at: number
}): Record<string, string> {
  const { webhookId, event, body, secret, at } = delivery
  const seconds = Math.floor(at / 1000)
  const standardKey = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const standard = createHmac('sha256', standardKey)
    .update(`${event.id}.${seconds}.`)
    .update(body)
    .digest('base64')
  return {
    'content-type': 'application/json',
    'user-agent': 'service-webhooks/1',
    'accept-encoding': 'identity',
    'x-service-event': event.name,
    'x-service-webhook-id': webhookId,
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': event.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${standard}`,
  }
}
