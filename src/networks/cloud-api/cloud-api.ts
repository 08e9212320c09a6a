import type { Clock } from '../../kernel/clock.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { OutboundClient } from '../../platform/egress/outbound-client.ts'
import type { Capability, Network } from '../network.port.ts'
import type { CloudAccount } from './account.ts'
import { isRejected } from './failures.ts'
import { createGraph, GraphError } from './graph.ts'
import { openCloudSession, readIdentity } from './session.ts'

/** What Meta's API has beyond messages. */
export const CLOUD_API_CAPABILITIES = new Set<Capability>(['templates', 'blocking'])

/** What connecting an account to Meta can end with. */
type Enrollment =
  | { kind: 'ready'; phone: string; name: string }
  /** The token is not valid, lacks a permission, or the ids are not those of the token. */
  | { kind: 'rejected'; field: 'accessToken' | 'phoneNumberId' | 'businessAccountId' }
  | { kind: 'unreachable'; cause: unknown }

/** The official API as a network, and what setting an account up needs before its session is open. */
export type CloudApi = Network & {
  /** Checks an account, and subscribes its app to the events of the business account. */
  enroll(account: CloudAccount): Promise<Enrollment>
  /** Has Meta send the number's webhooks to an address, which Meta calls before it answers; returns whether it will. */
  direct(account: CloudAccount, url: string): Promise<boolean>
}

/** Creates the network of Meta's official WhatsApp Cloud API. */
export function createCloudApi(deps: {
  clock: Clock
  activity: PendingWork
  dispatcher: OutboundClient['dispatcher']
  /** Meta's Graph API, with its version. */
  baseUrl: URL
  onError: (error: unknown) => void
}): CloudApi {
  const { clock, activity, dispatcher, baseUrl, onError } = deps
  const graph = createGraph({ dispatcher, baseUrl })

  const refusal = (error: unknown, field: 'phoneNumberId' | 'businessAccountId'): Enrollment => {
    if (isRejected(error)) return { kind: 'rejected', field: 'accessToken' }
    return error instanceof GraphError
      ? { kind: 'rejected', field }
      : { kind: 'unreachable', cause: error }
  }

  return {
    name: 'cloud_api',
    capabilities: CLOUD_API_CAPABILITIES,
    open: (account, listener) =>
      openCloudSession({ clock, activity, graph, account, listener, onError }),
    // Meta has no session to end.
    unpair: async () => {},
    stop: async () => {},
    async enroll(account) {
      const identity = await readIdentity(graph, account).catch((error: unknown) =>
        refusal(error, 'phoneNumberId'),
      )
      if ('kind' in identity) return identity
      if (identity.phone === '') return { kind: 'rejected', field: 'phoneNumberId' }
      const path = `${encodeURIComponent(account.businessAccountId)}/subscribed_apps`
      try {
        await graph.post(account, path, {})
      } catch (error) {
        return refusal(error, 'businessAccountId')
      }
      return { kind: 'ready', ...identity }
    },
    async direct(account, url) {
      try {
        const { verifyToken: verify_token, phoneNumberId } = account
        const webhook_configuration = { override_callback_uri: url, verify_token }
        await graph.post(account, encodeURIComponent(phoneNumberId), { webhook_configuration })
        return true
      } catch (error) {
        onError(error)
        return false
      }
    },
  }
}
