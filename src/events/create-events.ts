import type { AuditService } from '../company/audit/audit.service.ts'
import type { Config, Mode } from '../kernel/config/config.ts'
import type { Platform } from '../platform/create-platform.ts'
import type { Authenticator } from '../platform/auth/authenticator.port.ts'
import type { OwnInboxes } from './deliveries/attempt.ts'
import { createDeliveriesService } from './deliveries/deliveries.service.ts'
import { startDeliveriesWorker } from './deliveries/deliveries.worker.ts'
import { createMediaLinks } from './deliveries/media-links.ts'
import { createEventsService } from './events.service.ts'
import { createInboxesService } from './inboxes/inboxes.service.ts'
import { createStreamsService } from './streams/streams.service.ts'
import { createWebhooksService } from './webhooks/webhooks.service.ts'

/** Creates the `events` module: event recording, webhooks and their deliveries, event streams and test inboxes. */
export function createEvents(
  stack: AsyncDisposableStack,
  deps: {
    config: Config
    platform: Platform
    audit: AuditService
    authenticator: Authenticator
    simulates: (mode: Mode) => boolean
    /** The server's own listener, which receives deliveries to test inboxes. */
    listener: { host: string; port: number }
  },
) {
  const { config, platform, audit, authenticator, simulates, listener } = deps
  const {
    db,
    clock,
    activity,
    bus,
    dueWatch,
    seal,
    policy,
    egress,
    node,
    metrics,
    tracing,
    onError,
  } = platform
  const { publish } = bus
  const { publicUrl, sandboxUrl } = config
  const webhooks = createWebhooksService({ clock, seal, policy, audit, publish, onError })
  const inboxes = createInboxesService({ clock, sandboxUrl, simulates })
  const ownInboxes: OwnInboxes = {
    listenerFor: async (url, owner) => ((await inboxes.isInbox(db, url, owner)) ? listener : null),
  }
  const worker = startDeliveriesWorker({
    db,
    clock,
    policy,
    egress,
    activity,
    bus,
    dueWatch,
    webhooks,
    metrics,
    tracing,
    node,
    onError,
    inboxes: ownInboxes,
    mediaLinks: createMediaLinks({ clock, seal, publicUrl, sandboxUrl }),
    maxInFlight: platform.maxSockets,
  })
  stack.defer(() => worker.stop())
  const events = createEventsService({ clock, intake: worker })
  const streams = createStreamsService({
    db,
    clock,
    activity,
    bus,
    events,
    authenticator,
    metrics,
    othersAlive: node.othersAlive,
    onError,
  })
  stack.defer(() => streams.stop())
  events.onRecorded(streams.onEvents)
  return {
    events,
    webhooks,
    inboxes,
    deliveries: createDeliveriesService({ clock, webhooks, inboxes }),
    streams,
    /** Number of deliveries that this node holds: queued, in flight, waiting to retry or being written back. */
    backlog: () => worker.backlog(),
  }
}

/** The module `events`. */
export type Events = ReturnType<typeof createEvents>
