import { delay, type Clock, type Timer } from '../../kernel/clock.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { NetworkListener } from '../network-events.port.ts'
import { NetworkRejection, type NetworkAccount, type NetworkSession } from '../network.port.ts'
import { readAccount, type CloudAccount } from './account.ts'
import { createCloudCommands } from './commands.ts'
import { isAccessLost, isBusy } from './failures.ts'
import { GraphError, GraphUncertain, GraphUnreachable, type Graph } from './graph.ts'
import { createWebhookReader } from './receive-webhook.ts'
import { AccountRejected, createCloudSender } from './send-messages.ts'
import { createSentMessages } from './sent-messages.ts'
import { textOf } from './unknown.ts'

/** How often the token of a connected account is checked. */
const CHECK_MS = 10 * 60_000
const MIN_RETRY_MS = 1000
const MAX_RETRY_MS = 60_000
const REPORT_RETRY_MS = 1000
const MAX_LEARNED = 10_000
type State = 'opening' | 'connected' | 'away' | 'ended'
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
  /** Has Meta send the number's webhooks here, unless it does already. */
  direct: (account: CloudAccount) => Promise<boolean>
  onError: (error: unknown) => void
}): NetworkSession {
  const { clock, activity, graph, account, listener, onError } = deps
  const { credentials } = account
  const closing = Promise.withResolvers<void>()
  let closed = false
  let own: CloudAccount | null = null
  let state: State = 'opening'
  let connectedAt = 0
  let failures = 0
  let timer: Timer | null = null

  const inBackground = (work: () => Promise<void>) => void activity.run(work).catch(onError)
  const over = () => closed || state === 'ended'

  /** Retries until the listener has committed what it is told: nothing else reports it again. */
  async function untilStored(work: () => Promise<void>): Promise<void> {
    while (!closed) {
      try {
        await work()
        return
      } catch (error) {
        onError(error)
        await Promise.race([delay(clock, REPORT_RETRY_MS), closing.promise])
      }
    }
  }

  const learned = new Set<string>()
  /** Reports how Meta writes a number, once. */
  async function learn(typed: string, phone: string): Promise<void> {
    if (typed === phone || learned.has(`${typed} ${phone}`)) return
    if (learned.size >= MAX_LEARNED) learned.clear()
    await listener.onEvents([{ kind: 'number', typed, phone, at: clock.now(), id: null }])
    learned.add(`${typed} ${phone}`)
  }

  const sent = createSentMessages({ clock, activity, credentials })
  const sender = createCloudSender({
    clock,
    graph,
    sent,
    report: (receipts) => inBackground(() => untilStored(() => listener.onReceipts(receipts))),
    onNumber: (typed, phone) => inBackground(() => learn(typed, phone)),
  })
  const readWebhook = createWebhookReader({
    sent,
    listener,
    learn,
    connectedAt: () => connectedAt,
  })

  async function end(): Promise<void> {
    if (over()) return
    state = 'ended'
    await untilStored(() => listener.onStatus({ status: 'LOGGED_OUT', reason: 'logged_out' }))
  }

  async function lose(): Promise<void> {
    if (state !== 'connected') return
    state = 'away'
    const lost = { status: 'DISCONNECTED', reason: 'network', willReconnect: true } as const
    await untilStored(() => listener.onStatus(lost))
  }

  /** Meta accepts the account: reports whose it is the first time, and that it is connected. */
  async function settle(known: CloudAccount): Promise<void> {
    const { phone, name } = await readIdentity(graph, known)
    const identity = JSON.stringify({ phone, name, phoneNumberId: known.phoneNumberId })
    const before = (await credentials.read(IDENTITY.kind, IDENTITY.id))?.toString()
    if (state === 'connected' || over()) return
    if (before !== identity) {
      const paired = { phone, lid: null, profileName: name, business: true }
      await listener.onStatus({ status: 'PAIRED', ...paired })
      await credentials.save([{ ...IDENTITY, value: Buffer.from(identity) }])
    }
    if (over()) return
    state = 'connected'
    connectedAt = clock.now()
    await untilStored(() => listener.onStatus({ status: 'CONNECTED' }))
    // The company may have moved here from another installation, or the number from another instance.
    inBackground(async () => void (await deps.direct(known)))
  }

  /** Asks Meta for the number: connects, loses or ends the session by the answer. Returns whether it is connected. */
  async function check(): Promise<boolean> {
    try {
      own = await readAccount(credentials)
      if (own) await settle(own)
      else await end()
    } catch (error) {
      if (isAccessLost(error)) await end()
      else {
        onError(error)
        const isMeta =
          error instanceof GraphError ||
          error instanceof GraphUncertain ||
          error instanceof GraphUnreachable
        // An error of the database says nothing about Meta, and one that asks to come back later proves it is there.
        if (isMeta && !isBusy(error)) await lose()
      }
    }
    return state === 'connected'
  }

  function scheduleCheck(ms: number): void {
    timer?.cancel()
    if (!over()) timer = clock.after(ms, () => inBackground(checkAndSchedule))
  }

  async function checkAndSchedule(): Promise<void> {
    try {
      failures = (await check()) ? 0 : failures + 1
    } finally {
      scheduleCheck(
        failures === 0 ? CHECK_MS : Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** failures),
      )
    }
  }

  function requireAccount(): CloudAccount {
    if (!own || state !== 'connected')
      throw new Error(`instance ${account.instanceId} is not connected to the Cloud API`)
    return own
  }

  inBackground(checkAndSchedule)
  return {
    ...createCloudCommands({ graph, account: requireAccount }),
    async send(messages) {
      try {
        return await sender.send(requireAccount(), messages, over)
      } catch (error) {
        // Whether the account, Meta or only this message is the cause, Meta's answer about the number tells.
        const isMeta =
          error instanceof AccountRejected ||
          error instanceof GraphUnreachable ||
          error instanceof GraphUncertain
        if (isMeta && !over()) await checkAndSchedule()
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
    // Meta has no session to end. Its webhooks still come, and are rejected: the number may be another instance's by now.
    async logout() {
      state = 'ended'
      timer?.cancel()
      return own !== null
    },
    async close() {
      closed = true
      timer?.cancel()
      closing.resolve()
    },
  }
}
