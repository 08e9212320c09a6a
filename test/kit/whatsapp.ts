import assert from 'node:assert/strict'
import { pino } from 'pino'
import { createPendingWork } from '../../src/kernel/pending-work.ts'
import { createAddressPolicy, parseCidr } from '../../src/kernel/address-policy.ts'
import { createSystemClock } from '../../src/kernel/clock.ts'
import { createResolver } from '../../src/platform/egress/resolver.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { createEgress } from '../../src/platform/egress/safe-fetch.ts'
import {
  createRecordingListener,
  createMemoryCredentials,
  type ReportedEvents,
} from '../../src/networks/conformance.ts'
import type { CredentialStore, NetworkSession } from '../../src/networks/network.port.ts'
import { createWhatsApp } from '../../src/networks/whatsapp/whatsapp.ts'
import { root } from './whatsapp-server/certificate.ts'
import { trustLoopback } from './whatsapp-server/media-host.ts'
import type { Person } from './whatsapp-server/person.ts'
import { WhatsAppServer } from './whatsapp-server/server.ts'
import { unrefTimers } from './whatsapp-server/unref-timers.ts'

const LONGEST_MS = 60_000
/** The wire is quiet after this time and this many event-loop turns; on a busy machine, time alone proves little. */
const QUIET_MS = 100
const QUIET_TURNS = 500

/** An account on WhatsApp, its phone, and a contact. */
export type Account = {
  session: NetworkSession
  heard: ReportedEvents
  credentials: CredentialStore
  own: Person
  ana: Person
  /** Closes the session and opens another. */
  reopen(): Promise<void>
  /** Simulates the death of the process: pending work never finishes, and a new session takes over. */
  kill(): Promise<void>
}
/** The adapter and protocol server returned by `startWhatsApp`. */
export type WhatsAppKit = Awaited<ReturnType<typeof startWhatsApp>>

/** Starts the WhatsApp adapter and the protocol server, with helpers to wait for the traffic between them. */
export async function startWhatsApp() {
  unrefTimers()
  trustLoopback()
  const server = new WhatsAppServer()
  await server.listen()
  const errors: unknown[] = []
  const clock = createSystemClock()
  const loopback = parseCidr('127.0.0.0/8')
  assert.ok(loopback)
  const policy = createAddressPolicy({ allow: [loopback], deny: [] })
  const resolver = createResolver({ clock, servers: [] })
  const egress = createEgress({ clock, policy, resolver, proxy: null, maxSockets: 100 })
  const network = createWhatsApp({
    clock,
    egress,
    policy,
    activity: createPendingWork(),
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
    settings: {
      url: new URL(server.url),
      rootKey: Buffer.from(root.public),
      version: null,
      versionUrl: null,
    },
    onError: (error) => void errors.push(error),
  })
  assert.ok(network, 'baileys is not installed')
  const whatsapp = network
  const sessions = new Set<NetworkSession>()
  let made = 0

  /** Polls `so` until it is true. Rejects after a minute. */
  async function until(so: () => boolean, what: string): Promise<void> {
    const end = performance.now() + LONGEST_MS
    while (!so()) {
      if (performance.now() > end) {
        throw new Error(
          `timed out after ${LONGEST_MS} ms: ${what}: ${errors.map(String).join('; ')}`,
        )
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Resolves when no frame has arrived for a while and none is waiting to be sent. */
  async function quiet(): Promise<void> {
    let since = performance.now()
    let turns = 0
    await until(() => {
      if (server.lastHeardAt > since || server.waiting() > 0) {
        since = performance.now()
        turns = 0
      }
      return ++turns > QUIET_TURNS && performance.now() - since > QUIET_MS
    }, 'quiet')
  }

  async function open(): Promise<Account> {
    const number = ++made
    const own = server.person(`55119${70_000_000 + number}`, 'Loja')
    const ana = server.person(`55119${80_000_000 + number}`, 'Ana')
    const { reportedEvents: heard, listener } = createRecordingListener()
    const credentials = createMemoryCredentials()
    const never = new Promise<never>(() => {})
    let current = { over: false }
    const start = () => {
      const mine = { over: false }
      current = mine
      // After `kill`, nothing finishes; before it, `slowness` delays every database call.
      const later = async <T>(work: () => Promise<T>): Promise<T> => {
        for (let turn = 0; turn < kit.slowness; turn++) await new Promise(setImmediate)
        if (kit.databaseAway) throw new Error('the database is away')
        return mine.over ? never : work()
      }
      const session = whatsapp.open(
        {
          instanceId: `ins_${number}`,
          projectId: 'prj_x',
          mode: 'production' as const,
          credentials: {
            load: (kind) => later(() => credentials.load(kind)),
            read: (kind, id) => later(() => credentials.read(kind, id)),
            readMany: (kind, ids) => later(() => credentials.readMany(kind, ids)),
            save: (entries) => later(() => credentials.save(entries)),
            clear: () => later(() => credentials.clear()),
          },
          settings: {
            proxyUrl: null,
            rejectCalls: false,
            downloadMedia: true,
            historySync: 'recent' as const,
          },
        },
        {
          onCode: (code) => later(() => listener.onCode(code)),
          onStatus: (change) => later(() => listener.onStatus(change)),
          onRestriction: (restriction) => later(() => listener.onRestriction(restriction)),
          onMessages: (messages) => later(() => listener.onMessages(messages)),
          onHistory: (messages) => later(() => listener.onHistory(messages)),
          onReceipts: (receipts) => later(() => listener.onReceipts(receipts)),
          onEvents: (happenings) => later(() => listener.onEvents(happenings)),
        },
      )
      sessions.add(session)
      return session
    }
    const one: Account = {
      session: start(),
      heard,
      credentials,
      own,
      ana,
      async reopen() {
        const before = heard.statuses.length
        await one.session.close()
        one.session = start()
        await until(() => heard.statuses.length > before, 'to connect again')
      },
      async kill() {
        current.over = true
        server.cut(own)
        const before = heard.statuses.length
        const left = one.session
        one.session = start()
        await until(() => heard.statuses.length > before, 'to take over')
        await left.close()
        sessions.delete(left)
      },
    }
    return one
  }

  const last = ({ heard }: Account) => heard.statuses.at(-1)?.status

  const kit = {
    server,
    until,
    quiet,
    open,
    last,
    egress,
    errors,
    databaseAway: false,
    slowness: 0,
    async paired(): Promise<Account> {
      const account = await open()
      await until(() => account.heard.codes.length > 0, 'a code')
      server.pairing.scan(account.own, account.heard.codes[0]?.code ?? '')
      await until(() => last(account) === 'CONNECTED', 'to connect')
      await until(() => server.groups.listed.has(account.own), 'its groups')
      return account
    },
    async close(): Promise<void> {
      for (const session of sessions) await session.close()
      await server.close()
      await egress.close()
      assert.deepEqual(server.surprises, [])
    },
  }
  return kit
}
