import { delay, type Clock, type Timer } from '../../kernel/clock.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { NetworkListener, SessionIdentity, SessionStatus } from '../network-events.port.ts'
import { NetworkRejection, type NetworkAccount, type NetworkSession } from '../network.port.ts'
import { KIND, readAccount, type CloudAccount } from './account.ts'
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
const LEARNED_MS = 24 * 3600_000
/** How long closing a session waits for pending responses. */
const CLOSE_MS = 5000
type State = 'opening' | 'connected' | 'away' | 'ended'
/** The status reported for each state. */
const STATUS: Record<State, SessionStatus> = {
  // Never reported: this is the initial state.
  opening: { status: 'DISCONNECTED', reason: 'network', willReconnect: true },
  connected: { status: 'CONNECTED' },
  away: { status: 'DISCONNECTED', reason: 'network', willReconnect: true },
  ended: { status: 'LOGGED_OUT', reason: 'logged_out' },
}
const IDENTITY = { kind: KIND, id: 'self' }

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
  /** Has Meta send the number's webhooks here, unless that has worked before. */
  direct: (account: CloudAccount) => Promise<void>
  onError: (error: unknown, task?: string) => void
}): NetworkSession {
  const { clock, activity, graph, account, listener, onError } = deps
  const { credentials } = account
  const closing = Promise.withResolvers<void>()
  /** The sends in progress. */
  const running = new Set<Promise<void>>()
  let closed = false
  let own: CloudAccount | null = null
  let state: State = 'opening'
  let identity: SessionIdentity | null = null
  let connectedAt = 0
  let failures = 0
  let timer: Timer | null = null

  const inBackground = (work: () => Promise<void>) => void activity.run(work).catch(onError)
  const over = () => closed || state === 'ended'

  /** Retries until the listener has stored the report, because it will not be repeated. */
  async function untilStored(work: () => Promise<void>): Promise<void> {
    do {
      try {
        await work()
        return
      } catch (error) {
        onError(error, 'storing a report')
        await Promise.race([delay(clock, REPORT_RETRY_MS), closing.promise])
      }
    } while (!closed)
  }

  let reported: State = 'opening'
  let telling: Promise<void> | null = null
  /** Reports the state until the current one is stored. */
  function reportState(): Promise<void> {
    const run = async () => {
      while (reported !== state && !closed) {
        const now = state
        const report = STATUS[now]
        const own = now === 'connected' ? { identity } : {}
        await untilStored(() => listener.onStatus({ ...report, ...own }))
        reported = now
      }
    }
    telling ??= run().finally(() => (telling = null))
    return telling
  }

  const learned = new Map<string, number>()
  /** Reports Meta's spelling of a number, at most once a day: what is stored about a number expires after a month. */
  async function learn(pairs: { typed: string; phone: string }[]): Promise<void> {
    const now = clock.now()
    const fresh = pairs.filter(
      ({ typed, phone }) =>
        typed !== phone && (learned.get(`${typed} ${phone}`) ?? -Infinity) < now - LEARNED_MS,
    )
    if (fresh.length === 0) return
    if (learned.size + fresh.length > MAX_LEARNED) learned.clear()
    await listener.onEvents(fresh.map((pair) => ({ kind: 'number', ...pair, at: now, id: null })))
    for (const { typed, phone } of fresh) learned.set(`${typed} ${phone}`, now)
  }

  const sent = createSentMessages({ clock, activity, credentials })
  const sender = createCloudSender({
    clock,
    graph,
    sent,
    report: (receipts) => inBackground(() => untilStored(() => listener.onReceipts(receipts))),
    onNumber: (typed, phone) => inBackground(() => learn([{ typed, phone }])),
    onTrouble: () => inBackground(checkAndSchedule),
    connectedAt: () => connectedAt,
  })
  const readWebhook = createWebhookReader({
    sent,
    listener,
    learn,
    connectedAt: () => connectedAt,
  })

  /** Handles an accepted account: reports its identity the first time, and that it is connected. */
  async function settle(known: CloudAccount): Promise<void> {
    const { phone, name } = await readIdentity(graph, known)
    const present = JSON.stringify({ phone, name, phoneNumberId: known.phoneNumberId })
    const before = (await credentials.read(IDENTITY.kind, IDENTITY.id))?.toString()
    if (over()) return
    identity = { phone, lid: null, profileName: name, business: true }
    if (before !== present) {
      if (state !== 'connected') await listener.onStatus({ status: 'PAIRED', ...identity })
      await credentials.save([{ ...IDENTITY, value: Buffer.from(present) }])
      // Meta keeps uploads by number.
      sender.forgetUploads()
    }
    if (state !== 'connected') connectedAt = clock.now()
    state = 'connected'
    await reportState()
    await deps.direct(known)
  }

  /** Ends the session of a rejected account, unless it has been replaced since the check. */
  async function end(asked: CloudAccount | null): Promise<void> {
    const now = await readAccount(credentials)
    if (over() || JSON.stringify(now) !== JSON.stringify(asked)) return
    state = 'ended'
    await reportState()
  }

  /** Queries Meta for the number and updates the state accordingly. Returns whether it is connected. */
  async function check(): Promise<boolean> {
    let asked: CloudAccount | null = null
    try {
      asked = await readAccount(credentials)
      own = asked
      if (asked) await settle(asked)
      else await end(null)
    } catch (error) {
      if (isAccessLost(error)) await end(asked)
      else {
        onError(error, 'checking the account')
        const isMeta =
          error instanceof GraphError ||
          error instanceof GraphUncertain ||
          error instanceof GraphUnreachable
        // A database error says nothing about Meta, and a throttling response proves that Meta is reachable.
        if (isMeta && !isBusy(error) && state === 'connected') {
          state = 'away'
          await reportState()
        }
      }
    }
    return state === 'connected'
  }

  function scheduleCheck(ms: number): void {
    timer?.cancel()
    if (!over()) timer = clock.after(ms, () => inBackground(checkAndSchedule))
  }

  let checking: Promise<void> | null = null
  /** Runs one check at a time; concurrent callers share its result. */
  function checkAndSchedule(): Promise<void> {
    const run = async () => {
      let isConnected = false
      try {
        isConnected = await check()
      } finally {
        failures = isConnected ? 0 : failures + 1
        const retryMs = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** failures)
        scheduleCheck(failures === 0 ? CHECK_MS : retryMs)
      }
    }
    checking ??= run().finally(() => (checking = null))
    return checking
  }

  function requireAccount(): CloudAccount {
    if (!own || state !== 'connected')
      throw new Error(`instance ${account.instanceId} is not connected to the Cloud API`)
    return own
  }

  inBackground(checkAndSchedule)
  return {
    ...createCloudCommands({ graph, account: requireAccount }),
    async send(messages, until) {
      const sending = sender.send(requireAccount(), messages, over, until)
      const ended = sending.then(
        () => {},
        () => {},
      )
      running.add(ended)
      void ended.finally(() => running.delete(ended))
      try {
        return await sending
      } catch (error) {
        // A check of the number shows whether the account or Meta is the cause.
        const isMeta = error instanceof AccountRejected || error instanceof GraphUnreachable
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
    // Meta has no session to end. Its webhooks are rejected from now on: another instance may use the number.
    async logout() {
      state = 'ended'
      timer?.cancel()
      return own !== null
    },
    async close() {
      closed = true
      timer?.cancel()
      closing.resolve()
      // Wait for pending responses, which can be stored only while this node owns the instance.
      if (running.size === 0) return
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const limit = clock.after(CLOSE_MS, resolve)
      await Promise.race([Promise.all(running), late])
      limit.cancel()
    },
  }
}
