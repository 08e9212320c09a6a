// Twenty well-behaved companies and a hostile one on one server, and the latencies of the twenty.
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { parseConfig } from '../../src/kernel/config/config.ts'
import { foundCompanies, OWNER } from '../kit/company.ts'
import { startNameServer, type NameServer } from '../kit/dns.ts'
import { findPort, makeDataDir, run, START_ARGS } from '../kit/process.ts'

const COMPANIES = 20
const PER_SECOND = 80
const REQUEST_TIMEOUT_MS = 30_000
const DELIVERY_TIMEOUT_MS = 30_000
const HOSTS = { production: 'localhost', test: 'sandbox.localhost' }

/**
 * What an attacker knows: its own company's account, and public information such as `victims`, their e-mail addresses.
 */
export type Target = {
  port: number
  hosts: typeof HOSTS
  email: string
  password: string
  key: string
  token: string
  testKey: string
  instance: string
  campaign: string
  inbox: string
  victims: string[]
}

/** Latencies, in milliseconds, and failures of the well-behaved companies. */
export type Experience = {
  http: number[]
  /** From the request to the delivery of its first event. */
  delivery: number[]
  failures: string[]
}

/** A server, its companies and their steady load. */
export type World = AsyncDisposable & {
  target: Target
  names: NameServer['names']
  /** Runs the steady load of the twenty companies for `seconds`. */
  experience(seconds: number): Promise<Experience>
  /** The server's process. */
  pid: number
  /** The server's error log. */
  log(): string
}

type Call = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
) => Promise<{ status: number; body: Record<string, unknown> }>

