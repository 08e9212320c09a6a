// `npm run test:fuzz -- [seconds] [part of a path] [simulator | whatsapp]`: sends valid and hostile values to every
// route, documented or not. No response may be a 5xx, and memory must not grow. On `whatsapp`, the hostile company also
// signs webhooks of the official API.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { signatureOf } from '../kit/graph-server.ts'
import { describeHiddenRoutes } from './hidden-routes.ts'
import { chance, createMaker, pick, type Schema } from './hostile-values.ts'
import { residentMb } from './memory.ts'
import { createWorld, type Target } from './world.ts'

const WARM_UP_SECONDS = 60
const MAX_GROWTH_MB = 50
const AT_ONCE = 8
const TIMEOUT_MS = 30_000
/** Routes that would invalidate the test's own credentials. */
const SKIPPED = /\/auth\/logout$|\/account\/delete$|\/auth\/refresh$|^\/v1\/keys\/\{id\}$/

type Operation = {
  parameters?: Parameter[]
  requestBody?: { content?: Record<string, { schema?: Schema }> }
}
type Parameter = { $ref?: string; name: string; in: string; schema?: Schema }
type Document = {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> }
}
type Route = {
  method: string
  path: string
  operation: Operation
  make: ReturnType<typeof createMaker>
}

const [seconds = '600', only = '', network = 'simulator'] = process.argv.slice(2)
assert.ok(network === 'simulator' || network === 'whatsapp', `unknown network: ${network}`)
const say = (line: string) => process.stdout.write(`${line}\n`)

function readDocument(name: string): Document {
  const path = fileURLToPath(new URL(`../../${name}`, import.meta.url))
  return JSON.parse(readFileSync(path, 'utf8')) as Document
}

function readRoutes(document: Document): Route[] {
  const make = createMaker(document)
  const { parameters: shared = {} } = document.components ?? {}
  return Object.entries(document.paths).flatMap(([url, operations]) =>
    Object.entries(operations).flatMap(([method, given]) => {
      if (SKIPPED.test(url) || !url.includes(only)) return []
      const parameters = given.parameters?.map(
        (parameter) => shared[parameter.$ref?.split('/').at(-1) ?? ''] ?? parameter,
      )
      const operation = { ...given, ...(parameters ? { parameters } : {}) }
      return [{ method: method.toUpperCase(), path: url, operation, make }]
    }),
  )
}

