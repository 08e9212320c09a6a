import { delay, type Clock, type Timer } from '../../kernel/clock.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { NetworkListener, Receipt } from '../network-events.port.ts'
import { NetworkRejection, type NetworkAccount, type NetworkSession } from '../network.port.ts'
import { readAccount, type CloudAccount } from './account.ts'
import { createCloudCommands } from './commands.ts'
import { isRejected } from './failures.ts'
import { GraphUnreachable, type Graph } from './graph.ts'
import { createWebhookReader } from './receive-webhook.ts'
import { AccountRejected, createCloudSender } from './send-messages.ts'
import { createSentMessages } from './sent-messages.ts'
import { textOf } from './unknown.ts'

/** How often the token of a connected account is checked. */
const CHECK_MS = 10 * 60_000
const MIN_RETRY_MS = 1000
const MAX_RETRY_MS = 60_000
const REPORT_RETRY_MS = 1000
const IDENTITY = { kind: 'cloud', id: 'self' }

/** Reads the number and the name that Meta shows of an account. Throws GraphError and GraphUnreachable. */
export async function readIdentity(
  graph: Graph,
  account: CloudAccount,
): Promise<{ phone: string; name: string }> {
  const fields = 'display_phone_number,verified_name'
  const found = await graph.get(
    account,
    `${encodeURIComponent(account.phoneNumberId)}?fields=${fields}`,
  )
  const phone = (textOf(found['display_phone_number']) ?? '').replaceAll(/\D/g, '')
  return { phone, name: textOf(found['verified_name']) ?? '' }
}

/**
 * Opens the session of an account of the official API. There is no connection: the session is connected while Meta can
 * be reached and accepts the token.
 */
export function openCloudSession(deps: {
  clock: Clock
  activity: PendingWork
  graph: Graph
  account: NetworkAccount
  listener: NetworkListener
  onError: (error: unknown) => void
}): NetworkSession {
  const { clock, activity, graph, account, listener, onError } = deps
  const { credentials } = account
  const ending = Promise.withResolvers<void>()
  let own: CloudAccount | null = null
  let state: 'opening' | 'connected' | 'away' | 'ended' = 'opening'
  let connectedAt = 0
  let failures = 0
  let timer: Timer | null = null

  const inBackground = (work: () => Promise<void>) => void activity.run(work).catch(onError)
  const over = () => state === 'ended'

  /** Retries until the listener has committed the receipts: nothing else reports them again. */
  async function reportUntilCommitted(receipts: Receipt[]): Promise<void> {
    while (!over()) {
      try {
        await listener.onReceipts(receipts)
        return
      } catch (error) {
        onError(error)
        await Promise.race([delay(clock, REPORT_RETRY_MS), ending.promise])
      }
    }
  }

  const sent = createSentMessages({ clock, activity, credentials })
  const sender = createCloudSender({
    clock,
    graph,
    sent,
    report: (receipts) => inBackground(() => reportUntilCommitted(receipts)),
    onNumber: (typed, phone) =>
      inBackground(() =>
        listener.onEvents([{ kind: 'number', typed, phone, at: clock.now(), id: null }]),
      ),
  })
  const readWebhook = createWebhookReader({ sent, listener, connectedAt: () => connectedAt })

  function stop(): void {
    state = 'ended'
    timer?.cancel()
    ending.resolve()
  }

  async function end(reason: 'logged_out'): Promise<void> {
    if (over()) return
    stop()
    await listener.onStatus({ status: 'LOGGED_OUT', reason })
  }

  async function lose(): Promise<void> {
    if (state !== 'connected') return
    state = 'away'
    await listener.onStatus({ status: 'DISCONNECTED', reason: 'network', willReconnect: true })
    scheduleCheck(MIN_RETRY_MS)
  }

  /** Meta accepts the account: reports whose it is the first time, and that it is connected. */
  async function settle(known: CloudAccount): Promise<void> {
    const { phone, name } = await readIdentity(graph, known)
    const identity = JSON.stringify({ phone, name, phoneNumberId: known.phoneNumberId })
    const before = (await credentials.read(IDENTITY.kind, IDENTITY.id))?.toString()
    if (over()) return
    if (before !== identity && state !== 'connected') {
      const paired = { phone, lid: null, profileName: name, business: true }
      await listener.onStatus({ status: 'PAIRED', ...paired })
      await credentials.save([{ ...IDENTITY, value: Buffer.from(identity) }])
    }
    if (state === 'connected' || over()) return
    state = 'connected'
    connectedAt = clock.now()
    await listener.onStatus({ status: 'CONNECTED' })
  }

  /** Returns whether the account is connected. */
  async function check(): Promise<boolean> {
    try {
      own = await readAccount(credentials)
      if (own) await settle(own)
      else await end('logged_out')
      return own !== null
    } catch (error) {
      if (isRejected(error)) await end('logged_out')
      else {
        onError(error)
        await lose()
      }
      return false
    }
  }

  function scheduleCheck(ms: number): void {
    timer?.cancel()
    if (!over()) timer = clock.after(ms, () => inBackground(checkAndSchedule))
  }

  async function checkAndSchedule(): Promise<void> {
    const settled = await check()
    failures = settled ? 0 : failures + 1
    scheduleCheck(settled ? CHECK_MS : Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** failures))
  }

  function requireAccount(): CloudAccount {
    if (!own || state !== 'connected')
      throw new Error(`instance ${account.instanceId} is not connected to the Cloud API`)
    return own
  }

  inBackground(checkAndSchedule)
  return {
    ...createCloudCommands({ graph, account: requireAccount, sent }),
    async send(messages) {
      try {
        return await sender.send(requireAccount(), messages, over)
      } catch (error) {
        if (error instanceof AccountRejected) await end('logged_out')
        else if (error instanceof GraphUnreachable) await lose()
        throw error
      }
    },
    async receive({ payload }) {
      await readWebhook(payload, requireAccount().phoneNumberId)
      return null
    },
    download: (source) => {
      const { cloudMediaId } = source as { cloudMediaId?: string }
      if (!cloudMediaId) throw new NetworkRejection('unknown')
      return graph.download(requireAccount(), cloudMediaId)
    },
    requestCode: async () => {},
    requestPairingCode: async () => null,
    async logout() {
      const known = own
      stop()
      if (!known) return false
      // Meta goes back to the address of the app; a failure leaves webhooks that are rejected.
      const off = { webhook_configuration: { override_callback_uri: '' } }
      return graph.post(known, known.phoneNumberId, off).then(
        () => true,
        (error: unknown) => {
          onError(error)
          return false
        },
      )
    },
    async close() {
      stop()
    },
  }
}
