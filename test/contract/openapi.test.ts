// The API reference is complete, current and consistent with the responses to generated requests.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { after, before, describe, it } from 'node:test'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { FAILURE_REASONS } from '../../src/kernel/phrases/fail.ts'
import { EVENT_NAMES } from '../../src/events/catalog/index.ts'
import { dereference } from '../kit/openapi-check.ts'
import { startNameServer, type NameServer } from '../kit/dns.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'
import { describeApi, renderOpenapi, renderPanelDocument } from '../../src/platform/http/openapi.ts'
import { renderPanelTypes } from '../../scripts/render-panel-types.ts'
import { format, resolveConfig } from 'prettier'

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  enum?: unknown[]
}
type ResponseContent = {
  schema: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
type Operation = {
  parameters?: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, { headers?: object; content?: Record<string, ResponseContent> }>
  security?: object[]
}
/** The parts of the served document that the tests read. */
type Shared = {
  paths: Record<string, Record<string, SharedOperation>>
  webhooks: Record<string, Record<string, SharedOperation>>
  components: {
    schemas: Record<string, Record<string, unknown>>
    responses: Record<string, SharedResponse>
    parameters: Record<string, Parameter>
  }
}
type Parameter = {
  $ref?: string
  name: string
  in: string
  required: boolean
  description: string
  example: unknown
  schema: { default?: unknown }
}
type SharedOperation = {
  operationId: string
  description: string
  security?: object[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> }
  responses: Record<string, SharedResponse>
}
type SharedResponse = { $ref?: string; headers?: Record<string, unknown> }
type Document = {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, unknown>
}

const root = fileURLToPath(new URL('../..', import.meta.url))

let kit: TestApp
let shared: Shared
/** The document with every reference replaced by its target. */
let document: Document
let names: NameServer
before(async () => {
  // Resolves no names: files are fetched by IP address, and the test clock would never end a DNS timeout.
  names = await startNameServer()
  kit = await startTestApp({ EGRESS_DNS: names.address })
  shared = describeApi(kit.app.server) as Shared
  document = dereference(shared) as unknown as Document
})
after(async () => {
  await kit.close()
  names.close()
})
const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

describe('openapi.json', () => {
  it('the committed panel types match the OpenAPI documents', async () => {
    const file = fileURLToPath(new URL('../../panel/src/data/api-types.ts', import.meta.url))
    const documents = ['openapi.json', 'panel/openapi.json'].map((path) =>
      readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'),
    )
    const options = { ...(await resolveConfig(file)), filepath: file }
    const written = await format(renderPanelTypes(documents), options)
    assert.equal(readFileSync(file, 'utf8'), written, 'run npm run panel-types')
  })

  it('openapi.json is OpenAPI 3.1 with the ten events as webhooks', async () => {
    const { body } = await kit.client('production').get('/openapi.json')
    assert.equal(body.openapi, '3.1.0')
    assert.deepEqual(Object.keys(body.webhooks), [...EVENT_NAMES])
  })

  it('every response of every route has an example, and that of a success is one that its schema accepts', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    for (const { path, method, operation } of operations()) {
      const statuses = Object.keys(operation.responses)
      assert.ok(statuses.length >= 3, `${method} ${path}`)
      for (const [status, answer] of Object.entries(operation.responses)) {
        const content = answer.content?.['application/json']
        const schema = content?.schema
        if (content && schema && status.startsWith('2')) {
          const name = `${method} ${path} ${status}`
          const { example = Object.values(content.examples ?? {})[0]?.value } = content
          assert.ok(example, `${name} has no example`)
          const validate = ajv.compile(schema)
          assert.ok(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`)
        }
        const hasNone =
          ['101', '204'].includes(status) ||
          path.endsWith('/qr') ||
          path.endsWith('/{messageId}/media') ||
          path.endsWith('/picture') ||
          path.endsWith('/media')
        if (hasNone && !schema) continue
        const shown = JSON.stringify(answer).includes('"example')
        assert.ok(shown || hasNone, `${method} ${path} ${status} has no example`)
      }
    }
  })

  it('openapi.json contains no panel route', () => {
    assert.ok(!JSON.stringify(Object.keys(document.paths)).includes('panel'))
  })

  it('the committed OpenAPI documents match the routes', () => {
    const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')
    assert.equal(renderOpenapi(kit.app.server), committed, 'run: npm run openapi')
    const own = readFileSync(new URL('../../panel/openapi.json', import.meta.url), 'utf8')
    assert.equal(renderPanelDocument(kit.app.server), own, 'run: npm run openapi')
  })
})

describe('the document for generators', () => {
  const MAX_BYTES = 400_000
  const sharedOperations = () =>
    Object.entries({ ...shared.paths, ...shared.webhooks }).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method} ${path}`,
        ...operation,
      })),
    )

  it('openapi.json is at most 400 kB minified, and holds each named shape once', () => {
    const text = JSON.stringify(shared)
    const bytes = Buffer.byteLength(text)
    assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`)
    const titles = [...text.matchAll(/"title":"([A-Z]\w+)"/g)].map(([, title = '']) => title)
    const twice = titles.filter((title, index) => titles.indexOf(title) !== index)
    assert.deepEqual(twice, [])
    assert.ok(Object.keys(shared.components.schemas).length > 80)
    for (const status of ['400', '401', '404', '429']) {
      assert.ok(shared.components.responses[status], status)
    }
  })

  it('openapi.json and asyncapi.json are served compressed to clients that accept it', async () => {
    for (const path of ['/openapi.json', '/asyncapi.json']) {
      const client = kit.client('production')
      const plain = await client.get(path)
      const { status, headers, bytes } = await client.download(path, { 'accept-encoding': 'gzip' })
      assert.deepEqual([plain.status, status, headers['content-encoding']], [200, 200, 'gzip'])
      assert.deepEqual(JSON.parse(gunzipSync(bytes).toString()), plain.body)
      assert.ok(bytes.length < plain.text.length / 4, `${path}: ${bytes.length} bytes`)
    }
  })

  it('a client address that requests the documents without pause receives 429, and again after a second', async () => {
    const client = kit.client('production')
    let status = 200
    for (let count = 0; status === 200 && count < 100; count++) {
      const answer = await client.get('/openapi.json')
      status = answer.status
      if (status === 429) assert.equal(answer.headers['retry-after'], '1')
    }
    assert.equal(status, 429)
    await kit.jump(1000)
    assert.equal((await client.get('/openapi.json')).status, 200)
  })

  it('every operation has a name of its own, a description, and parameters with description and example', () => {
    const names = sharedOperations().map(({ operationId }) => operationId)
    assert.equal(new Set(names).size, names.length)
    for (const { name, operationId, description, parameters = [] } of sharedOperations()) {
      assert.match(operationId, /^[a-z]+([A-Z][a-z]+)*$/, name)
      assert.ok(description, `${name} has no description`)
      for (const reference of parameters) {
        const target = reference.$ref?.split('/').at(-1) ?? ''
        const parameter = { ...reference, ...shared.components.parameters[target] }
        assert.ok(parameter.description, `${name}: ${parameter.name} has no description`)
        assert.notEqual(parameter.example, undefined, `${name}: ${parameter.name} has no example`)
        const optional = parameter.in === 'query' && 'default' in parameter.schema
        if (optional) assert.equal(parameter.required, false, `${name}: ${parameter.name}`)
      }
    }
  })

  it('every body has an example that the route’s own schema accepts', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    for (const { method, path, operation } of operations()) {
      for (const [type, body] of Object.entries(operation.requestBody?.content ?? {})) {
        const name = `${method} ${path} ${type}`
        assert.ok(body.example, `${name} has no example`)
        const validate = ajv.compile(body.schema)
        assert.ok(validate(body.example), `${name}: ${ajv.errorsText(validate.errors)}`)
      }
    }
  })

  it('the headers of a file are those that its responses have', async () => {
    const api = await kit.key(await kit.project())
    const { base, phone } = await kit.pair(api)
    const friend = await kit.phone(api)
    const media = { base64: Buffer.from('%PDF-1.4 nota').toString('base64'), fileName: 'nota.pdf' }
    await api.post(`${friend.base}/messages`, { to: phone, type: 'document', media })
    await kit.settle()
    const { body: list } = await api.get(`${base}/messages`)
    const path = '/v1/instances/{id}/messages/{messageId}/media'
    const { responses } = document.paths[path]?.['get'] ?? { responses: {} }
    const file = `${base}/messages/${list.items[0].id}/media`
    const { headers: first } = await api.download(file)
    for (const [status, sent] of [
      [200, {}],
      [206, { range: 'bytes=0-3' }],
      [304, { 'if-none-match': String(first['etag']) }],
      [416, { range: 'bytes=999-' }],
    ] as const) {
      const answer = await api.download(file, sent)
      assert.equal(answer.status, status)
      const documented = Object.keys(responses[status]?.headers ?? {})
      const known = ['accept-ranges', 'content-disposition', 'content-range', 'etag']
      const names = known.filter((name) => name in answer.headers)
      // Repeated with a 304 and a 416, though they say nothing new there.
      const told = names.filter((name) => status < 300 || !/^(accept|content-d)/.test(name))
      const missing = told.filter((name) => !documented.some((one) => one.toLowerCase() === name))
      assert.deepEqual(missing, [], `${status}: ${names.join()}`)
    }
  })

  it('the successes that state the rate limit of a key are those of the operations that accept only keys', async () => {
    const accepting = sharedOperations().filter(
      ({ security, responses }) =>
        security === undefined && Object.keys(responses).some((status) => status.startsWith('2')),
    )
    const stating = sharedOperations().filter(({ responses }) => {
      const successes = Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([, response]) => {
          const name = response.$ref?.split('/').at(-1) ?? ''
          const { headers = {} } = shared.components.responses[name] ?? response
          return ['RateLimit', 'RateLimit-Policy'].every((header) => header in headers)
        })
      return successes.length > 0 && successes.every(Boolean)
    })
    assert.ok(accepting.length > 100, `${accepting.length}`)
    assert.deepEqual(
      stating.map(({ name }) => name),
      accepting.map(({ name }) => name),
    )
    const project = await kit.project()
    const restrictions = { requestsPerMinute: 600 }
    const { body } = await (await kit.login(project)).post('/v1/keys', { name: 'x', restrictions })
    const api = kit.client('test', body.key as string)
    let stated = 0
    for (const { name } of accepting) {
      const [method = '', path = ''] = name.split(' ')
      if (method !== 'get' || path.includes('{')) continue
      const { status, headers } = await api.get(path)
      if (status >= 300) continue
      assert.ok(headers['ratelimit'] && headers['ratelimit-policy'], name)
      stated++
    }
    assert.ok(stated > 10, `${stated}`)
  })

  it('the events of the QR stream are described', () => {
    const { anyOf } = shared.components.schemas['QrStreamEvent'] as {
      anyOf: { properties: { event: { enum: string[] }; data: Schema } }[]
    }
    const described = anyOf.map(({ properties: { event, data } }) => [
      event.enum[0],
      Object.keys(data.properties ?? {}),
    ])
    assert.deepEqual(Object.fromEntries(described), {
      ready: ['instanceId', 'status', 'at'],
      qr: ['code', 'at', 'expiresAt'],
      status: ['status', 'at'],
      ping: [],
    })
  })

  it('Idempotency-Key is documented on exactly the operations whose handler honors it', () => {
    const documented = sharedOperations()
      .filter(({ parameters = [] }) =>
        parameters.some(({ $ref }) => $ref?.endsWith('/Idempotency-Key')),
      )
      .map(({ name: route, responses }) => {
        const success = Object.entries(responses).filter(([status]) => status.startsWith('2'))
        for (const [status, response] of success) {
          const name = response.$ref?.split('/').at(-1) ?? ''
          const { headers } = shared.components.responses[name] ?? response
          assert.ok(headers?.['Idempotent-Replayed'], `${route} ${status}`)
        }
        return route
      })
    assert.ok(documented.length > 20, `${documented.length}`)
    const honoring: string[] = []
    for (const file of globSync('src/**/*.routes.ts', { cwd: root })) {
      const text = readFileSync(join(root, file), 'utf8')
      const routes = text.split(/\b(?:server|scope)\.(?:get|post|put|patch|delete)\(/).slice(1)
      for (const route of routes) {
        const runs = /\b(?:idempotent|respond)\(\s*request|=> send\(request, reply/.test(route)
        assert.equal(/idempotent: true/.test(route), runs, `${file}: ${route.slice(0, 80)}`)
        if (runs) honoring.push(file)
      }
    }
    assert.ok(honoring.length > 20, `${honoring.length}`)
  })

  it('error codes and reasons are enums from the source', () => {
    const { properties } = shared.components.schemas['Error'] as {
      properties: { error: { properties: Record<'code' | 'reason', { enum: string[] }> } }
    }
    assert.deepEqual(properties.error.properties.reason.enum, [...FAILURE_REASONS])
    assert.ok(properties.error.properties.code.enum.includes('RATE_LIMITED'))
  })

  it('webhook bodies are one union, discriminated by their event', () => {
    const { oneOf, discriminator } = shared.components.schemas['WebhookEvent'] as {
      oneOf: { $ref: string }[]
      discriminator: { propertyName: string; mapping: Record<string, string> }
    }
    assert.equal(discriminator.propertyName, 'event')
    assert.deepEqual(Object.keys(discriminator.mapping), [...EVENT_NAMES])
    assert.deepEqual(
      oneOf.map(({ $ref }) => $ref),
      Object.values(discriminator.mapping),
    )
  })

  it('asyncapi.json describes the WebSocket with its first frame, its pings and the ten events', async () => {
    const { body } = await kit.client('production').get('/asyncapi.json')
    assert.equal(body.asyncapi, '3.0.0')
    const { messages, bindings } = dereference(body).channels.events
    const { properties } = bindings.ws.query
    assert.deepEqual(Object.keys(properties).toSorted(), ['events', 'instanceId', 'ping'])
    for (const [name, one] of Object.entries(properties)) assert.ok((one as Schema).type, name)
    assert.equal(Object.keys(messages).length, EVENT_NAMES.length + 2)
    assert.deepEqual(messages.ping.payload.properties.type, { type: 'string', const: 'ping' })
    assert.deepEqual(messages.ready.payload.required, ['type', 'connectionId', 'mode'])
    assert.ok(messages.MessageReceivedEvent.payload.properties.data)
  })
})

describe('/docs', () => {
  it('/docs returns a page that loads nothing from another origin', async () => {
    const client = kit.client('production')
    const page = await client.get('/docs/')
    assert.equal(page.status, 200)
    assert.match(String(page.headers['content-security-policy']), /default-src 'self'/)
    const addresses = [...page.text.matchAll(/(?:src|href)="(https?:\/\/[^"]+)"/g)]
    assert.deepEqual(addresses, [])
  })
})

/** Generates mostly valid values for a schema and sometimes values of a wrong type. */
function valueFor(schema: Schema): fc.Arbitrary<unknown> {
  const wrong = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constant(undefined))
  const right = schema.enum
    ? fc.constantFrom(...schema.enum)
    : schema.properties
      ? fc.record(
          Object.fromEntries(
            Object.entries(schema.properties).map(([name, item]) => [name, valueFor(item)]),
          ),
          { requiredKeys: [] },
        )
      : schema.type === 'array'
        ? fc.array(valueFor(schema.items ?? {}), { maxLength: 3 })
        : schema.type === 'integer' || schema.type === 'number'
          ? fc.oneof(fc.integer(), fc.double(), fc.maxSafeInteger())
          : schema.type === 'boolean'
            ? fc.boolean()
            : fc.oneof(
                fc.string(),
                fc.string({ unit: 'grapheme' }),
                fc.constantFrom('5511988887777', 'https://x.com', '{{id}}'),
              )
  return fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: wrong })
}

describe('generated requests', () => {
  it(
    'no route returns 5xx or an error without a message for generated requests',
    { timeout: 120_000 },
    async () => {
      const project = await kit.project()
      const api = await kit.key(project)
      const user = await kit.login(project)
      const { id, phoneId } = await kit.pair(api)
      const { body: webhook } = await api.post('/v1/webhooks', {
        name: 'w',
        url: 'https://x.invalid',
      })
      const known: Record<string, string> = { instances: id, phones: phoneId, webhooks: webhook.id }
      const cases = operations().filter(({ path }) => !path.endsWith('/qr'))
      const request = fc.constantFrom(...cases).chain(({ path, method, operation }) =>
        fc.record({
          path: fc.constant(path),
          method: fc.constant(method.toUpperCase()),
          security: fc.constant(JSON.stringify(operation.security ?? ['apiKey'])),
          useKnown: fc.boolean(),
          segment: fc.oneof(
            fc.string({ maxLength: 30 }),
            fc.string({ unit: 'binary', maxLength: 10 }),
          ),
          query: fc.dictionary(
            fc.constantFrom('limit', 'offset', 'q', 'since', 'status', 'conversationId', 'x'),
            fc.oneof(fc.string(), fc.integer().map(String)),
            { maxKeys: 3 },
          ),
          body: valueFor(operation.requestBody?.content['application/json']?.schema ?? {}),
          idempotencyKey: fc.option(fc.constantFrom('a', 'b', 'ç'), { freq: 5 }),
        }),
      )
      const seen = new Map<number, number>()
      await fc.assert(
        fc.asyncProperty(request, async (input) => {
          const room = input.path.split('/').find((part) => part in known) ?? ''
          const path = input.path
            .replace('{id}', input.useKnown && known[room] ? known[room] : safe(input.segment))
            .replace(/\{[^}]+\}/g, safe(input.segment))
          const search = new URLSearchParams(input.query).toString()
          const client = input.security.includes('userToken') ? user : api
          const hasBody = input.method !== 'GET' && input.method !== 'DELETE'
          const text = JSON.stringify(input.body)
          // After a generated logout, many rejections within a minute would wait for a clock that stands still.
          kit.clock.jump(200)
          // A request that waits for a session that an earlier one ended needs time to reach its deadline.
          const later = setInterval(() => kit.clock.jump(200), 50)
          const asked = client.call(input.method, `${path}${search ? `?${search}` : ''}`, {
            headers: {
              ...(hasBody && text !== undefined ? { 'content-type': 'application/json' } : {}),
              ...(input.idempotencyKey
                ? { 'idempotency-key': encodeURI(input.idempotencyKey) }
                : {}),
            },
            ...(hasBody && text !== undefined ? { body: text } : {}),
          })
          const answer = await asked.finally(() => clearInterval(later))
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
          assert.ok(answer.status < 500 || answer.status === 503, `${answer.status} ${answer.text}`)
          if (answer.status >= 400) assert.ok(answer.body.error.message)
        }),
        { numRuns: 1500 },
      )
      // Enough requests must pass authentication and validation for the result to mean anything.
      assert.ok((seen.get(200) ?? 0) > 20 && (seen.get(400) ?? 0) > 100, JSON.stringify([...seen]))
    },
  )
})

function safe(segment: string): string {
  // URL resolution removes segments of only dots.
  const sendable = /^\.{0,2}$/.test(segment) ? ' ' : segment
  return encodeURIComponent(sendable.toWellFormed())
}
