// The TypeScript SDK against a real server.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { openAsBlob, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { after, before, describe, it, mock } from 'node:test'
import { rolldown } from 'rolldown'
import { WebSocket } from 'ws'
import { NOT_CALLS } from '../../packages/sdk/not-calls.ts'
import {
  AuthenticationError,
  ConnectionError,
  GatewayError,
  InvalidRequestError,
  NotFoundError,
  PaymentRequiredError,
  Recado,
  RecadoError,
  SignatureError,
  TimeoutError,
  AbortError,
  UnexpectedResponseError,
  verify,
  type WebhookEvent,
} from '../../packages/sdk/src/index.ts'
import { describeApi } from '../../src/platform/http/openapi.ts'
import { createSdk, fetchLocal } from '../kit/sdk.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

const MAX_BUNDLE_BYTES = 15_000
const MAX_ONE_CALL_BYTES = 5000
const ANA = '+55 11 98888-7777'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

/** A connected instance of a new Project, and the SDK with its key. */
async function connected(options: Parameters<typeof createSdk>[2] = {}) {
  const api = await kit.key(await kit.project())
  const { id } = await kit.pair(api)
  return { api, id, recado: createSdk(kit, api.key, options) }
}

/** Starts an HTTP server that is not Recado; returns its origin. */
async function startOther(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function countMessages({ id, recado }: { id: string; recado: Recado }): Promise<number> {
  let count = 0
  for await (const message of recado.messages.list(id, { limit: 50 })) {
    if (message.direction === 'outbound') count++
  }
  return count
}

describe('calls of the SDK', () => {
  it('the SDK covers every operation that a key may call', () => {
    const source = readFileSync(
      new URL('../../packages/sdk/src/generated/resources.gen.ts', import.meta.url),
      'utf8',
    )
    const reached = new Set([...source.matchAll(/\bapi\.(\w+)/g)].map(([, name]) => name))
    const { paths } = describeApi(kit.app.server) as {
      paths: Record<string, Record<string, object>>
    }
    const missing = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) => ('operationId' in operation ? [String(operation.operationId)] : []))
      .filter((name) => !reached.has(name) && !NOT_CALLS.test(name))
    assert.deepEqual(missing, [])
    // A deletion whose response is lost resolves with nothing: it must have no other result, except of a mark.
    const withResult = Object.entries(paths).filter(
      ([path, { delete: deletion }]) =>
        deletion &&
        !/\/(pin|star|keep)$/.test(path) &&
        !('204' in (deletion as { responses: object }).responses),
    )
    assert.deepEqual(withResult, [])
  })

  it('a hundred sends whose first responses are lost create exactly a hundred messages', async () => {
    const lost = new Set<string>()
    const { id, recado } = await connected({
      async fetch(request) {
        const key = request.headers.get('idempotency-key') ?? ''
        const response = await fetchLocal(request)
        if (request.method !== 'POST' || lost.has(key)) return response
        // The server has committed; the connection ends before its response arrives.
        lost.add(key)
        throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') })
      },
    })
    const sends = Array.from({ length: 100 }, (_, n) =>
      recado.messages.sendText(id, { to: ANA, text: `pedido ${n}` }),
    )
    const ids = new Set((await Promise.all(sends)).map((message) => message.id))
    assert.equal(lost.size, 100)
    assert.equal(ids.size, 100)
    assert.equal(await countMessages({ id, recado }), 100)
  })

  it('a list neither skips nor repeats items while it shrinks or grows', async () => {
    const { id, recado } = await connected()
    const made = []
    for (let index = 0; index < 12; index++)
      made.push(await recado.webhooks.create({ name: `w${index}`, url: 'https://loja.com.br/' }))
    for (const limit of [4, 1]) {
      const known = new Set<string>()
      for await (const { id: webhookId } of recado.webhooks.list({ limit })) known.add(webhookId)
      assert.equal(known.size, 12)
    }
    let deleted = 0
    for await (const webhook of recado.webhooks.list({ limit: 4 })) {
      await recado.webhooks.delete(webhook.id)
      deleted++
    }
    assert.deepEqual([deleted, (await recado.webhooks.list().page()).items.length], [12, 0])
    const send = (text: string) => recado.messages.sendText(id, { to: ANA, text })
    for (let index = 0; index < 12; index++) await send(`${index}`)
    const texts: string[] = []
    for await (const { text } of recado.messages.list(id, { limit: 5 })) {
      texts.push(text ?? '')
      if (texts.length < 8) await send('nova')
    }
    const sorted = Array.from({ length: 12 }, (_, index) => `${11 - index}`)
    assert.deepEqual(
      texts.filter((text) => text !== 'nova'),
      sorted,
    )
    assert.deepEqual(texts.slice(0, 5), sorted.slice(0, 5))
  })

  it('the error of a call that may have been made has the key with which it is repeated once', async () => {
    let losing = true
    const { id, recado } = await connected({
      maxRetries: 0,
      fetch: async (request) => {
        const response = await fetchLocal(request)
        if (!losing) return response
        throw new TypeError('fetch failed', { cause: new Error('socket hang up') })
      },
    })
    const error = await recado.messages.sendText(id, { to: ANA, text: 'oi' }).then(
      () => null,
      (failure: RecadoError) => failure,
    )
    assert.ok(error instanceof ConnectionError && error.idempotencyKey)
    assert.match(error.message, /pode ter sido feita: repita-a com a idempotencyKey/)
    // A second webhook would be made, whatever its key; a read changes nothing.
    const failureOf = (call: Promise<unknown>) =>
      call.then(
        () => null,
        (failure: RecadoError) => failure,
      )
    const once = await failureOf(recado.webhooks.create({ name: 'w', url: 'https://loja.com.br/' }))
    assert.equal(once?.idempotencyKey, null)
    assert.match(once?.message ?? '', /pode ter sido feita: confira antes de repeti-la/)
    const read = await failureOf(recado.me())
    assert.doesNotMatch(read?.message ?? 'pode ter sido feita', /pode ter sido feita/)
    losing = false
    const { idempotencyKey } = error
    await recado.messages.sendText(id, { to: ANA, text: 'oi' }, { idempotencyKey })
    assert.equal(await countMessages({ id, recado }), 1)
  })

  it('a list yields every item across its pages', async () => {
    const { id, recado } = await connected()
    for (let n = 0; n < 7; n++) await recado.messages.sendText(id, { to: ANA, text: `${n}` })
    const texts: (string | null)[] = []
    for await (const { text } of recado.messages.list(id, { limit: 3 })) texts.push(text)
    assert.deepEqual(texts, ['6', '5', '4', '3', '2', '1', '0'])
    const { items, hasMore } = await recado.messages.list(id, { limit: 3 }).page()
    assert.deepEqual([items.length, hasMore], [3, true])
  })

  it('an error response becomes an error with its status, reason and request id', async () => {
    const { id, recado } = await connected()
    await assert.rejects(recado.messages.get(id, 'msg_x'), NotFoundError)
    await assert.rejects(
      recado.messages.sendText(id, { to: 'abc', text: 'x' }),
      InvalidRequestError,
    )
    const project = await kit.project()
    const api = await kit.key(project, 'production')
    await kit.operator.projects.set(kit.db, project.projectId, 'x', { subscription: 'canceled' })
    await assert.rejects(createSdk(kit, api.key).instances.create({ name: 'Loja' }), (error) => {
      assert.ok(error instanceof PaymentRequiredError)
      assert.equal(error.reason, 'SUBSCRIPTION_REQUIRED')
      assert.match(error.requestId ?? '', /^req_/)
      return true
    })
  })

  it('a response that is not from Recado, and a server that cannot be reached, say what to check', async () => {
    const key = `svc_test_${'x'.repeat(40)}`
    const options = { apiKey: key, maxRetries: 0 }
    for (const [type, text] of [
      [null, '<h1>oi</h1>'],
      ['application/json', '{"hello":1}'],
      ['text/plain', 'ok'],
    ] as const) {
      await using other = await startOther((_request, response) => {
        if (type !== null) response.setHeader('content-type', type)
        response.end(text)
      })
      const recado = new Recado({ ...options, baseUrl: other.baseUrl })
      await assert.rejects(recado.instances.list({ limit: 1 }).page(), UnexpectedResponseError)
    }
    await using site = await startOther((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>oi</h1>'),
    )
    await assert.rejects(new Recado({ ...options, baseUrl: site.baseUrl }).me(), (error) => {
      assert.ok(error instanceof UnexpectedResponseError)
      assert.match(error.message, /baseUrl/)
      return true
    })
    await using gateway = await startOther((_request, response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
    )
    await assert.rejects(
      new Recado({ ...options, baseUrl: gateway.baseUrl, maxRetries: 0 }).me(),
      (error) => error instanceof GatewayError && /502 no lugar do Recado/.test(error.message),
    )
    await assert.rejects(
      new Recado({ ...options, baseUrl: 'http://127.0.0.1:1' }).me(),
      ConnectionError,
    )
    assert.throws(() => new Recado({ apiKey: 'errada' }), RecadoError)
  })

  it('a proxy that sends request ids, other JSON or a 404 of its own is not taken for Recado', async () => {
    const apiKey = `svc_test_${'x'.repeat(40)}`
    const call = (...responses: (() => Response)[]) =>
      new Recado({
        apiKey,
        maxRetries: responses.length - 1,
        fetch: async () => (responses.shift() ?? Response.error)(),
      })
    const id = { 'x-request-id': 'd1a' }
    const html = { ...id, 'content-type': 'text/html' }
    const json = { ...id, 'content-type': 'application/json' }
    const page = () => new Response('<h1>Rails</h1>', { headers: html })
    await assert.rejects(call(page).me(), UnexpectedResponseError)
    await assert.rejects(
      call(() => new Response(null, { headers: id })).me(),
      UnexpectedResponseError,
    )
    const spring = () => new Response('{"error":"Not Found"}', { status: 404, headers: json })
    await assert.rejects(call(spring).me(), UnexpectedResponseError)
    const lost = () => new Response('<h1>Bad Gateway</h1>', { status: 502 })
    const absent = () => new Response('404 page not found', { status: 404 })
    await assert.rejects(call(lost, absent).webhooks.delete('whk_x'), UnexpectedResponseError)
    const crowded = () =>
      new Response('slow down', { status: 429, headers: { 'retry-after': '0' } })
    const broken = () => new Response('<h1>Oops</h1>', { status: 522 })
    const own = { 'x-request-id': 'req_1', 'content-type': 'application/json' }
    const fine = () => new Response('{"mode":"test"}', { headers: own })
    assert.equal((await call(crowded, broken, fine).me()).mode, 'test')
    // A success of another server is not taken for a message that was sent, whatever its type.
    for (const [type, text] of [
      ['application/json', '{"ok":true}'],
      ['text/plain', 'ok'],
      ['Text/HTML; charset=utf-8', '<h1>Rails</h1>'],
      ['application/xhtml+xml', '<html/>'],
    ] as const) {
      const other = () => new Response(text, { headers: { ...id, 'content-type': type } })
      const sent = call(other).messages.sendText('ins_1', { to: ANA, text: 'olá' })
      await assert.rejects(sent, UnexpectedResponseError, type)
    }
    const nowhere = () => new Response(null, { status: 302, headers: { location: 'http://[' } })
    await assert.rejects(call(nowhere).me(), UnexpectedResponseError)
  })

  it('a key that is cut, or that holds more than a key, is refused without being shown', () => {
    for (const apiKey of ['errada', 'svc_test_…', 'svc_test_abc\nsegredo', 'svc_live_a b', ''])
      assert.throws(
        () => new Recado({ apiKey }),
        (error) =>
          error instanceof RecadoError &&
          error.message.includes('apiKey') &&
          !error.message.includes('segredo'),
      )
  })

  it('an idempotency key of any characters is sent, and identifies its call', async () => {
    const { id, recado } = await connected()
    const options = { idempotencyKey: 'pedido nº 7 — “João”' }
    const body = { to: ANA, text: 'olá' }
    const first = await recado.messages.sendText(id, body, options)
    assert.equal((await recado.messages.sendText(id, body, options)).id, first.id)
    assert.equal(await countMessages({ id, recado }), 1)
  })

  it('a gateway that says when to try again is asked then', async () => {
    const times: number[] = []
    const apiKey = `svc_test_${'x'.repeat(40)}`
    const busy = { 'content-type': 'text/html', 'retry-after': '1' }
    const own = { 'x-request-id': 'req_1', 'content-type': 'application/json' }
    const recado = new Recado({
      apiKey,
      fetch: async () => {
        times.push(performance.now())
        return times.length === 1
          ? new Response('<h1>busy</h1>', { status: 503, headers: busy })
          : new Response('{"mode":"test"}', { headers: own })
      },
    })
    await recado.me()
    const [first = 0, second = 0] = times
    assert.ok(second - first >= 990, `${second - first} ms`)
  })

  it('a redirect is not followed, which would turn a send into a read, and names the address to use', async () => {
    const received: string[] = []
    await using other = await startOther((incoming, response) => {
      received.push(`${incoming.method} ${incoming.headers.authorization}`)
      response.setHeader('x-request-id', 'req_x').end('{"items":[],"hasMore":false}')
    })
    for (const status of [301, 302, 307, 308]) {
      await using proxy = await startOther((incoming, response) =>
        response.writeHead(status, { location: `${other.baseUrl}${incoming.url}` }).end(),
      )
      const recado = new Recado({ apiKey: `svc_test_${'x'.repeat(40)}`, baseUrl: proxy.baseUrl })
      await assert.rejects(recado.instances.create({ name: 'Loja' }), (error) => {
        assert.ok(error instanceof UnexpectedResponseError)
        assert.ok(error.message.includes(`redireciona para ${other.baseUrl}: use`), error.message)
        return true
      })
    }
    assert.deepEqual(received, [])
    // Its own origin would be no advice: another program responds there.
    await using login = await startOther((_, response) =>
      response.writeHead(302, { location: '/login' }).end(),
    )
    const recado = new Recado({ apiKey: `svc_test_${'x'.repeat(40)}`, baseUrl: login.baseUrl })
    await assert.rejects(recado.me(), /redireciona para outra página, e não é o Recado: confira/)
  })

  it('a server that does not answer is given up after the timeout, and at once when the caller aborts', async () => {
    await using silent = await startOther(() => {})
    const apiKey = `svc_test_${'x'.repeat(40)}`
    const recado = new Recado({ apiKey, baseUrl: silent.baseUrl, timeoutMs: 50, maxRetries: 1 })
    await assert.rejects(recado.me(), TimeoutError)
    const abort = new AbortController()
    const waiting = assert.rejects(recado.me({ signal: abort.signal, timeoutMs: 60_000 }), /abort/i)
    abort.abort()
    await waiting
  })

  it('a call that is aborted after it may have been made carries the key that repeats it', async () => {
    const abort = new AbortController()
    let asked = 0
    await using lost = await startOther((_, response) => {
      if (++asked > 1) abort.abort(new Error('demorou'))
      response.destroy()
    })
    const apiKey = `svc_test_${'x'.repeat(40)}`
    const recado = new Recado({ apiKey, baseUrl: lost.baseUrl })
    const options = { signal: abort.signal, idempotencyKey: 'pedido-1' }
    await assert.rejects(recado.instances.create({ name: 'Loja' }, options), (error) => {
      assert.ok(error instanceof AbortError)
      assert.equal(error.name, 'AbortError')
      assert.equal(error.idempotencyKey, 'pedido-1')
      assert.equal((error.cause as Error).message, 'demorou')
      return true
    })
    // Nothing was sent, and nothing has to be repeated.
    await assert.rejects(recado.instances.create({ name: 'Loja' }, options), (error) => {
      assert.ok(error instanceof AbortError)
      assert.equal(error.idempotencyKey, null)
      return true
    })
  })

  it('a rejected request is repeated after the time that the server asks for, and a busy server too', async () => {
    const asked: number[] = []
    const message = { error: { code: 'RATE_LIMITED', message: 'devagar' } }
    await using busy = await startOther((_request, response) => {
      asked.push(performance.now())
      if (asked.length === 1) {
        response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
        response.end(JSON.stringify(message))
      } else if (asked.length === 2) response.writeHead(502).end()
      else {
        response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
        response.end('{"mode":"test"}')
      }
    })
    const apiKey = `svc_test_${'x'.repeat(40)}`
    const { mode } = await new Recado({ apiKey, baseUrl: busy.baseUrl }).me()
    assert.equal(mode, 'test')
    assert.equal(asked.length, 3)
    assert.ok((asked[1] ?? 0) - (asked[0] ?? 0) >= 990)
  })

  it('a deletion whose response is lost succeeds, and one of what never was there is a NotFoundError', async () => {
    let lost = false
    const { id, recado } = await connected({
      async fetch(request) {
        const response = await fetchLocal(request)
        if (request.method !== 'DELETE' || lost) return response
        lost = true
        throw new TypeError('fetch failed')
      },
    })
    await recado.instances.delete(id)
    assert.equal(lost, true)
    await assert.rejects(recado.instances.get(id), NotFoundError)
    await assert.rejects(recado.instances.delete(id), NotFoundError)
    let requests = 0
    await using gone = await startOther((request, response) => {
      if (requests++ === 0) request.socket.destroy()
      else {
        response.writeHead(404, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
        response.end('{"error":{"code":"NOT_FOUND","message":"mensagem não encontrada"}}')
      }
    })
    const unpinning = new Recado({ apiKey: `svc_test_${'x'.repeat(40)}`, baseUrl: gone.baseUrl })
    await assert.rejects(unpinning.messages.unpin('ins_1', 'msg_1'), NotFoundError)
    assert.equal(requests, 2)
  })

  it('a file is read while it is sent, and arrives with its name, type and bytes', async () => {
    const { id, recado } = await connected()
    const bytes = randomBytes(1_000_001)
    const file = new File([bytes], 'nota nº 1.pdf', { type: 'application/pdf' })
    const media = await recado.media.upload({ file })
    assert.deepEqual(
      [media.mimeType, media.sizeBytes, media.sha256],
      ['application/pdf', bytes.length, createHash('sha256').update(bytes).digest('hex')],
    )
    const mentions = ['5511999990001', '5511999990002']
    const body = { to: ANA, type: 'document' as const, caption: 'A nota', mentions, file }
    const sent = await recado.messages.sendUpload(id, body)
    assert.deepEqual([sent.text, sent.media?.fileName], ['A nota', 'nota nº 1.pdf'])
    // A peer that reads nothing: whatever is read of the file before is in memory.
    let read = 0
    await using deaf = await startOther((request) => void request.pause())
    const counted = new Proxy(new Blob([Buffer.alloc(64 * 1024 * 1024)]), {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (name !== 'slice') return typeof value === 'function' ? value.bind(target) : value
        return (start: number, end: number) => {
          read = end
          return target.slice(start, end)
        }
      },
    })
    const stuck = new Recado({ apiKey: `svc_test_${'x'.repeat(40)}`, baseUrl: deaf.baseUrl })
    await assert.rejects(stuck.media.upload({ file: counted }, { timeoutMs: 1500 }), TimeoutError)
    assert.ok(read > 0 && read < 16 * 1024 * 1024, `${read} bytes`)
  })

  it('an upload has a second for every 50 kB, however short the timeout of other calls is', async () => {
    await using slow = await startOther((request, response) => {
      request.resume().once('end', () =>
        setTimeout(() => {
          response.writeHead(201, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
          response.end('{"id":"med_1"}')
        }, 300),
      )
    })
    const apiKey = `svc_test_${'x'.repeat(40)}`
    const recado = new Recado({ apiKey, baseUrl: slow.baseUrl, timeoutMs: 100, maxRetries: 0 })
    const file = new Blob([Buffer.alloc(500_000)])
    assert.equal((await recado.media.upload({ file })).id, 'med_1')
    await assert.rejects(recado.media.upload({ file: new Blob(['x']) }), TimeoutError)
  })

  it('RECADO_URL is the address of the server unless another is given', async () => {
    await using other = await startOther((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
      response.end('{"mode":"test"}')
    })
    process.env['RECADO_URL'] = other.baseUrl
    try {
      const apiKey = `svc_test_${'x'.repeat(40)}`
      assert.equal((await new Recado({ apiKey }).me()).mode, 'test')
      const given = new Recado({ apiKey, baseUrl: 'http://127.0.0.1:9', maxRetries: 0 })
      await assert.rejects(given.me(), /127\.0\.0\.1:9/)
    } finally {
      delete process.env['RECADO_URL']
    }
  })

  it('a file that is uploaded is not kept in memory, also while its peer reads', async () => {
    const program = fileURLToPath(new URL('../kit/count-bytes.ts', import.meta.url))
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const [port] = (await once(child.stdout, 'data')) as [Buffer]
      const baseUrl = `http://127.0.0.1:${String(port).trim()}`
      const recado = new Recado({ apiKey: `svc_test_${'x'.repeat(40)}`, baseUrl, maxRetries: 0 })
      const size = 200 * 1024 * 1024
      const file = join(tmpdir(), `recado-upload-${process.pid}`)
      writeFileSync(file, '')
      truncateSync(file, size)
      let most = 0
      const before = process.memoryUsage().arrayBuffers
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before)
      }, 5)
      const { sizeBytes } = await recado.media.upload({ file: await openAsBlob(file) })
      clearInterval(watch)
      rmSync(file)
      assert.ok(sizeBytes > size)
      // What the garbage collector has not freed yet counts; a copy would be the whole file.
      assert.ok(most < size * 0.75, `${most} bytes of ${size}`)
    } finally {
      child.kill()
    }
  })

  it('a POST without idempotency is not repeated when its response is lost', async () => {
    let requests = 0
    const { recado, api } = await connected({
      async fetch(request) {
        await fetchLocal(request)
        requests++
        throw new TypeError('fetch failed')
      },
    })
    const webhook = { name: 'ERP', url: 'https://x.invalid/hook' }
    await assert.rejects(recado.webhooks.create(webhook), ConnectionError)
    assert.equal(requests, 1)
    assert.equal((await api.get('/v1/webhooks')).body.items.length, 1)
  })
})

