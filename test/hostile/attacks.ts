// Attacks by a hostile company or an anonymous client: each is one request, repeated by a number of concurrent workers.
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { image, multipart, pixelBomb } from '../kit/files.ts'
import { signatureOf } from '../kit/graph-server.ts'
import { findPort } from '../kit/process.ts'
import type { Target, WorldNetwork } from './world.ts'

const MIB = 1024 * 1024
const TIMEOUT_MS = 30_000
/** Interval of a flood: five times the message rate of a well-behaved company. */
const FLOOD_EVERY_MS = 50
/** The webhooks of a large attack: a company may have a hundred. */
const MANY = 95
/** The name of the webhooks of an attack. */
const FLOODED = 'ataque'
/** When scheduled messages are due: during the measurement. */
const SCHEDULED_IN_MS = 4000

/** One kind of attack and its concurrency. */
export type Attack = {
  concurrency: number
  /** The companies' network; the simulator by default. */
  network?: WorldNetwork
  /** Prepares the attack once; returns a function that makes one request and resolves with its status. */
  prepare(target: Target): Promise<(index: number) => Promise<number>>
}

const agent = new Agent({ connections: 300, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS })

type Options = {
  method?: 'GET' | 'POST' | 'HEAD' | 'DELETE'
  token?: string
  host?: string
  type?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

async function callForBody(target: Target, path: string, options: Options = {}) {
  const { method = 'POST', token, host = target.hosts.production, body } = options
  const { type = 'application/json', headers = {} } = options
  const response = await request(`http://127.0.0.1:${target.port}${path}`, {
    method,
    dispatcher: agent,
    headers: {
      host,
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.statusCode, body: await response.body.text() }
}

const call = async (target: Target, path: string, options: Options = {}): Promise<number> =>
  (await callForBody(target, path, options)).status

/** Makes a request that prepares an attack, and returns its body. */
async function callOrThrow(target: Target, path: string, options: Options): Promise<string> {
  const { status, body } = await callForBody(target, path, options)
  if (status >= 300) throw new Error(`${path}: ${status} ${body}`)
  return body
}

function noNumber(): never {
  throw new Error('the company has no number on the official API')
}

const json = (value: object) => JSON.stringify(value)

/**
 * Creates webhooks of the hostile company with these URLs; returns an attack that sends messages whose events go there.
 */
async function floodEndpoints(target: Target, urls: string[]) {
  const { key: token, instance } = target
  // Those of earlier attacks and rounds, whose servers are gone; a company may have a hundred.
  const { body } = await callForBody(target, '/v1/webhooks?limit=100', { method: 'GET', token })
  const { items } = JSON.parse(body) as { items: { id: string; name: string }[] }
  for (const { id } of items.filter(({ name }) => name === FLOODED))
    await callOrThrow(target, `/v1/webhooks/${id}`, { method: 'DELETE', token })
  for (const url of urls)
    await callOrThrow(target, '/v1/webhooks', { token, body: json({ name: FLOODED, url }) })
  return async (index: number) => {
    await pause(FLOOD_EVERY_MS)
    const body = json({ to: `5511${900_000_009 + (index % 500) * 10}`, text: 'x' })
    return call(target, `/v1/instances/${instance}/messages`, { token, body })
  }
}

/** Starts a server that accepts connections and never responds; returns its port. */
async function startSilentServer(): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}))
  server.listen(0, '127.0.0.1', 1024)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Floods this many webhooks at a port of this machine. */
const floodPort = (target: Target, port: number, count: number) =>
  floodEndpoints(
    target,
    range(count).map((index) => `http://127.0.0.1:${port}/${index}`),
  )

