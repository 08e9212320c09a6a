import { createHmac } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { OutboundClient } from '../../platform/egress/outbound-client.ts'
import type { Capability, Network, NetworkAccount } from '../network.port.ts'
import { DIRECTED, KIND, type CloudAccount } from './account.ts'
import { isAccessLost, isBusy } from './failures.ts'
import { createGraph, GraphError } from './graph.ts'
import { listAll } from './list-all.ts'
import { openCloudSession, readIdentity } from './session.ts'
import { recordOf } from './unknown.ts'
import { nameInstance } from '../name-instance.ts'

/** Meta's subcode of an object that does not exist, or that the token may not see. */
const UNKNOWN_OBJECT = 33
/** Capabilities of Meta's API beyond messages. */
export const CLOUD_API_CAPABILITIES = new Set<Capability>(['templates', 'blocking'])

/** The possible results of connecting an account to Meta. */
type Enrollment =
  | { kind: 'ready'; phone: string; name: string }
  /** The token is invalid or lacks a permission, or the ids do not belong to it. */
  | { kind: 'rejected'; field: keyof Omit<CloudAccount, 'verifyToken'> }
  | { kind: 'unreachable'; cause: unknown }

/** The official API as a network, with the operations that set up an account before its session opens. */
export type CloudApi = Network & {
  /** Checks an account, and subscribes its app to the events of the business account. */
  enroll(account: CloudAccount): Promise<Enrollment>
  /** Configures the number's webhook address at Meta, which verifies it immediately; returns whether that worked. */
  direct(account: CloudAccount, instanceId: string): Promise<boolean>
  /** The webhook address for an instance's number. */
  callbackUrl(instanceId: string): string
}

/** Creates the network of Meta's official WhatsApp Cloud API. */
export function createCloudApi(deps: {
  clock: Clock
  activity: PendingWork
  dispatcher: OutboundClient['dispatcher']
  /** Meta's Graph API, with its version. */
  baseUrl: URL
  callbackUrl: (instanceId: string) => string
  onError: (error: unknown, task?: string) => void
}): CloudApi {
  const { clock, activity, dispatcher, baseUrl, callbackUrl, onError } = deps
  const graph = createGraph({ dispatcher, baseUrl })

  /** Meta's response about a request that only works with the right value of `field`. */
  function refusal(error: unknown, field: keyof Omit<CloudAccount, 'verifyToken'>): Enrollment {
    if (!(error instanceof GraphError) || isBusy(error))
      return { kind: 'unreachable', cause: error }
    const isToken = isAccessLost(error) && error.subcode !== UNKNOWN_OBJECT
    return { kind: 'rejected', field: isToken ? 'accessToken' : field }
  }

  async function direct(account: CloudAccount, instanceId: string): Promise<boolean> {
    const { verifyToken: verify_token, phoneNumberId } = account
    const url = callbackUrl(instanceId)
    try {
      const found = await graph.get(account, `${phoneNumberId}?fields=webhook_configuration`)
      const at = recordOf(found, 'webhook_configuration')
      // The number's address takes precedence over the business account's, and that over the app's.
      const used = at['phone_number'] ?? at['whatsapp_business_account'] ?? at['application']
      if (used === url) return true
      const webhook_configuration = { override_callback_uri: url, verify_token }
      await graph.post(account, phoneNumberId, { webhook_configuration })
      return true
    } catch (error) {
      onError(error, `directing the webhooks of instance ${instanceId}`)
      return false
    }
  }

  /**
   * Configures the webhook address of an account, once per address and account: the company may have
   * moved here from another installation. An instance that later claims the webhooks keeps them.
   */
  async function directOnce({ instanceId, credentials }: NetworkAccount, known: CloudAccount) {
    const [kind, id] = [KIND, DIRECTED]
    const wanted = `${known.phoneNumberId} ${callbackUrl(instanceId)}`
    if ((await credentials.read(kind, id))?.toString() === wanted) return
    if (await direct(known, instanceId))
      await credentials.save([{ kind, id, value: Buffer.from(wanted) }])
  }

  return {
    name: 'cloud_api',
    capabilities: CLOUD_API_CAPABILITIES,
    open: (account, listener) =>
      openCloudSession({
        clock,
        activity,
        graph,
        account,
        listener,
        direct: (known) => directOnce(account, known),
        onError: nameInstance(onError, account.instanceId),
      }),
    // Meta has no session to end.
    unpair: async () => {},
    stop: async () => {},
    async enroll(account) {
      const { phoneNumberId, businessAccountId, accessToken, appSecret } = account
      let step: keyof Omit<CloudAccount, 'verifyToken'> = 'phoneNumberId'
      try {
        const { phone, name } = await readIdentity(graph, account)
        if (phone === '') return { kind: 'rejected', field: step }
        step = 'appSecret'
        // Meta rejects a proof that was made with another app's secret.
        const proof = createHmac('sha256', appSecret).update(accessToken).digest('hex')
        await graph.get(account, `${phoneNumberId}?fields=id&appsecret_proof=${proof}`)
        step = 'businessAccountId'
        const path = `${businessAccountId}/phone_numbers?fields=id&limit=100`
        const numbers = await listAll(graph, account, path)
        if (!numbers.some(({ id }) => id === phoneNumberId))
          return { kind: 'rejected', field: step }
        await graph.post(account, `${businessAccountId}/subscribed_apps`, {})
        return { kind: 'ready', phone, name }
      } catch (error) {
        return refusal(error, step)
      }
    },
    direct,
    callbackUrl,
  }
}