describe('webhooks of the SDK', () => {
  it('a delivery is verified with any of the secrets and returned as a typed event; a changed one is rejected', async () => {
    const { id, recado } = await connected()
    const endpoint = await kit.receiver()
    const { secret } = await recado.webhooks.create({ name: 'ERP', url: endpoint.url })
    await recado.messages.sendText(id, { to: ANA, text: 'olá' })
    await kit.settle()
    const [delivery] = endpoint.events('message.status')
    assert.ok(delivery)
    const { text, headers } = delivery
    const now = kit.clock.now()
    const options = { now: new Date(now) }
    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
    const event: WebhookEvent = await recado.webhooks.verify(
      text,
      headers,
      [other, secret],
      options,
    )
    assert.ok(event.event === 'message.status' && event.data.waMessageIds.length === 1)
    await verify(Buffer.from(text), new Headers(headers as Record<string, string>), secret, options)
    const late = { now: new Date(now + 301_000) }
    await assert.rejects(verify(`${text} `, headers, secret, options), SignatureError)
    await assert.rejects(verify(text, headers, other, options), SignatureError)
    await assert.rejects(verify(text, headers, 'abc', options), SignatureError)
    await assert.rejects(verify(text, {}, secret, options), SignatureError)
    await assert.rejects(verify(text, headers, secret, late), SignatureError)
    // The headers of any library, and none at all.
    const entries = Object.entries(headers as Record<string, string>)
    await verify(text, new Map(entries), secret, options)
    await assert.rejects(verify(text, undefined as never, secret, options), SignatureError)
  })

  it('a signed body that is not JSON is a SignatureError', async () => {
    const secret = Buffer.alloc(32, 7)
    const id = 'msg_1'
    const timestamp = '1700000000'
    const body = 'oi'
    const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${mac}`,
    }
    const options = { now: new Date(1_700_000_000_000) }
    const given = verify(body, headers, `whsec_${secret.toString('base64')}`, options)
    await assert.rejects(given, SignatureError)
  })
})

/** A WebSocket for the hosts of the test server, which no name server knows. */
class LoopbackSocket extends WebSocket {
  constructor(url: string, options: { headers: Record<string, string> }) {
    super(url.replace(/\/\/[^:]+:/, '//127.0.0.1:'), {
      headers: { ...options.headers, host: new URL(url).host },
    })
  }
}

describe('live events of the SDK', () => {
  it('the iterator yields events, and a gap after the connection was lost', async () => {
    const { id, recado } = await connected({
      WebSocket: class extends LoopbackSocket {
        constructor(url: string, options: { headers: Record<string, string> }) {
          super(url, options)
          this.on('open', () => sockets.push(this))
        }
      } as never,
    })
    const abort = new AbortController()
    const seen: string[] = []
    const reading = (async () => {
      for await (const item of recado.events({
        events: ['message.status'],
        signal: abort.signal,
      })) {
        seen.push(item.event)
        if (item.event === 'gap') assert.ok(item.from <= item.until)
        if (seen.includes('gap')) abort.abort()
      }
    })()
    const until = async (so: () => boolean) => {
      while (!so()) await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await until(() => sockets.length === 1)
    await kit.settle()
    await recado.messages.sendText(id, { to: ANA, text: 'olá' })
    await kit.settle()
    await until(() => seen.includes('message.status'))
    sockets[0]?.terminate()
    await reading
    assert.equal(seen.at(-1), 'gap')
  })
  const sockets: WebSocket[] = []

  it('an address that is not Recado ends the iterator with an error that says what to check', async () => {
    await using site = await startOther((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>oi</h1>'),
    )
    const recado = new Recado({
      apiKey: `svc_test_${'x'.repeat(40)}`,
      baseUrl: site.baseUrl,
      maxRetries: 0,
      WebSocket: WebSocket as never,
    })
    await assert.rejects(recado.events().next(), UnexpectedResponseError)
  })

  it('frames of another server, or of a later version, end nothing but their connection', async () => {
    await using site = await startOther((_request, response) =>
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>oi</h1>'),
    )
    for (const frame of ['hello', 'null', '[]', '{"type":"unknown"}', Buffer.from([0, 255])]) {
      class Foreign extends EventTarget {
        constructor() {
          super()
          queueMicrotask(() => {
            this.dispatchEvent(new MessageEvent('message', { data: frame }))
            this.close()
          })
        }
        close() {
          this.dispatchEvent(Object.assign(new Event('close'), { code: 1000, reason: '' }))
        }
      }
      const recado = new Recado({
        apiKey: `svc_test_${'x'.repeat(40)}`,
        baseUrl: site.baseUrl,
        WebSocket: Foreign as never,
      })
      await assert.rejects(recado.events().next(), UnexpectedResponseError, String(frame))
    }
  })

  it('a connection on which nothing arrives any more is replaced, and its events are reported as a gap', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const opened: EventTarget[] = []
      class Silent extends EventTarget {
        constructor() {
          super()
          opened.push(this)
        }
        close() {}
      }
      const recado = new Recado({
        apiKey: `svc_test_${'x'.repeat(40)}`,
        WebSocket: Silent as never,
        fetch: async () => new Response(null, { status: 503 }),
      })
      const frame = (socket: EventTarget | undefined, type: string) =>
        socket?.dispatchEvent(new MessageEvent('message', { data: JSON.stringify({ type }) }))
      const pass = async (ms: number, count: number) => {
        mock.timers.tick(ms)
        while (opened.length < count) {
          await new Promise((resolve) => setImmediate(resolve))
          mock.timers.tick(1000)
        }
      }
      const events = recado.events()
      const first = events.next()
      // The handshake is never answered.
      await pass(15_000, 2)
      frame(opened[1], 'ready')
      const gap = await first
      assert.equal(gap.value?.event, 'gap')
      const second = events.next()
      mock.timers.tick(50_000)
      frame(opened[1], 'ping')
      mock.timers.tick(50_000)
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(opened.length, 2, 'pings keep the connection')
      await pass(15_000, 3)
      frame(opened[2], 'ready')
      assert.equal((await second).value?.event, 'gap')
      await events.return()
    } finally {
      mock.timers.reset()
    }
  })

  it('an instance or an event that does not exist ends the iterator with the sentence of the server', async () => {
    const { recado } = await connected({ WebSocket: LoopbackSocket as never })
    await assert.rejects(
      recado.events({ instanceId: 'ins_nope' }).next(),
      /instância não encontrada/,
    )
    await assert.rejects(recado.events({ events: ['foo' as never] }).next(), /evento inválido: foo/)
  })

  it('a refused key ends the iterator with an error that says why', async () => {
    const apiKey = `svc_test_${'x'.repeat(40)}`
    const recado = createSdk(kit, apiKey, { WebSocket: LoopbackSocket as never })
    await assert.rejects(recado.events().next(), AuthenticationError)
  })
})

describe('the bundle of the SDK', () => {
  const sizeOf = async (code: string) => {
    const entry = '\0entry'
    const bundle = await rolldown({
      input: entry,
      plugins: [
        {
          name: 'entry',
          resolveId: (id) => (id === entry ? id : null),
          load: (id) => (id === entry ? code : null),
        },
      ],
    })
    const { output } = await bundle.generate({ minify: true })
    return gzipSync(output[0].code).length
  }
  const path = (name: string) =>
    JSON.stringify(fileURLToPath(new URL(`../../packages/sdk/src/${name}`, import.meta.url)))

  it('the bundle of the SDK is at most 15 kB compressed, and 5 kB for one call, also of an upload', async () => {
    const all = await sizeOf(`export * from ${path('index.ts')}`)
    assert.ok(all <= MAX_BUNDLE_BYTES, `${all} bytes`)
    const calls = {
      sendText: { path: { id: 'ins_1' }, body: { to: '5511', text: 'Olá' } },
      listMessages: { path: { id: 'ins_1' }, query: { limit: 10 } },
      uploadMedia: { body: { file: 'x' } },
      sendUpload: { path: { id: 'ins_1' }, body: { to: '5511', file: 'x' } },
    }
    for (const [name, input] of Object.entries(calls)) {
      const one = await sizeOf(`import { createTransport, ${name} } from ${path('calls.ts')}
        const { call } = createTransport({ apiKey: process.env.RECADO_KEY })
        await call(${name}, ${JSON.stringify(input)})`)
      assert.ok(one <= MAX_ONE_CALL_BYTES, `${name}: ${one} bytes`)
    }
  })
})
