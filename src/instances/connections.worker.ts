import type { BusTopics } from '../bus/bus.port.ts'
import type { Mode } from '../config/config.ts'
import type { Db } from '../db/sql.ts'
import type { Activity } from '../lib/activity.ts'
import { delay, type Clock } from '../lib/clock.ts'
import { createLoop } from '../lib/loop.ts'
import type { Seal } from '../lib/seal.ts'
import type {
  ToldHappening,
  InboundMessage,
  Network,
  NetworkAccount,
  NetworkListener,
  NetworkSession,
  Receipt,
  Restriction,
  SessionStatus,
} from '../networks/network.port.ts'
import { createCredentialStore } from './credentials.ts'
import type { InstancesService } from './instances.service.ts'
import type { InstanceRow, Ownership, StatusMove, StoredSettings } from './instances.sql.ts'
import {
  claimInstances,
  disownInstances,
  findForgotten,
  findLifted,
  reviewOpen,
} from './ownership.sql.ts'
import type { InstanceRenderer } from './render-instance.ts'

const LOOK_MS = 2000
const CLAIM_AT_ONCE = 200
const LOGOUT_MS = 10_000
const RETURN: StatusMove = { to: 'CONNECTING', from: ['BANNED'] }
const LOST: StatusMove = { to: 'DISCONNECTED', reason: 'network', willReconnect: true }

/** The instance as the rooms to the right need it when its network tells something. */
export type OpenInstance = { id: string; projectId: string; mode: Mode; settings: StoredSettings }

/** Who hears what networks tell beside codes and states; `app.ts` puts the room `inbound` here. */
export type InstanceHearer = {
  received(instance: OpenInstance, messages: InboundMessage[]): Promise<void>
  receipts(instance: OpenInstance, receipts: Receipt[]): Promise<void>
  happened(instance: OpenInstance, happenings: ToldHappening[]): Promise<void>
}

export type Connections = {
  /** The session that this node has open for an instance, connected or not. */
  session(instanceId: string): NetworkSession | null
  /** The session of an instance that is connected through this node; with `owner`, if it is that one's. */
  online(instanceId: string, owner?: { projectId: string; mode: Mode }): NetworkSession | null
  /** The instances whose sessions are open here. */
  open(): string[]
  /** The instances whose messages this node can send now, each with its pace (contract §2.1, settings). */
  connected(): { id: string; pace: { minMs: number; maxMs: number } }[]
  stop(): Promise<void>
}

type Open = {
  /** Null where the network is not installed. */
  session: NetworkSession | null
  connected: boolean
  /** It has come to an end and waits for nothing: whoever wants a connection needs another. */
  over: boolean
  instance: OpenInstance
  /** The proxy that it goes through, sealed: with another one it is another connection. */
  proxy: string | null
}

/**
 * Keeps the connections of the instances that want one: each is owned by one live node, which opens the session,
 * stores what it tells, and closes it when the instance no longer wants it.
 */
