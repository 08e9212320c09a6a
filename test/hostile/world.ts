// A server with twenty well-behaved companies, whose latencies are measured, and a hostile one.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { parseConfig } from '../../src/kernel/config/config.ts'
import { foundCompanies, OWNER } from '../kit/company.ts'
import { startNameServer, type NameServer } from '../kit/dns.ts'
import { findPort, makeDataDir, removeDataDir, run, START_ARGS } from '../kit/process.ts'
import {
  postOrThrow,
  simulatorPhones,
  whatsAppPhones,
  type Call,
  type OfficialNumber,
} from './phones.ts'

const COMPANIES = 20
const PER_SECOND = 80
const REQUEST_TIMEOUT_MS = 30_000
const DELIVERY_TIMEOUT_MS = 30_000
/** An attacker burns a machine of its own, so its processes get only what the server and its companies leave. */
export const ATTACKER_PRIORITY = 19
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
  /** Numbers on WhatsApp whose keys cannot be used; empty on the simulator. */
  poisoned: string[]
  /** The company's number on the official API, with the secret that signs its webhooks; null on the simulator. */
  official: OfficialNumber | null
}

/** Latencies, in milliseconds, and failures of the well-behaved companies. */
export type Experience = {
  http: number[]
  /** From the request to the delivery of the message's first event. */
  delivery: number[]
  failures: string[]
}

/** A server, its companies and their steady load. */
export type World = AsyncDisposable & {
  target: Target
  names: NameServer['names']
  /** Runs the steady load of the well-behaved companies for `seconds`. */
  experience(seconds: number): Promise<Experience>
  /** The server's process. */
  pid: number
  /** The server's error log. */
  log(): string
}

/** The network that the companies use in production. */
export type WorldNetwork = 'simulator' | 'whatsapp'

/** Starts a server with `count` well-behaved companies and a hostile one. */
export async function createWorld(
  network: WorldNetwork = 'simulator',
  count = COMPANIES,
): Promise<World> {
  const dataDir = makeDataDir()
  const port = await findPort()
  const nameServer = await startNameServer()
  const phones = network === 'whatsapp' ? await whatsAppPhones() : simulatorPhones()
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    ...phones.env,
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
  const sink = fork(fileURLToPath(new URL('sink.ts', import.meta.url)))
  setPriority(sink.pid ?? 0, ATTACKER_PRIORITY)
  const [{ port: sinkPort }] = (await once(sink, 'message')) as [AddressInfo]

  async function join(email: string, index: number) {
    const anonymous = caller('', HOSTS.production)
    const login = await postOrThrow(anonymous, '/v1/auth/login', {
      email,
      password: OWNER.password,
    })
    const token = login['accessToken'] ?? ''
    const created = await postOrThrow(caller(token, HOSTS.production), '/v1/keys', {
      name: 'hostil',
    })
    const key = created['key'] ?? ''
    const call = caller(key, HOSTS.production)
    const { id: instance = '' } = await postOrThrow(call, '/v1/instances', { name: 'Loja' })
    const scan = await phones.pair(call, index)
    for (;;) {
      const { code } = (await call('GET', `/v1/instances/${instance}/qr/poll`)).body
      if (typeof code === 'string' && (await scan(code))) break
      await pause(10)
    }
    while ((await call('GET', `/v1/instances/${instance}`)).body['status'] !== 'CONNECTED') {
      await pause(10)
    }
    const name = `empresa-${index}.test`
    nameServer.names.set(name, [['127.0.0.1']])
    const receiver = index === count ? sinkPort : endpointPort
    await postOrThrow(call, '/v1/webhooks', { name: 'w', url: `http://${name}:${receiver}/` })
    return { email, token, key, call, instance }
  }

  const companies: Awaited<ReturnType<typeof join>>[] = []
  for (const [index, email] of emails.entries()) companies.push(await join(email, index))
  const hostile = companies.pop()
  if (!hostile) throw new Error(`expected ${count + 1} companies, found none`)
  const inTest = caller(hostile.token, HOSTS.test)
  const { key: testKey = '' } = await postOrThrow(inTest, '/v1/keys', { name: 'hostil' })
  const { url: inbox = '' } = await postOrThrow(
    caller(testKey, HOSTS.test),
    '/v1/simulator/inboxes',
    {
      name: 'hostil',
    },
  )
  const { id: campaign = '' } = await postOrThrow(hostile.call, '/v1/campaigns', {
    name: 'hostil',
    instanceIds: [hostile.instance],
    message: { type: 'text', text: 'Olá, {{nome}}' },
  })

  async function measureLatencies(seconds: number): Promise<Experience> {
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
        const message = { to: phones.recipient(index), text: `pedido ${index}` }
        const answer = sends
          ? await company.call('POST', `${base}/messages`, message)
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

  const official = await phones.connectOfficial(hostile.call)

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
      poisoned: phones.poisoned,
      official,
    },
    names: nameServer.names,
    experience: measureLatencies,
    pid: server.child.pid ?? 0,
    log: server.output,
    async [Symbol.asyncDispose]() {
      server.child.kill('SIGTERM')
      await server.ended
      await agent.destroy()
      sink.disconnect()
      endpoint.closeAllConnections()
      endpoint.close()
      nameServer.close()
      await phones[Symbol.asyncDispose]()
      removeDataDir(dataDir)
    },
  }
}
