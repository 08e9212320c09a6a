import type { AuditService } from '../company/audit/audit.service.ts'
import type { BillingService } from '../company/billing/billing.service.ts'
import type { BusTopics } from '../platform/bus/bus.port.ts'
import type { Mode } from '../kernel/config/config.ts'
import type { InstanceNetwork } from '../model/instance-network.schemas.ts'
import type { NetworkOf } from '../networks/create-networks.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { EventHistoryQuery, EventHistory } from '../events/events.schemas.ts'
import type { EventsService } from '../events/events.service.ts'
import { toPage } from '../kernel/schemas.ts'
import type { Caller } from '../kernel/principal.ts'
import { lockProjects } from '../company/projects/projects.service.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import { fail } from '../kernel/phrases/fail.ts'
import type { Party } from '../model/records.schemas.ts'
import type {
  CreateInstanceBody,
  Instance,
  InstanceHistory,
  PatchInstanceBody,
} from './instances.schemas.ts'
import { setUnpairing, sweepCredentials } from './credentials.sql.ts'
import {
  countInstances,
  findInstance,
  hasCloudAccount,
  insertInstance,
  listInstances,
  listTransitions,
  markInstanceDeleted,
  updateInstance,
  readWatchedState,
  type InstanceRow,
} from './instances.sql.ts'
import { createPairingMethods } from './pairing.ts'
import type { InstanceRenderer } from './render-instance.ts'
import { createStatusChanges } from './status-changes.ts'
import { uptimeShare } from './uptime.ts'
import { readStatusSpans } from './uptime.sql.ts'
import { isOpenStatus, OPEN_STATUSES } from '../platform/nodes/open-instances.sql.ts'

const MAX_TRANSITIONS = 50
/** Instances of a Project, each of which may hold a session. */
const MAX_INSTANCES: Record<Mode, number> = { test: 500, production: 5000 }

/** A connected instance, its network, and its own identity there. */
export type Account = {
  instance: { id: string; projectId: string; mode: Mode }
  self: Party
  network: InstanceNetwork
}

/** Manages instances; see `createInstancesService`. */
export type InstancesService = ReturnType<typeof createInstancesService>

/**
 * Creates the service that manages instances, their status and their pairing. Methods that take a scope throw 404 if
 * the instance is not in it (G22).
 */
