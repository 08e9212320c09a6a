// Runs the adapter with credentials in PostgreSQL. Accepts the IPC commands of `whatsapp-bare.ts`.
import { pino } from 'pino'
import { parseConfig } from '../src/kernel/config/config.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { openStorage } from '../src/platform/db/storage.ts'
import { createCredentialStores } from '../src/instances/credentials.ts'
import { createPendingWork } from '../src/kernel/pending-work.ts'
import { createAddressPolicy } from '../src/kernel/address-policy.ts'
import { createSystemClock } from '../src/kernel/clock.ts'
import { createResolver } from '../src/platform/egress/resolver.ts'
import { createMetrics } from '../src/platform/metrics/metrics.ts'
import { createEgress } from '../src/platform/egress/safe-fetch.ts'
import { createSeal } from '../src/kernel/seal.ts'
import type { NetworkSession } from '../src/networks/network.port.ts'
import { createWhatsApp } from '../src/networks/whatsapp/whatsapp.ts'
import { makeDataDir, removeDataDir } from '../test/kit/process.ts'
import type { BareOrders } from './whatsapp-bare.ts'
import { measureMemory, serveCommands } from './orders.ts'

const [url = '', key = ''] = process.argv.slice(2)
const dataDir = makeDataDir()
const config = parseConfig({
  DATA_DIR: dataDir,
  EGRESS_ALLOW: '127.0.0.1/32',
  WHATSAPP_URL: url,
  WHATSAPP_ROOT_KEY: key,
})
const storage = await openStorage(config, 'server')
const db = storage.database
await migrate(db)
const clock = createSystemClock()
const seal = createSeal('x'.repeat(32))
const policy = createAddressPolicy(config.egress)
const resolver = createResolver({ clock, servers: null })
const onError = (error: unknown) => void process.stderr.write(`${String(error)}\n`)
const network = createWhatsApp({
  clock,
  policy,
  onError,
  activity: createPendingWork(),
  logger: pino({ level: 'error' }),
  egress: createEgress({
    clock,
    policy,
    resolver,
    proxy: null,
    maxSockets: 1e3,
  }),
  metrics: createMetrics(),
  settings: config.whatsapp,
})
const storeOf = createCredentialStores({ db, activity: createPendingWork(), seal, owner: null })
const sessions: NetworkSession[] = []
let received = 0
let sent = 0

function open(phone: string): Promise<void> {
  return new Promise((resolve) => {
    const instanceId = `ins_${phone}`
    const settings = {
      proxyUrl: null,
      rejectCalls: false,
      downloadMedia: true,
      historySync: 'none' as const,
    }
    const account = { instanceId, projectId: 'prj_x', mode: 'production' as const, settings }
    const credentials = storeOf(instanceId)
    const session = network?.open(
      { ...account, credentials },
      {
        onCode: async ({ code }) => void process.send?.({ phone, code }),
        onHistory: async () => {},
        onRestriction: async () => {},
        async onStatus({ status }) {
          if (status === 'CONNECTED') resolve()
        },
        onMessages: async (messages) => void (received += messages.length),
        async onReceipts(receipts) {
          sent += receipts.filter(({ status }) => status === 'sent').length
        },
        onEvents: async () => {},
      },
    )
    if (session) sessions.push(session)
  })
}

const orders: BareOrders = {
  open: async ({ phones }) => {
    for (let at = 0; at < phones.length; at += 10) {
      await Promise.all(phones.slice(at, at + 10).map(open))
    }
  },
  async send({ to, count }) {
    const [session] = sessions
    const before = sent
    const messages = Array.from({ length: count }, (_, n) => ({
      waMessageId: `3EB0${before + n}`,
      chatId: `${to[n % to.length]}@s.whatsapp.net`,
      chatType: 'direct' as const,
      audience: [],
      media: null,
      quoted: null,
      target: null,
      content: {
        type: 'text' as const,
        text: `mensagem ${n}`,
      },
      mentions: [],
      typingMs: 0,
    }))
    await session?.send(messages)
    while (sent - before < count) await new Promise((resolve) => setTimeout(resolve, 5))
  },
  received: () => received,
  memory: measureMemory,
}

serveCommands(orders)
process.once('SIGTERM', async () => {
  for (const session of sessions) await session.close()
  await storage[Symbol.asyncDispose]()
  removeDataDir(dataDir)
  process.exit(0)
})
process.stdout.write('{}\n')
