import type { AuditService } from '../company/audit/audit.service.ts'
import type { BillingService } from '../company/billing/billing.service.ts'
import type { ProjectsService } from '../company/projects/projects.service.ts'
import type { EventsService } from '../events/events.service.ts'
import type { CloudApi } from '../networks/cloud-api/cloud-api.ts'
import type { NetworkOf } from '../networks/create-networks.ts'
import type { NetworkSession } from '../networks/network.port.ts'
import type { Platform } from '../platform/create-platform.ts'
import type { Authenticator } from '../platform/auth/authenticator.port.ts'
import { startConnections } from './connections.worker.ts'
import type { NetworkEventHandler } from './network-event-handler.port.ts'
import { createCloudAccountsService } from './cloud-accounts.service.ts'
import { createCredentialStores } from './credentials.ts'
import { createFence } from './fence.service.ts'
import { createInstancesService } from './instances.service.ts'
import { createNetworkCommander, type FetchFile } from './network-commands.service.ts'
import { createOpenSessions } from './open-sessions.service.ts'
import { createPairingCodesService } from './pairing-codes.service.ts'
import { createPairingLinksService } from './pairing-links.service.ts'
import { createQrStreams } from './qr-stream.ts'
import { createQrTokensService } from './qr-tokens.service.ts'
import { createInstanceRenderer } from './render-instance.ts'

/** Creates the `instances` module: the instance resource, pairing, and the sessions open on this node. */
export function createInstances(
  stack: AsyncDisposableStack,
  deps: {
    platform: Platform
    audit: AuditService
    billing: BillingService
    projects: Pick<ProjectsService, 'numberCompleter'>
    panelUrl: string
    authenticator: Authenticator
    events: EventsService
    networkOf: NetworkOf
    /** Meta's official API. */
    cloudApi: CloudApi
    /** Downloads a received file from its network and stores it. Returns whether the file exists. */
    fetchFile: (session: NetworkSession, input: FetchFile) => Promise<boolean>
  },
) {
  const { platform, audit, billing, projects, panelUrl, authenticator } = deps
  const { events, networkOf, fetchFile } = deps
  const { db, clock, activity, bus, dueWatch, seal, policy, node, onError } = platform
  const renderer = createInstanceRenderer({ seal, policy })
  const instances = createInstancesService({
    clock,
    billing,
    audit,
    events,
    renderer,
    publish: bus.publish,
    networkOf,
  })
  const owner = { node: node.id, epoch: node.epoch }
  const sessions = createOpenSessions(owner)
  const commander = createNetworkCommander({
    db,
    clock,
    activity,
    bus,
    dueWatch,
    sessions,
    fetchFile,
    onError,
  })
  stack.defer(() => commander.stop())
  const pairingCodes = createPairingCodesService({ instances, commander, projects })
  return {
    instances,
    pairingCodes,
    pairingLinks: createPairingLinksService({ clock, panelUrl, audit, instances, pairingCodes }),
    fence: createFence(owner),
    openSessions: sessions,
    commander,
    cloudAccounts: createCloudAccountsService({
      clock,
      instances,
      audit,
      cloudApi: deps.cloudApi,
      commander,
      simulated: networkOf({ mode: 'production', network: 'cloud_api' }) !== deps.cloudApi,
      storeOf: (on, id) => createCredentialStores({ db: on, activity, seal, owner: null })(id),
    }),
    qrTokens: createQrTokensService({ clock, authenticator }),
    qrStreams: createQrStreams({ db, clock, activity, bus, instances }),
    /** Opens the sessions of the instances that this node owns; `handler` receives what they report. */
    connect(connecting: AsyncDisposableStack, handler: NetworkEventHandler): void {
      const storeOf = createCredentialStores({ db, activity, seal, owner })
      const connections = startConnections({
        db,
        clock,
        activity,
        bus,
        storeOf,
        networkOf,
        instances,
        renderer,
        sessions,
        node,
        handler,
        onError,
      })
      connecting.defer(() => connections.stop())
    },
  }
}

/** The `instances` module. */
export type Instances = ReturnType<typeof createInstances>