export function createInstancesService(deps: {
  clock: Clock
  billing: BillingService
  audit: AuditService
  events: EventsService
  renderer: InstanceRenderer
  publish: BusTopics['publish']
  networkOf: NetworkOf
}) {
  const { clock, billing, audit, events, renderer, publish, networkOf } = deps
  const now = () => new Date(clock.now())
  const { transition, transitionTogether, restrict } = createStatusChanges({
    clock,
    events,
    publish,
  })

  async function getOrThrow(db: Db, scope: Scope, id: string): Promise<InstanceRow> {
    const row = await findInstance(db, scope, id, now())
    if (!row) throw fail('not_found', (say) => say.instances.notFound)
    return row
  }

  /** Throws 503 if the network is not installed, 409 if it needs an account of the official API that is not set. */
  async function requireNetwork(db: Db, row: InstanceRow): Promise<void> {
    const network = networkOf(row)
    if (!network) throw fail('unavailable', (say) => say.instances.networkMissing)
    if (!network.capabilities.has('codes') && !(await hasCloudAccount(db, row.id)))
      throw fail('conflict', (say) => say.instances.cloudAccountMissing)
  }

  /** Requests a connection; returns false if the instance is already open or opening. */
  async function connect(db: Db, row: InstanceRow): Promise<boolean> {
    // A session that gave up reconnecting must be opened again.
    const gaveUp = row.status === 'DISCONNECTED' && row.disconnect?.willReconnect === false
    if (isOpenStatus(row.status) && !gaveUp) return false
    return transition(db, row.id, null, { to: 'CONNECTING' })
  }

  /** Ends the pairing, even if the instance is connected again before a node has carried it out. */
  async function endPairing(tx: Db, id: string): Promise<boolean> {
    await setUnpairing(tx, id, now())
    return transition(tx, id, null, { to: 'LOGGED_OUT', reason: 'logged_out' })
  }

  /** Runs an action that a caller requested, and writes it to the audit log if it changed anything. */
  function runAction(
    db: Db,
    scope: Scope,
    caller: Caller,
    id: string,
    action: 'connect' | 'disconnect' | 'logout',
    work: (tx: Db, row: InstanceRow) => Promise<boolean>,
  ): Promise<Instance> {
    return db.transaction(async (tx) => {
      const changed = await work(tx, await getOrThrow(tx, scope, id))
      if (changed) await audit.recordAction(tx, scope, caller, `instance.${action}`, id)
      return renderer.render(await getOrThrow(tx, scope, id))
    })
  }

  return {
    transition,
    transitionTogether,
    restrict,

    /** Returns the stored instance, for the services of this module. */
    row: getOrThrow,

    /** Returns the account of a connected instance. Throws 404 if there is none, 409 if it is not connected. */
    async account(db: Db, scope: Scope, id: string): Promise<Account> {
      const {
        projectId,
        mode,
        status,
        phone,
        lid,
        profileName: name,
        network,
      } = await getOrThrow(db, scope, id)
      if (status !== 'CONNECTED') {
        const reason = 'INSTANCE_NOT_CONNECTED'
        throw fail('conflict', (say) => say.instances.notConnected, { reason })
      }
      return { instance: { id, projectId, mode }, self: { phone, lid, name }, network }
    },

    /** Creates an instance. Throws 402 in production without an active subscription, 400 for invalid settings. */
    async create(
      db: Db,
      scope: Scope,
      caller: Caller,
      input: CreateInstanceBody,
    ): Promise<Instance> {
      const id = newId('ins', clock.now())
      const settings = renderer.readSettings(id, input.settings ?? {}, null)
      await billing.requireSubscription(db, scope)
      const { name, externalId = null, network = 'whatsapp' } = input
      return db.transaction(async (tx) => {
        await lockProjects(tx, [scope.projectId])
        if ((await countInstances(tx, scope)) >= MAX_INSTANCES[scope.mode])
          throw fail('conflict', (say) => say.instances.tooMany(MAX_INSTANCES[scope.mode]))
        await insertInstance(tx, scope, { id, name, externalId, network, settings, now: now() })
        await audit.recordAction(tx, scope, caller, 'instance.create', id)
        return renderer.render(await getOrThrow(tx, scope, id))
      })
    },

    /** Lists a page of the instances, newest first; `only` are the ids to which the caller is restricted. */
    async list(
      db: Db,
      scope: Scope,
      { limit, offset, only }: { limit: number; offset: number; only: string[] | null },
    ) {
      const rows = await listInstances(db, scope, { limit: limit + 1, offset, only, now: now() })
      return toPage(
        rows.map((row) => renderer.render(row)),
        limit,
        offset,
      )
    },

    /** Returns an instance. */
    get: async (db: Db, scope: Scope, id: string): Promise<Instance> =>
      renderer.render(await getOrThrow(db, scope, id)),

    /** Changes the name or settings of an instance. Throws 400 for invalid settings. */
    update: (
      db: Db,
      scope: Scope,
      caller: Caller,
      id: string,
      input: PatchInstanceBody,
    ): Promise<Instance> =>
      db.transaction(async (tx) => {
        const before = await getOrThrow(tx, scope, id)
        const settings = renderer.readSettings(id, input.settings ?? {}, before.settings)
        const patch = { name: input.name ?? null, settings, now: now() }
        const row = await updateInstance(tx, scope, id, patch)
        if (!row) throw fail('not_found', (say) => say.instances.notFound)
        // Only the names, because the address of a proxy may contain a password.
        const fields = [
          ...(input.name === undefined ? [] : ['name']),
          ...Object.keys(input.settings ?? {}),
        ]
        await audit.recordAction(tx, scope, caller, 'instance.update', id, {
          before: null,
          after: { fields },
        })
        tx.afterCommit(() =>
          publish('instances', { id, projectId: scope.projectId, mode: scope.mode }),
        )
        return renderer.render(row)
      }),

    /** Logs the instance out and marks it as deleted; its messages are kept. */
    async remove(db: Db, scope: Scope, caller: Caller, id: string): Promise<void> {
      await db.transaction(async (tx) => {
        await getOrThrow(tx, scope, id)
        await endPairing(tx, id)
        await markInstanceDeleted(tx, scope, id, now())
        await audit.recordAction(tx, scope, caller, 'instance.delete', id)
        tx.afterCommit(() =>
          publish('instances', { id, projectId: scope.projectId, mode: scope.mode }),
        )
      })
    },

    /** Opens the connection unless it is already open. Throws 503 if this mode's network is not installed. */
    connect: (db: Db, scope: Scope, caller: Caller, id: string): Promise<Instance> =>
      runAction(db, scope, caller, id, 'connect', async (tx, row) => {
        await requireNetwork(tx, row)
        return connect(tx, row)
      }),

    /** Closes the connection and keeps the pairing. */
    disconnect: (db: Db, scope: Scope, caller: Caller, id: string): Promise<Instance> =>
      runAction(db, scope, caller, id, 'disconnect', (tx) =>
        transition(tx, id, null, { to: 'STOPPED', from: [...OPEN_STATUSES], reason: 'stopped' }),
      ),

    /** Ends the pairing; to connect again, the instance must be paired again. */
    logout: (db: Db, scope: Scope, caller: Caller, id: string): Promise<Instance> =>
      runAction(db, scope, caller, id, 'logout', (tx) => endPairing(tx, id)),

    ...createPairingMethods({
      clock,
      publish,
      getOrThrow,
      requireNetwork,
      connect,
      transition,
    }),

    /** Returns the last 50 status changes, newest first. */
    async history(db: Db, scope: Scope, id: string): Promise<InstanceHistory> {
      await getOrThrow(db, scope, id)
      const query = { instanceId: id, most: MAX_TRANSITIONS, now: now() }
      const rows = await listTransitions(db, scope, query)
      return { items: rows.map((row) => ({ ...row, at: row.at.toISOString() })) }
    },

    /** Returns when an instance was paired, and the share of the time since `since` during which it was connected. */
    async uptime(db: Db, scope: Scope, id: string, since: Date) {
      const { pairedAt, spans } = await readStatusSpans(db, scope, id, since, now())
      const connectedShare = uptimeShare(spans, since.getTime(), clock.now())
      return { pairedAt, connectedShare }
    },

    /** Returns a page of group, label or call events, newest first. */
    async events(
      db: Db,
      scope: Scope,
      id: string,
      query: EventHistoryQuery,
    ): Promise<EventHistory> {
      await getOrThrow(db, scope, id)
      return events.history(db, scope, id, query)
    },

    /** Returns the state for a QR stream with the transitions after id `since`; null if the instance does not exist. */
    watch: (db: Db, scope: Scope, id: string, since: number) =>
      readWatchedState(db, scope, id, since, now()),

    /** Deletes expired credentials of sessions. */
    sweep: (db: Db) => sweepCredentials(db, now()),
  }
}
