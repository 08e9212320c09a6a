import type { AddressPolicy } from '../../src/kernel/address-policy.ts'
import { parseTarget } from '../../src/platform/egress/target-url.ts'
import { signingKeys, type WebhookTarget } from '../../src/events/webhooks/webhooks.service.ts'

/** A delivery that is not stored, for attempts without a database. */
export const delivery = {
  id: 1,
  webhookId: 'whk_1',
  projectId: 'prj_1',
  webhookGeneration: 1,
  attempt: 1,
  dueAt: 0,
  event: { id: 'evt_1', name: 'message.received', body: '{"event":"message.received"}' },
}

/** The webhook of `delivery`, with this URL. */
export const targetOf = (url: string, policy: AddressPolicy): WebhookTarget => ({
  id: 'whk_1',
  projectId: 'prj_1',
  mode: 'test',
  url,
  enabled: true,
  generation: 1,
  keys: signingKeys('whsec_AAAA'),
  previous: null,
  headers: {},
  media: null,
  moves: false,
  parsed: parseTarget(url, policy),
})