/** All attacks by name. Status 0 means that the attack itself closed the connection. */
export const ATTACKS: Record<string, Attack> = {
  '200 parallel logins': {
    concurrency: 200,
    prepare: async (target) => (index) => {
      const email = target.victims[index % target.victims.length]
      return call(target, '/v1/auth/login', { body: json({ email, password: `errada ${index}` }) })
    },
  },
  'forgotten passwords': {
    concurrency: 50,
    prepare: async (target) => (index) => {
      const email = target.victims[index % target.victims.length]
      return call(target, '/panel/api/forgot-password', { body: json({ email }) })
    },
  },
  '16 MiB of brackets': {
    concurrency: 20,
    async prepare(target) {
      const body = Buffer.alloc(16 * MIB - 1, '[')
      return () =>
        call(target, `/v1/instances/${target.instance}/messages`, { token: target.key, body })
    },
  },
  '10 MiB files in JSON': {
    concurrency: 20,
    async prepare(target) {
      const base64 = Buffer.alloc(10 * MIB, 7).toString('base64')
      const media = { base64, mimeType: 'application/octet-stream', fileName: 'a.bin' }
      const body = Buffer.from(json({ to: '5511988887777', type: 'document', media }))
      return () =>
        call(target, `/v1/instances/${target.instance}/messages`, { token: target.key, body })
    },
  },
  'bodies that never end': {
    concurrency: 300,
    prepare: async (target) => async () => {
      const socket = connect(target.port, '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      const host = target.hosts.production
      const length = 15 * MIB
      socket.write(
        `POST /v1/instances/${target.instance}/messages HTTP/1.1\r\nhost: ${host}\r\n` +
          `authorization: Bearer ${target.key}\r\ncontent-type: application/json\r\n` +
          `content-length: ${length}\r\n\r\n${'['.repeat(64 * 1024)}`,
      )
      await Promise.race([once(socket, 'close'), pause(2000)])
      socket.destroy()
      return 0
    },
  },
  'huge images': {
    concurrency: 8,
    async prepare(target) {
      const files = [
        await pixelBomb(),
        await image('png', 6000, 6000),
        await image('avif', 2000, 2000),
      ].map((value) => multipart([{ name: 'file', value, fileName: 'a' }]))
      return (index) => {
        const { body = '', headers = { 'content-type': '' } } = files[index % files.length] ?? {}
        return call(target, '/v1/media', { token: target.key, type: headers['content-type'], body })
      }
    },
  },
  'large CSV files': {
    concurrency: 8,
    async prepare(target) {
      const lines = range(90_000).map((index) => `5511${900_000_000 + index},Ana`)
      const body = Buffer.from(['to,nome', ...lines].join('\n'))
      const path = `/v1/campaigns/${target.campaign}/recipients`
      return () => call(target, path, { token: target.key, type: 'text/csv', body })
    },
  },
  'requests to a test inbox': {
    concurrency: 50,
    async prepare(target) {
      const body = Buffer.alloc(64 * 1024, 'x')
      return () => call(target, target.inbox, { host: target.hosts.test, type: 'text/plain', body })
    },
  },
  'streams that are never read': {
    concurrency: 200,
    prepare: async (target) => async (index) => {
      const socket = connect(target.port, '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      const paths = ['/panel/api/production/live', `/v1/instances/${target.instance}/qr`]
      socket.write(
        `GET ${paths[index % paths.length]} HTTP/1.1\r\nhost: ${target.hosts.production}\r\n` +
          `authorization: Bearer ${target.token}\r\n\r\n`,
      )
      await Promise.race([once(socket, 'close'), pause(1000)])
      socket.destroy()
      return 0
    },
  },
  'searches and long lists': {
    concurrency: 50,
    prepare: async (target) => (index) => {
      const base = `/v1/instances/${target.instance}`
      const paths = [
        `${base}/messages?limit=100&q=pedido`,
        `${base}/conversations?limit=100&q=a`,
        `${base}/contacts?limit=100&q=a`,
        '/openapi.json',
      ]
      return call(target, paths[index % paths.length] ?? '', { method: 'GET', token: target.key })
    },
  },
  'names that fail to resolve': {
    concurrency: 1,
    prepare: (target) =>
      floodEndpoints(
        target,
        range(12).map(
          (index) => `http://${['malformado', 'mudo', 'falho'][index % 3]}-${index}.test/`,
        ),
      ),
  },
  'endpoints that hang': {
    concurrency: 1,
    prepare: async (target) => floodPort(target, await startSilentServer(), 5),
  },
  'events of a hundred webhooks': {
    concurrency: 1,
    prepare: async (target) => floodPort(target, await startSilentServer(), MANY),
  },
  'webhooks that refuse connections': {
    concurrency: 1,
    prepare: async (target) => floodPort(target, await findPort(), MANY),
  },
  'webhooks that answer at once': {
    concurrency: 1,
    async prepare(target) {
      const server = createHttpServer((incoming, response) => {
        incoming.resume()
        response.writeHead(204).end()
      })
      server.listen(0, '127.0.0.1', 1024)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      return floodPort(target, port, MANY)
    },
  },
  'files that never arrive': {
    concurrency: 50,
    async prepare(target) {
      const port = await startSilentServer()
      const path = `/v1/instances/${target.instance}/messages`
      return (index) => {
        const media = { url: `http://127.0.0.1:${port}/${index}.jpg` }
        const to = `5511${900_000_009 + (index % 500) * 10}`
        return call(target, path, { token: target.key, body: json({ to, type: 'image', media }) })
      }
    },
  },
  'instances without a phone': {
    concurrency: 20,
    prepare: async (target) => async () => {
      const path = '/v1/instances'
      const options = { token: target.key, body: json({ name: 'Sem celular' }) }
      const { status, body } = await callForBody(target, path, options)
      if (status !== 201) return status
      const { id } = JSON.parse(body) as { id: string }
      return call(target, `${path}/${id}/qr/poll`, { method: 'GET', token: target.key })
    },
  },
  'HEAD of QR codes': {
    concurrency: 100,
    prepare: async (target) => () =>
      call(target, `/v1/instances/${target.instance}/qr`, { method: 'HEAD', token: target.key }),
  },
  'messages scheduled for one second': {
    concurrency: 50,
    async prepare(target) {
      const path = `/v1/instances/${target.instance}/scheduled-messages`
      const sendAt = new Date(Date.now() + SCHEDULED_IN_MS).toISOString()
      return (index) => {
        const to = `5511${900_000_009 + (index % 500) * 10}`
        const message = { to, type: 'text', text: 'x' }
        return call(target, path, { token: target.key, body: json({ sendAt, message }) })
      }
    },
  },
  'sends at full speed': {
    concurrency: 100,
    async prepare(target) {
      const path = `/v1/instances/${target.instance}/messages`
      return (index) => {
        const to = `5511${900_000_009 + (index % 500) * 10}`
        return call(target, path, { token: target.key, body: json({ to, text: 'x' }) })
      }
    },
  },
  'campaigns at full speed': {
    concurrency: 1,
    async prepare(target) {
      const { key: token } = target
      const message = { type: 'text', text: 'x' }
      const draft = { name: 'x', instanceIds: [target.instance], message }
      const list = range(2000).map((index) => `5511${900_000_009 + index * 10}`)
      const people = ['to', ...list].join('\n')
      return async () => {
        const created = await callOrThrow(target, '/v1/campaigns', { token, body: json(draft) })
        const path = `/v1/campaigns/${(JSON.parse(created) as { id: string }).id}`
        await callOrThrow(target, `${path}/recipients`, { token, type: 'text/csv', body: people })
        const status = await call(target, `${path}/start`, { token })
        await pause(FLOOD_EVERY_MS * 20)
        return status
      }
    },
  },
  'calls of tools': {
    concurrency: 100,
    async prepare(target) {
      const act = (index: number) => {
        const method = ['tools/list', 'tools/call', 'initialize', 'x'][index % 4]
        const params = { name: 'list_messages', arguments: { instanceId: target.instance } }
        const body = json({ jsonrpc: '2.0', id: index, method, params })
        const headers = { accept: 'application/json, text/event-stream' }
        return call(target, '/mcp', { token: target.key, body, headers })
      }
      // Any company's first call makes the server load the protocol.
      await act(0)
      return act
    },
  },
  'uploads without end': {
    concurrency: 20,
    async prepare(target) {
      const file = { name: 'file', value: Buffer.alloc(256 * 1024, 'x'), fileName: 'a' }
      const { body, headers } = multipart([file])
      const act = () =>
        call(target, '/v1/media', { token: target.key, type: headers['content-type'], body })
      // Any company's first upload makes the server load what detects types of files.
      await act()
      return act
    },
  },
  'webhooks that Meta did not sign': {
    concurrency: 50,
    network: 'whatsapp',
    async prepare(target) {
      const body = Buffer.alloc(MIB, ' ')
      return (index) =>
        call(target, index % 2 ? (target.official?.path ?? '') : `/cloud/ins_${index}`, { body })
    },
  },
  'webhooks of a number, signed': {
    concurrency: 8,
    network: 'whatsapp',
    prepare: async (target) => (index) => {
      const { path, appSecret, phoneNumberId } = target.official ?? noNumber()
      const timestamp = String(Math.floor(Date.now() / 1000))
      const messages = range(200).map((number) => ({
        id: `wamid.${index}.${number}`,
        from: `5511${900_000_000 + number}`,
        timestamp,
        type: 'text',
        text: { body: 'oi' },
      }))
      const value = { metadata: { phone_number_id: phoneNumberId }, messages }
      const body = json({ entry: [{ changes: [{ field: 'messages', value }] }] })
      return call(target, path, { body, headers: signatureOf(body, appSecret) })
    },
  },
  'recipients with unusable keys': {
    concurrency: 1,
    network: 'whatsapp',
    prepare: async (target) => async (index) => {
      await pause(FLOOD_EVERY_MS)
      const to = target.poisoned[index % target.poisoned.length]
      const path = `/v1/instances/${target.instance}/messages`
      return call(target, path, { token: target.key, body: json({ to, text: 'x' }) })
    },
  },
}