/** Ids found in responses, by the name of their collection. */
const ids = new Map<string, string[]>()
const MAX_IDS = 50
function collectIds(path: string, body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const collection = path.split('/').findLast((part) => /^[a-z]+$/.test(part)) ?? ''
  const items = 'items' in body && Array.isArray(body.items) ? (body.items as unknown[]) : [body]
  const known = ids.get(collection) ?? []
  for (const item of items) {
    const id = item && typeof item === 'object' && 'id' in item ? item.id : undefined
    if (typeof id === 'string' && !known.includes(id)) known.push(id)
  }
  ids.set(collection, known.slice(-MAX_IDS))
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const encode = (value: unknown) => encodeURIComponent(asText(value).toWellFormed())

function fill(route: Route, target: Target): string {
  const parts = route.path.split('/')
  const filled = parts.map((part, index) => {
    if (!part.startsWith('{')) return part
    if (part === '{mode}') return pick(['test', 'production'])
    const collection = parts[index - 1] ?? ''
    if (collection === 'instances' && chance(0.6)) return target.instance
    const id = chance(0.85) ? pick(ids.get(collection) ?? []) : undefined
    return id === undefined ? encode(route.make({ type: 'string' })) : encodeURIComponent(id)
  })
  const query = (route.operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && chance(0.4))
    .map(({ name, schema = {} }) => `${encode(name)}=${encode(route.make(schema))}`)
  return `${filled.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

function bodyOf({ operation, make }: Route): { type: string; body: string } | null {
  const contents = Object.entries(operation.requestBody?.content ?? {})
  const [type, content] = pick(contents) ?? []
  if (type === undefined) return null
  const value = make(content?.schema ?? {})
  const body = type.includes('json') ? JSON.stringify(value) : asText(value)
  // Occasionally a body that does not match its content type, or is truncated.
  if (chance(0.02))
    return { type: pick(['text/plain', 'application/json; x', '', type]) ?? '', body }
  return { type, body: chance(0.02) ? body.slice(0, body.length / 2) : body }
}

const agent = new Agent({
  connections: AT_ONCE,
  headersTimeout: TIMEOUT_MS,
  bodyTimeout: TIMEOUT_MS,
})
const counts = new Map<string, number>()
const faults: string[] = []

async function sendRandomRequest(routes: Route[], target: Target): Promise<void> {
  const route = pick(routes)
  if (!route) return
  const isPanel = route.path.startsWith('/panel')
  const inTest = !isPanel && chance(route.path.startsWith('/cloud') ? 0.05 : 0.7)
  const path = fill(route, target)
  const content = bodyOf(route)
  const token =
    isPanel || route.path === '/v1/keys' ? target.token : inTest ? target.testKey : target.key
  const isOfficial = route.path === target.official?.path && chance(0.95)
  const headers: Record<string, string> = {
    ...(isOfficial ? signatureOf(content?.body ?? '', target.official?.appSecret ?? '') : {}),
    host: inTest ? target.hosts.test : target.hosts.production,
    ...(chance(0.97) ? { authorization: `Bearer ${token}` } : {}),
    ...(content ? { 'content-type': content.type } : {}),
    ...(chance(0.9) ? { accept: 'application/json, text/event-stream' } : {}),
    ...(chance(0.1) ? { 'idempotency-key': `${Math.floor(Math.random() * 50)}` } : {}),
    ...(chance(0.05) ? { range: pick(['bytes=0-', 'bytes=-5', 'bytes=9-1', 'x']) ?? '' } : {}),
  }
  const response = await request(`http://127.0.0.1:${target.port}${path}`, {
    method: route.method as 'GET',
    dispatcher: agent,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers,
    ...(content ? { body: content.body } : {}),
  })
  const { statusCode } = response
  counts.set(`${statusCode}`, (counts.get(`${statusCode}`) ?? 0) + 1)
  if (String(response.headers['content-type']).includes('event-stream')) {
    response.body.on('error', () => {}).destroy()
    return
  }
  const text = await response.body.text()
  // An unavailable network is not a server error: the response has a Retry-After.
  const networkUnavailable = statusCode === 503 && response.headers['retry-after'] !== undefined
  // A test inbox responds with the status that was set for it.
  const asConfigured = path.startsWith(target.inbox) && text === '{"received":true}'
  if (statusCode >= 500 && !networkUnavailable && !asConfigured) {
    faults.push(
      `${statusCode} ${route.method} ${path.slice(0, 300)} ${content?.body.slice(0, 500)} → ${text.slice(0, 200)}`,
    )
  } else if (statusCode < 300 && text.startsWith('{')) collectIds(route.path, JSON.parse(text))
}

const world = await createWorld(network, 1)
const { target } = world
const routes = [
  readDocument('openapi.json'),
  readDocument('panel/openapi.json'),
  describeHiddenRoutes(
    target.official ?? { path: '/cloud/ins_0', phoneNumberId: '1' },
    target.inbox,
  ),
].flatMap(readRoutes)
const startedAt = performance.now()
const elapsed = () => (performance.now() - startedAt) / 1000
let warm: number | null = null
let sent = 0

async function work(): Promise<void> {
  while (elapsed() < Number(seconds)) {
    sent++
    await sendRandomRequest(routes, target).catch((error: unknown) => faults.push(String(error)))
    if (warm === null && elapsed() > Math.min(WARM_UP_SECONDS, Number(seconds) / 3)) {
      warm = residentMb(world.pid)
      say(`after ${elapsed().toFixed(0)} s: ${warm.toFixed(0)} MB, ${sent} requests`)
    }
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work))
await pause(5000)
const grown = residentMb(world.pid) - (warm ?? 0)
say(
  `${sent} requests of ${routes.length} routes: ${JSON.stringify(Object.fromEntries([...counts].toSorted(([a], [b]) => a.localeCompare(b))))}`,
)
say(`memory grew by ${grown.toFixed(0)} MB after the warm-up (at most ${MAX_GROWTH_MB})`)
const kinds = new Map(faults.map((fault) => [fault.slice(0, 40), fault]))
for (const fault of [...kinds.values()].slice(0, 20)) say(fault)
if (faults.length > 0) say(world.log().slice(-5000))
await world[Symbol.asyncDispose]()
assert.equal(faults.length, 0, `${faults.length} requests failed or returned a 5xx`)
assert.ok(grown <= MAX_GROWTH_MB, `memory grew by ${grown.toFixed(0)} MB`)
process.exit(0)