/** Starts a server with `count` well-behaved companies and a hostile one. */
export async function createWorld(count = COMPANIES): Promise<World> {
  const dataDir = makeDataDir()
  const port = await findPort()
  const nameServer = await startNameServer()
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    PRODUCTION_NETWORK: 'simulator',
    EGRESS_ALLOW: '127.0.0.1/32',
    EGRESS_DNS: nameServer.address,
    LOG_LEVEL: 'error',
  }
  const emails = await foundCompanies(parseConfig(env), count + 1)
  const server = run('src/main.ts', [], env, START_ARGS)
  await server.says('Recado está no ar.')
  const agent = new Agent({ connections: 256, headersTimeout: REQUEST_TIMEOUT_MS })

  const caller =
    (token: string, host: string): Call =>
    async (method, path, body) => {
      const response = await request(`http://127.0.0.1:${port}${path}`, {
        method,
        dispatcher: agent,
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        headers: {
          host,
          'x-token-response': 'body',
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await response.body.text()
      const parsed = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
      return { status: response.statusCode, body: parsed }
    }

  async function must(call: Call, path: string, body: object): Promise<Record<string, string>> {
    const answer = await call('POST', path, body)
    if (answer.status >= 300) {
      throw new Error(`POST ${path} returned ${answer.status}: ${JSON.stringify(answer.body)}`)
    }
    return answer.body as Record<string, string>
  }

  /** When each message's first event arrived. */
  const arrivals = new Map<string, number>()
  const endpoint = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { data } = JSON.parse(Buffer.concat(chunks).toString()) as {
      data: { waMessageId?: string; waMessageIds?: string[] }
    }
    const now = performance.now()
    for (const id of data.waMessageIds ?? [data.waMessageId ?? '']) {
      if (!arrivals.has(id)) arrivals.set(id, now)
    }
    // Close the connection, so that every delivery resolves the name again and notices a slowed resolver.
    response.writeHead(204, { connection: 'close' }).end()
  })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  const address = endpoint.address()
  const endpointPort = typeof address === 'object' && address ? address.port : 0

  async function join(email: string, index: number) {
    const anonymous = caller('', HOSTS.production)
    const login = await must(anonymous, '/v1/auth/login', { email, password: OWNER.password })
    const token = login['accessToken'] ?? ''
    const created = await must(caller(token, HOSTS.production), '/v1/keys', { name: 'hostil' })
    const key = created['key'] ?? ''
    const call = caller(key, HOSTS.production)
    const { id: instance = '' } = await must(call, '/v1/instances', { name: 'Loja' })
    const { id: phone } = await must(call, '/v1/simulator/phones', { name: 'Loja' })
    for (;;) {
      const { code } = (await call('GET', `/v1/instances/${instance}/qr/poll`)).body
      if (!code) continue
      const scan = await call('POST', `/v1/simulator/phones/${phone}/scan`, { code })
      if (scan.status === 200) break
    }
    while ((await call('GET', `/v1/instances/${instance}`)).body['status'] !== 'CONNECTED') {
      await pause(10)
    }
    const name = `empresa-${index}.test`
    nameServer.names.set(name, [['127.0.0.1']])
    await must(call, '/v1/webhooks', { name: 'w', url: `http://${name}:${endpointPort}/` })
    return { email, token, key, call, instance }
  }

  const companies: Awaited<ReturnType<typeof join>>[] = []
  for (const [index, email] of emails.entries()) companies.push(await join(email, index))
  const hostile = companies.pop()
  if (!hostile) throw new Error(`expected ${count + 1} companies, found none`)
  const inTest = caller(hostile.token, HOSTS.test)
  const { key: testKey = '' } = await must(inTest, '/v1/keys', { name: 'hostil' })
  const { url: inbox = '' } = await must(caller(testKey, HOSTS.test), '/v1/simulator/inboxes', {
    name: 'hostil',
  })
  const { id: campaign = '' } = await must(hostile.call, '/v1/campaigns', {
    name: 'hostil',
    instanceIds: [hostile.instance],
    message: { type: 'text', text: 'Olá, {{nome}}' },
  })

  async function experience(seconds: number): Promise<Experience> {
    const http: number[] = []
    const failures: string[] = []
    const sent = new Map<string, number>()
    let started = 0
    async function one(index: number): Promise<void> {
      const company = companies[index % count]
      if (!company) return
      const base = `/v1/instances/${company.instance}`
      const from = performance.now()
      const sends = index % 2 === 0
      try {
        // Avoid the simulator's special numbers, which end in 0001 to 0006.
        const to = `5511${900_000_009 + (index % 5000) * 10}`
        const answer = sends
          ? await company.call('POST', `${base}/messages`, { to, text: `pedido ${index}` })
          : await company.call('GET', `${base}/conversations?limit=20`)
        http.push(performance.now() - from)
        if (answer.status >= 300) failures.push(`${answer.status} ${JSON.stringify(answer.body)}`)
        else if (sends) sent.set(String(answer.body['waMessageId']), from)
      } catch (error) {
        failures.push(String(error))
      }
    }
    const startedAt = performance.now()
    const running: Promise<void>[] = []
    while (performance.now() - startedAt < seconds * 1000) {
      const due = Math.floor(((performance.now() - startedAt) / 1000) * PER_SECOND)
      // Shift the index by one per round, so that each company both sends and lists.
      for (; started < due; started++) running.push(one(started + Math.floor(started / count)))
      await pause(2)
    }
    await Promise.all(running)
    const until = performance.now() + DELIVERY_TIMEOUT_MS
    const missing = () => [...sent.keys()].filter((id) => !arrivals.has(id))
    while (missing().length > 0 && performance.now() < until) await pause(50)
    for (const id of missing())
      failures.push(`no event for message ${id} within ${DELIVERY_TIMEOUT_MS} ms`)
    const delivery = [...sent].flatMap(([id, from]) => {
      const at = arrivals.get(id)
      return at === undefined ? [] : [at - from]
    })
    arrivals.clear()
    return { http, delivery, failures }
  }

  return {
    target: {
      port,
      hosts: HOSTS,
      email: hostile.email,
      password: OWNER.password,
      testKey,
      campaign,
      key: hostile.key,
      token: hostile.token,
      instance: hostile.instance,
      inbox: new URL(inbox).pathname,
      victims: companies.map(({ email }) => email),
    },
    names: nameServer.names,
    experience,
    pid: server.child.pid ?? 0,
    log: server.output,
    async [Symbol.asyncDispose]() {
      server.child.kill('SIGTERM')
      await server.ended
      await agent.destroy()
      endpoint.closeAllConnections()
      endpoint.close()
      nameServer.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