export function startConnections(deps: {
  db: Db
  clock: Clock
  activity: Activity
  bus: BusTopics
  seal: Seal
  networks: Record<Mode, Network | null>
  instances: InstancesService
  renderer: InstanceRenderer
  owner: Ownership
  hearer: InstanceHearer
  onError: (error: unknown) => void
}): Connections {
  const { db, clock, activity, bus, seal, networks, instances, renderer, owner, onError } = deps
  const open = new Map<string, Open>()

  function accountOf({ id: instanceId, projectId, mode, settings }: OpenInstance): NetworkAccount {
    const { rejectCalls, downloadMedia } = settings
    const proxyUrl = renderer.openProxy(instanceId, settings)
    return {
      instanceId,
      projectId,
      mode,
      credentials: createCredentialStore({ db, seal, instanceId }),
      settings: { proxyUrl, rejectCalls, downloadMedia },
    }
  }

  async function openOne({ id, projectId, mode, settings }: InstanceRow): Promise<void> {
    const instance: OpenInstance = { id, projectId, mode, settings }
    const network = networks[mode]
    const proxy = settings.proxyUrlSealed
    const entry: Open = { session: null, connected: false, over: false, instance, proxy }
    open.set(id, entry)
    // Its network is not installed (any more): what waits to be sent must not wait for ever.
    if (!network) await instances.move(db, id, owner, { ...LOST, from: ['CONNECTED'] })
    else entry.session = network.open(accountOf(instance), listenerFor(instance, entry))
  }

  function listenerFor(instance: OpenInstance, entry: Open): NetworkListener {
    return {
      code: (code) => instances.offerCode(db, instance.id, owner, code),
      async status(change) {
        // A session that was replaced meanwhile speaks for nobody.
        if (open.get(instance.id) !== entry) return
        entry.connected = change.status === 'CONNECTED'
        entry.over = isOver(change)
        if (change.status === 'CODES_EXPIRED') await instances.expireCodes(db, instance.id, owner)
        else await instances.move(db, instance.id, owner, toMove(change))
        if (change.status === 'CONNECTED') bus.publish('outbound', instance.id)
      },
      restricted: (restriction) =>
        instances.restrict(db, instance.id, owner, restriction && toStored(restriction)),
      received: (messages) => deps.hearer.received(instance, messages),
      receipts: (receipts) => deps.hearer.receipts(instance, receipts),
      happened: (happenings) => deps.hearer.happened(instance, happenings),
    }
  }

  async function closeOne(id: string, forget: boolean): Promise<void> {
    const entry = open.get(id)
    if (!entry) return
    // First of all: if anything below fails, the instance counts as not open and is claimed or forgotten anew.
    open.delete(id)
    try {
      if (forget && entry.session) {
        await Promise.race([entry.session.logout(), delay(clock, LOGOUT_MS)])
        await createCredentialStore({ db, seal, instanceId: id }).clear()
      }
    } finally {
      // Not disowned where that failed: this node claims it anew, or forgets it, at the next look.
      await entry.session?.close()
    }
    await disownInstances(db, owner, [id])
  }

  /** Unpairs what was logged out or removed while nobody had it open. */
  async function forgetOthers(): Promise<void> {
    for (const instance of await findForgotten(db, owner, [...open.keys()], CLAIM_AT_ONCE)) {
      await each(async () => {
        const account = accountOf(instance)
        await networks[instance.mode]?.forget(account)
        await account.credentials.clear()
      })
    }
  }

  /** What was restricted until now is so no more; whoever was banned for a while comes back. */
  async function lift(): Promise<void> {
    for (const { id, status } of await findLifted(db, new Date(clock.now()), CLAIM_AT_ONCE)) {
      await each(async () => {
        if (status === 'BANNED') await instances.move(db, id, null, RETURN)
        else await instances.restrict(db, id, null, null)
      })
    }
  }

  /** One instance's fault must not keep the others from being looked after. */
  async function each(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      onError(error)
    }
  }

  async function look(): Promise<boolean> {
    for (const row of await reviewOpen(db, owner, [...open.keys()])) {
      const entry = open.get(row.id)
      if (!entry) continue
      entry.instance.settings = row.settings
      const stale = row.begins && (entry.connected || entry.over)
      const rerouted = row.settings.proxyUrlSealed !== entry.proxy
      if (!row.wanted || stale || rerouted) await each(() => closeOne(row.id, row.forget))
      // Claimed anew below.
      const lost = { ...LOST, from: ['CONNECTED' as const] }
      if (row.wanted && rerouted)
        await each(async () => void (await instances.move(db, row.id, null, lost)))
    }
    const claimed = await claimInstances(db, owner, [...open.keys()], CLAIM_AT_ONCE)
    for (const row of claimed) await each(() => openOne(row))
    await forgetOthers()
    await lift()
    return claimed.length === CLAIM_AT_ONCE
  }

  const loop = createLoop({ clock, activity, everyMs: () => LOOK_MS, run: look, onError })
  const unsubscribe = bus.subscribe('instances', loop.wake)
  loop.wake()
  return {
    session: (id) => open.get(id)?.session ?? null,
    online(id, scope) {
      const entry = open.get(id)
      if (!entry?.connected) return null
      const { projectId, mode } = entry.instance
      const own = !scope || (scope.projectId === projectId && scope.mode === mode)
      return own ? entry.session : null
    },
    open: () => [...open.keys()],
    connected: () =>
      [...open]
        .filter(([, entry]) => entry.connected)
        .map(
          ([
            id,
            {
              instance: { settings },
            },
          ]) => ({
            id,
            pace: { minMs: settings.sendDelayMinMs, maxMs: settings.sendDelayMaxMs },
          }),
        ),
    async stop() {
      unsubscribe()
      await loop.stop()
      const ids = [...open.keys()]
      await Promise.all([...open.values()].map(async ({ session }) => session?.close()))
      open.clear()
      await disownInstances(db, owner, ids)
    },
  }
}

function toStored({ type, until }: Restriction): { type: string; until: string | null } {
  return { type, until: until === null ? null : new Date(until).toISOString() }
}

function isOver(change: SessionStatus): boolean {
  const { status } = change
  if (status === 'DISCONNECTED') return !change.willReconnect
  return ['CODES_EXPIRED', 'LOGGED_OUT', 'BANNED', 'PASSKEY_REQUIRED'].includes(status)
}

function toMove(change: Exclude<SessionStatus, { status: 'CODES_EXPIRED' }>): StatusMove {
  switch (change.status) {
    case 'PAIRED': {
      const { phone, lid, profileName, business } = change
      const from = ['CONNECTING' as const, 'QR' as const, 'PAIRED' as const]
      return { to: 'PAIRED', from, paired: { phone, lid, profileName, business } }
    }
    case 'CONNECTED':
      return { to: 'CONNECTED', from: ['CONNECTING', 'PAIRED', 'DISCONNECTED', 'QR'] }
    case 'DISCONNECTED': {
      const { reason, willReconnect } = change
      // Whoever gives up says so even if it was away before.
      const from: StatusMove['from'] = willReconnect
        ? ['CONNECTED']
        : ['CONNECTING', 'PAIRED', 'CONNECTED', 'DISCONNECTED']
      return { to: 'DISCONNECTED', from, reason, willReconnect }
    }
    case 'LOGGED_OUT':
      return { to: 'LOGGED_OUT', reason: change.reason }
    case 'BANNED': {
      const restriction = toStored({ type: 'ban', until: change.restrictedUntil })
      return { to: 'BANNED', reason: change.reason, restriction }
    }
    case 'PASSKEY_REQUIRED': {
      const from = ['CONNECTING' as const, 'QR' as const, 'PAIRED' as const]
      return { to: 'PASSKEY_REQUIRED', from, reason: 'passkey_required' }
    }
  }
}
