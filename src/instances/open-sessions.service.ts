import type { Mode } from '../kernel/config/config.ts'
import type { NetworkSession } from '../networks/network.port.ts'
import type { Pace } from '../model/pace.schemas.ts'
import type { Ownership } from './instances.sql.ts'
import type { CompleteSettings } from './stored-settings.ts'

/** An open instance, as passed to other modules with its network's reports. */
export type OpenInstance = { id: string; projectId: string; mode: Mode; settings: CompleteSettings }

/** An instance that this node has open. Only the connections worker writes its fields. */
export type OpenSession = {
  /** Null if the network is not installed. */
  session: NetworkSession | null
  connected: boolean
  /** Waits for a phone to scan one of its codes. */
  offersCodes: boolean
  /** The session has ended and does not reconnect: a new connection needs a new session. */
  ended: boolean
  /** Number of status changes reported by the session. */
  statusChanges: number
  instance: OpenInstance
  /** The sealed proxy URL of the connection; a different proxy requires a new connection. */
  proxy: string | null
}

/** Read access to the sessions open on this node. */
export type OpenSessions = {
  /** The fencing token of this node. */
  owner: Ownership
  /** Returns the session of an instance, connected or not. */
  session(instanceId: string): NetworkSession | null
  /** Returns the session of an instance if it is connected and, with `scope`, belongs to that Project and mode. */
  connectedSession(
    instanceId: string,
    scope?: { projectId: string; mode: Mode },
  ): NetworkSession | null
  /** Lists the ids of the instances that are open, connected or not. */
  open(): string[]
  /** Lists the instances that can send now, each with the delay between its sends (G22) and its pace. */
  connected(): { id: string; delay: { minMs: number; maxMs: number }; pace: Pace }[]
}

/** Creates an empty registry. The connections worker fills `entries`; other modules use the functions. */
export function createOpenSessions(
  owner: Ownership,
): OpenSessions & { entries: Map<string, OpenSession> } {
  const entries = new Map<string, OpenSession>()
  return {
    owner,
    entries,
    session: (id) => entries.get(id)?.session ?? null,
    connectedSession(id, scope) {
      const entry = entries.get(id)
      if (!entry?.connected) return null
      const { projectId, mode } = entry.instance
      const own = !scope || (scope.projectId === projectId && scope.mode === mode)
      return own ? entry.session : null
    },
    open: () => [...entries.keys()],
    connected: () =>
      [...entries].flatMap(([id, { connected, instance }]) => {
        const { sendDelayMinMs: minMs, sendDelayMaxMs: maxMs, pace } = instance.settings
        return connected ? { id, delay: { minMs, maxMs }, pace } : []
      }),
  }
}
