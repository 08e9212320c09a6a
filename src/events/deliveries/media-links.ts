import type { Clock } from '../../kernel/clock.ts'
import { makeMediaLink, MEDIA_LINK_PATH } from '../../kernel/media-link.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { LeasedDelivery } from '../events.service.ts'
import type { EventName } from '../catalog/index.ts'
import type { WebhookTarget } from '../webhooks/webhooks.service.ts'

/** Lifetime of a link in a delivery. Each attempt gets a new one. */
const LINK_LIFETIME_MS = 3600_000

const EVENT_WITH_FILE: EventName = 'message.received'

type ReceivedBody = {
  instanceId: string
  data: { message: { id: string; media: Record<string, unknown> | null } }
}

/** Adds the media link to a delivery whose webhook has `media` set. */
export type MediaLinks = (delivery: LeasedDelivery, target: WebhookTarget) => LeasedDelivery

/**
 * Creates the function that adds a link to the file of a received message, for webhooks with `media: 'link'`. The link
 * is made for each attempt, so that the stored event holds no credential.
 */
export function createMediaLinks(deps: {
  clock: Clock
  seal: Seal
  publicUrl: string
  sandboxUrl: string
}): MediaLinks {
  const { clock, seal, publicUrl, sandboxUrl } = deps
  return (delivery, target) => {
    const { event } = delivery
    if (target.media !== 'link' || event.name !== EVENT_WITH_FILE) return delivery
    const body = JSON.parse(event.body) as ReceivedBody
    const { message } = body.data
    if (!message.media) return delivery
    const { projectId, mode } = target
    const until = clock.now() + LINK_LIFETIME_MS
    const link = { projectId, mode, instanceId: body.instanceId, messageId: message.id }
    const token = makeMediaLink(seal, link, until)
    message.media['url'] = `${mode === 'test' ? sandboxUrl : publicUrl}${MEDIA_LINK_PATH}/${token}`
    message.media['urlExpiresAt'] = new Date(until).toISOString()
    return { ...delivery, event: { ...event, body: JSON.stringify(body) } }
  }
}
