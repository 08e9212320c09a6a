import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { hashPassword } from '../../src/company/accounts/password.ts'
import { createApp, type App } from '../../src/app/app.ts'
import type { Overrides } from '../../src/app/create-modules.ts'
import { createOperator } from '../../src/operations/operator.ts'
import type { Bus } from '../../src/platform/bus/bus.port.ts'
import { createLocalTopics } from '../../src/platform/bus/local-topics.ts'
import { installationSecret } from '../../src/platform/db/storage.ts'
import { parseConfig, type Config } from '../../src/kernel/config/config.ts'
import type { DatabaseAddress } from '../../src/platform/db/driver.ts'
import { openDatabase, type Database } from '../../src/platform/db/database.ts'
import type { Mail, RecentMail } from '../../src/platform/mail/mail.port.ts'
import { createClient, type Client } from './client.ts'
import { TEMPLATE } from './global-setup.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'
import { startReceiver, type Receiver } from './receiver.ts'
import { checkResponse } from './openapi-check.ts'

/** Host header of each mode. */
export const HOSTS = { test: 'sandbox.recado.test', production: 'api.recado.test' } as const
/** Password of every user that `project` creates. */
export const PASSWORD = 'uma senha bem longa'
type Mode = keyof typeof HOSTS
/** Hash of `PASSWORD`, at a cost that lets thousands of tests sign in. */
const cheapHash = hashPassword(PASSWORD, { memory: 8, passes: 1, parallelism: 1 })
let made = 0

/** A Project, its account and the e-mail address of its owner. */
export type Project = { projectId: string; accountId: string; email: string }
/** A connected instance, its virtual phone, and the API paths of both. */
export type Paired = { id: string; phone: string; phoneId: string; base: string; phoneBase: string }

/** A real server on its own database, with helpers to create resources and to control time. */
export type TestApp = {
  app: App
  config: Config
  db: Database
  clock: ManualClock
  port: number
  mails: Mail[]
  /** Addresses for which sending mail fails. */
  refusedMails: Set<string>
  /** Holds the mails that are sent from now on until the returned function is called. */
  holdMails(): () => void
  logs: string[]
  /** Resolves when no work is in flight on any node. */
  settle(): Promise<void>
  /** Settles, advances time, and settles again. */
  jump(ms: number): Promise<void>
  /** Creates an HTTP client; `at` is the port of another node. */
  client(mode: Mode, token?: string | null, at?: number): Client
  operator: ReturnType<typeof createOperator>
  /** Creates a confirmed account with a Project; by default subscribed and with 1,000 credits. */
  project(options?: { subscribed?: boolean; credits?: number }): Promise<Project>
  /** Returns a client signed in as the Project's owner. */
  login(project: Project, mode?: Mode): Promise<Client>
  /** Returns a client with a new key. */
  key(project: Project, mode?: Mode): Promise<Client & { key: string; keyId: string }>
  /** Creates an instance and a virtual phone, and pairs them. */
  pair(api: Client, name?: string, phone?: object, fields?: object): Promise<Paired>
  /** Fetches /metrics with its token. */
  metrics(): Promise<string>
  /** Starts a webhook endpoint, closed with the app. */
  receiver(): Promise<Receiver>
  /**
   * Starts another node on the same database. `busCut` isolates its bus from the other nodes, `idle` marks it as draining so
   * that it holds no sessions, and `ownMedia` gives it a separate media folder.
   */
  node(options?: { busCut?: boolean; idle?: boolean; ownMedia?: boolean }): Promise<App>
  /** Creates another virtual phone. */
  phone(api: Client, body?: object): Promise<{ id: string; phone: string; base: string }>
  close(): Promise<void>
}

const rethrow = (error: unknown) => {
  throw error
}
/** A bus that delivers only within its own node. */
export const cutBus = (): Bus => ({
  ...createLocalTopics(rethrow),
  connected: () => true,
  close: async () => {},
})

/** Copies the migrated template database; `drop` removes the copy. */
export async function createDatabase(): Promise<{ database: Database; drop: () => Promise<void> }> {
  const given = process.env['RECADO_TEST_DATABASE']
  assert.ok(given, 'run the tests with npm test: they need its global setup')
  const address = JSON.parse(given) as Exclude<DatabaseAddress, { url: string }>
  const name = `test_${process.pid}_${++made}`
  // Copying takes longer than a statement may while many tests start.
  const server = openDatabase(address, 1, 'patient')
  await server.system`create database ${server.sql(name)} template ${server.sql(TEMPLATE)} strategy file_copy`
  const database = openDatabase({ ...address, database: name }, 14)
  return {
    database,
    async drop() {
      await server.system`drop database ${server.sql(name)} with (force)`
      await server.close(1)
    },
  }
}

