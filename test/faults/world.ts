// A server under load for fault injection, with a record of what it has acknowledged.
import { createServer, type Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { parseConfig } from '../../src/kernel/config/config.ts'
import { findDrift } from '../../src/company/billing/billing.sql.ts'
import { openDatabase, type Database } from '../../src/platform/db/database.ts'
import { callServer } from '../kit/call.ts'
import { foundCompanies, OWNER } from '../kit/company.ts'
import { findPort, run, type Run } from '../kit/process.ts'
import { createEmbeddedHost, type DatabaseHost } from './database-host.ts'

/** Number of concurrent clients that generate the load. */
export const LOAD_CLIENTS = 16
/** Timeout of `more`; a healthy server accepts the messages long before. */
const ACCEPT_TIMEOUT_MS = 60_000
const DRAIN_TIMEOUT_MS = 150_000

/** A server under load, its database and its webhook endpoint. */
export type World = AsyncDisposable & {
  /** The port of the server. */
  port: number
  /** Starts the server and resolves when it is ready. */
  start(): Promise<void>
  server(): Run
  /** Process id of the postmaster. */
  postmaster(): number
  /** Number of messages acknowledged so far. */
  acknowledged(): number
  /** Number of responses with this status so far. */
  answered(status: number): number
  /** Resolves once `count` more messages have been acknowledged. Rejects after a minute. */
  waitForMore(count: number): Promise<void>
  /** Ids of events that the endpoint has accepted but whose delivery is not recorded yet. */
  inFlight(): Promise<Set<string>>
  /** Runs a statement as a superuser. */
  sql(statement: string): Promise<void>
  /** Projects whose balance differs from the sum of their ledger entries. */
  drift(): Promise<object[]>
  /** Stops the load and waits until all acknowledged messages have arrived; those that have not are lost. */
  drain(): Promise<Result>
}
/** Counts after the load has stopped. */
export type Result = {
  acknowledged: number
  lost: string[]
  /** Events that the endpoint accepted more than once. */
  duplicated: string[]
}

/** Starts the company's endpoint: it fails every tenth event once, and records the events it accepted. */
async function startEndpoint() {
  const accepted = new Map<string, number>()
  const refused = new Set<string>()
  const reported = new Set<string>()
  let count = 0
  const server: Server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const id = String(incoming.headers['webhook-id'])
    if (!accepted.has(id) && !refused.has(id) && count++ % 10 === 0) {
      refused.add(id)
      response.writeHead(500).end()
      return
    }
    const { event, data } = JSON.parse(Buffer.concat(chunks).toString()) as {
      event: string
      data: { waMessageId?: string; waMessageIds?: string[]; status?: string }
    }
    if (event === 'message.received') reported.add(data.waMessageId ?? '')
    if (event === 'message.status' && data.status === 'delivered') {
      for (const waMessageId of data.waMessageIds ?? []) reported.add(waMessageId)
    }
    accepted.set(id, (accepted.get(id) ?? 0) + 1)
    response.writeHead(204).end()
  })
  server.on('clientError', (_, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}/`, accepted, told: reported, server }
}

/** Creates a company on a server with this database and puts the server under load. The world disposes of the host. */
export async function createWorld(host: DatabaseHost = createEmbeddedHost()): Promise<World> {
  const port = await findPort()
  const env = {
    DATA_DIR: host.dataDir,
    PORT: String(port),
    PRODUCTION_NETWORK: 'simulator',
    EGRESS_ALLOW: '127.0.0.1/32',
    LOG_LEVEL: 'error',
    ...host.env,
  }
  const config = parseConfig(env)
  const endpoint = await startEndpoint()
  const agent = new Agent({ connections: LOAD_CLIENTS * 2, headersTimeout: 60_000 })
  await foundCompanies(config, 1)

  let server: Run | null = null
  let token = ''
  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    callServer({ port, token, dispatcher: agent }, method, path, body)
  const create = async (path: string, body: object) => (await call('POST', path, body)).body

  async function start(): Promise<void> {
    server = run('src/main.ts', [], env)
    await server.says('Recado está no ar.')
  }

  await start()
  token = String((await create('/v1/auth/login', OWNER))['accessToken'])
  token = String((await create('/v1/keys', { name: 'faltas' }))['key'])
  const instance = await create('/v1/instances', { name: 'Faltas' })
  const phone = await create('/v1/simulator/phones', { name: 'Ana' })
  const base = `/v1/instances/${String(instance['id'])}`
  const phoneBase = `/v1/simulator/phones/${String(phone['id'])}`
  for (;;) {
    const { code } = (await call('GET', `${base}/qr/poll`)).body
    if (code && (await call('POST', `${phoneBase}/scan`, { code })).status === 200) break
  }
  while ((await call('GET', base)).body['status'] !== 'CONNECTED') await pause(10)
  const number = (await call('GET', base)).body['phone']
  const writer = await create('/v1/simulator/phones', { name: 'Bia' })
  await create('/v1/webhooks', { name: 'faltas', url: endpoint.url })

  // Half of the loops send through the API, half from a virtual phone. A 201 guarantees delivery.
  const acknowledgedIds = new Set<string>()
  const statuses = new Map<number, number>()
  let working = true
  async function work(index: number): Promise<void> {
    for (let count = 0; working; count++) {
      const to = `5511${900000000 + (count % 5000) * 10 + 9}`
      const [path, body] =
        index % 2 === 0
          ? [`${base}/messages`, { to, text: `pedido ${count}` }]
          : [
              `/v1/simulator/phones/${String(writer['id'])}/messages`,
              { to: number, type: 'text', text: `resposta ${count}` },
            ]
      try {
        const answer = await call('POST', path, body)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        if (answer.status === 201) acknowledgedIds.add(String(answer.body['waMessageId']))
        // Not connected yet, or the database is unreachable: retry as an API client would.
        else await pause(20)
      } catch {
        await pause(20)
      }
    }
  }
  const loops = Array.from({ length: LOAD_CLIENTS }, (_, index) => work(index))

  /** Runs `act` on a separate database connection, whether or not the server is running. */
  async function withDatabase<T>(act: (database: Database) => Promise<T>): Promise<T> {
    await using database = openDatabase(await host.address(), 1)
    return await act(database)
  }

  /** Logs the state of messages that did not arrive. */
  const explain = (ids: string[]) =>
    withDatabase(async (database) => {
      const rows = await database.system`
        select m.wa_message_id, m.direction, m.status, o.sending, o.due_at, i.status as instance,
          array(select h.status || ' ' || h.at from message_history h where h.message_id = m.id) as history,
          (select string_agg(concat_ws(' ', e.id, e.name, d.attempt, d.visible_at, d.lease_node), ', ')
            from event e left join delivery d on d.event_id = e.id
            where position(m.wa_message_id in e.body) > 0) as events
        from message m join instance i on i.id = m.instance_id
          left join outbox o on o.message_id = m.id where m.wa_message_id = any(${ids})`
      process.stderr.write(
        `${new Date().toISOString()} ${JSON.stringify(rows, null, 1)}\n${server?.output()}\n`,
      )
    })

  return {
    port,
    start,
    server() {
      if (!server) throw new Error('world.server() was called before world.start()')
      return server
    },
    postmaster: host.postmaster,
    acknowledged: () => acknowledgedIds.size,
    answered: (status) => statuses.get(status) ?? 0,
    async waitForMore(count) {
      const goal = acknowledgedIds.size + count
      const until = performance.now() + ACCEPT_TIMEOUT_MS
      while (acknowledgedIds.size < goal) {
        if (performance.now() > until) {
          throw new Error(
            `acknowledged ${acknowledgedIds.size} of ${goal} messages in ${ACCEPT_TIMEOUT_MS} ms:\n${server?.output()}`,
          )
        }
        await pause(1)
      }
    },
    inFlight: () =>
      withDatabase(async (database) => {
        const rows = await database.system<{ eventId: string }[]>`select event_id from delivery`
        const ids = rows.map((row) => row.eventId)
        return new Set(ids.filter((id) => endpoint.accepted.has(id)))
      }),
    sql: (statement) =>
      withDatabase(async (database) => void (await database.system.unsafe(statement))),
    drift: () => withDatabase(async (database) => [...(await findDrift(database))]),
    async drain() {
      working = false
      await Promise.all(loops)
      const missing = () => [...acknowledgedIds].filter((id) => !endpoint.told.has(id))
      const until = performance.now() + DRAIN_TIMEOUT_MS
      while (missing().length > 0 && performance.now() < until) await pause(100)
      const lost = missing()
      if (lost.length > 0) await explain(lost)
      const duplicated = [...endpoint.accepted].flatMap(([id, times]) => (times > 1 ? [id] : []))
      return { acknowledged: acknowledgedIds.size, lost, duplicated }
    },
    async [Symbol.asyncDispose]() {
      working = false
      server?.child.kill('SIGTERM')
      await server?.ended
      // Aborts requests that still wait for a response.
      await agent.destroy()
      await Promise.all(loops)
      endpoint.server.closeAllConnections()
      endpoint.server.close()
      await host[Symbol.asyncDispose]()
    },
  }
}