/** Starts a real server on its own database, with a clock that stands still until the test advances it. */
export async function startTestApp(
  env: Record<string, string> = {},
  {
    recentMails,
    ...overrides
  }: Pick<Overrides, 'bus' | 'whatsapp' | 'stripe'> & {
    /** The mails that a server without SMTP shows in the panel. */
    recentMails?: () => RecentMail[]
  } = {},
): Promise<TestApp> {
  const { database, drop } = await createDatabase()
  const dataDir = mkdtempSync(join('/tmp', 'recado-data-'))
  chmodSync(dataDir, 0o711)
  const config = parseConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    PUBLIC_URL: `http://${HOSTS.production}`,
    SANDBOX_URL: `http://${HOSTS.test}`,
    PRODUCTION_NETWORK: 'simulator',
    METRICS_TOKEN: 'a-token-of-the-tests',
    EGRESS_ALLOW: '127.0.0.1/32',
    ...env,
  })
  const clock = createManualClock()
  const mails: Mail[] = []
  const refusedMails = new Set<string>()
  let mailsMaySend = Promise.resolve()
  const logs: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void logs.push(line) })
  const storage = {
    database,
    relocatedTo: null,
    restartDatabase: async () => {},
    [Symbol.asyncDispose]: () => database.close(2),
  }
  const mailer = {
    async send(mail: Mail) {
      await mailsMaySend
      if (refusedMails.has(mail.to))
        throw Object.assign(new Error('550 mailbox full'), { code: 'EENVELOPE', responseCode: 550 })
      mails.push(mail)
    },
    ...(recentMails ? { recent: recentMails } : {}),
  }
  const app = await createApp(config, { clock, logger, storage, mailer, ...overrides })
  const port = await app.listen()
  const operator = createOperator(config, database)

  const receivers: Receiver[] = []
  const close = async () => {
    for (const other of others) await other[Symbol.asyncDispose]()
    await app[Symbol.asyncDispose]()
    await drop()
    for (const dir of otherDirs) rmSync(dir, { recursive: true, force: true })
    for (const receiver of receivers) receiver.close()
    rmSync(dataDir, { recursive: true, force: true })
  }

  const others: App[] = []
  const otherDirs: string[] = []
  async function node({ busCut = false, idle = false, ownMedia = false } = {}): Promise<App> {
    const dir = mkdtempSync(join('/tmp', 'recado-data-'))
    otherDirs.push(dir)
    // Nodes share their files, on a volume or in S3.
    if (!ownMedia) symlinkSync(join(config.dataDir, 'media'), join(dir, 'media'))
    const shared = { ...storage, [Symbol.asyncDispose]: async () => {} }
    const parts = { clock, logger, storage: shared, mailer, ...(busCut ? { bus: cutBus() } : {}) }
    // Nodes of one installation share its master key.
    const masterKey = installationSecret(config.dataDir, 'master.key', 32)
    const other = await createApp({ ...config, dataDir: dir, masterKey }, parts)
    others.push(other)
    const nodeId = `node-${installationSecret(dir, 'node-id', 12)}`
    if (idle) await database.system`update node set draining = true where id = ${nodeId}`
    return other
  }

  async function settle(): Promise<void> {
    const apps = [app, ...others]
    do for (const one of apps) await one.activity.idle()
    while (apps.some((one) => one.activity.busy() > 0))
  }
  const client: TestApp['client'] = (mode, token = null, at = port) =>
    createClient({ port: at, host: HOSTS[mode], token, check: checkResponse })

  const login: TestApp['login'] = async ({ email }, mode = 'test') => {
    const body = { email, password: PASSWORD }
    const { body: tokens } = await client(mode).post('/v1/auth/login', body, {
      'x-token-response': 'body',
    })
    return client(mode, tokens.accessToken)
  }

  return {
    app,
    config,
    db: database,
    clock,
    port,
    mails,
    refusedMails,
    holdMails() {
      const { promise, resolve } = Promise.withResolvers<void>()
      mailsMaySend = promise
      return resolve
    },
    logs,
    settle,
    client,
    operator,
    login,
    node,
    close,
    async jump(ms) {
      await settle()
      clock.jump(ms)
      await settle()
    },
    async project({ subscribed = true, credits = 1e3 } = {}) {
      const input = {
        company: 'Padaria',
        taxId: '11222333000181',
        email: `dono-${++made}@empresa.com.br`,
        password: PASSWORD,
      }
      const project = await operator.accounts.create(database, input, true)
      const { projectId } = project
      await database.system`update app_user set password_hash = ${await cheapHash} where email = ${input.email}`
      if (subscribed) {
        const settings = { subscription: 'active' as const }
        await operator.projects.set(database, projectId, 'subscription.set', settings)
      }
      if (credits > 0) await operator.billing.grant(database, projectId, credits)
      return project
    },
    async key(project, mode = 'test') {
      const user = await login(project, mode)
      const { body } = await user.post('/v1/keys', { name: 'Teste' })
      return {
        ...client(mode, body.key),
        key: body.key as string,
        keyId: body.id as string,
      }
    },
    async pair(api, name = 'Atendimento', own = {}, fields = {}) {
      const { body: instance } = await api.post('/v1/instances', { name, ...fields })
      const { body: phone } = await api.post('/v1/simulator/phones', {
        name,
        ...own,
      })
      const base = `/v1/instances/${instance.id}`
      const phoneBase = `/v1/simulator/phones/${phone.id}`
      await api.get(`${base}/qr/poll`)
      await settle()
      const { body: qr } = await api.get(`${base}/qr/poll`)
      const scanned = await api.post(`${phoneBase}/scan`, { code: qr.code })
      assert.equal(scanned.status, 200)
      await settle()
      const { body: shown } = await api.get(base)
      assert.equal(shown.status, 'CONNECTED')
      return {
        id: instance.id,
        phone: phone.phone,
        phoneId: phone.id,
        base,
        phoneBase,
      }
    },
    async metrics() {
      const reader = createClient({
        port,
        host: HOSTS.production,
        token: config.metricsToken,
        check: checkResponse,
      })
      return (await reader.get('/metrics')).text
    },
    async receiver() {
      const receiver = await startReceiver()
      receivers.push(receiver)
      return receiver
    },
    async phone(api, body = {}) {
      const { body: phone } = await api.post('/v1/simulator/phones', {
        name: 'Ana',
        ...body,
      })
      return {
        id: phone.id,
        phone: phone.phone,
        base: `/v1/simulator/phones/${phone.id}`,
      }
    },
  }
}
