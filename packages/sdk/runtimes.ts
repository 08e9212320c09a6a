// `npm run check:runtimes`: the SDK, as one file, in Node.js, Bun, Deno and a Cloudflare Worker, against a small server.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

/** The oldest Node.js that the SDK supports. */
const OLDEST_NODE = '20.3.0'
const RUNTIMES = [`node@${OLDEST_NODE}`, 'bun@1.4.5', 'deno@2.9.6', 'miniflare@4.20260730.0']
const INSTALL_MS = 300_000
const RUN_MS = 60_000
const SECRET = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`
const MESSAGE = { id: 'msg_1', status: 'queued' }

/** The part of Miniflare that runs a Worker. */
type Miniflare = {
  Miniflare: new (options: object) => {
    dispatchFetch(url: string): Promise<{ json(): Promise<unknown> }>
    dispose(): Promise<void>
  }
}

/**
 * What each runtime runs: a send and an upload whose first responses are a 503, a list of two pages, an error, a signed
 * event, and live events where the WebSocket cannot send headers.
 */
const PROGRAM = `
import { NotFoundError, Recado, RecadoError } from './sdk.js'

export async function run(baseUrl, signed) {
  const recado = new Recado({ apiKey: 'svc_test_x', baseUrl })
  const sent = await recado.messages.sendText('ins_1', { to: '+5511988887777', text: 'Olá' })
  const file = new File(['conteúdo'], 'nota.txt', { type: 'text/plain' })
  const uploaded = await recado.media.upload({ file })
  const listed = []
  for await (const { id } of recado.messages.list('ins_1', { limit: 2 })) listed.push(id)
  const error = await recado.messages.get('ins_1', 'msg_x').catch((failure) => failure)
  const event = await recado.webhooks.verify(signed.body, signed.headers, signed.secret)
  class WebSocket {
    constructor(url, { headers }) {
      throw new SyntaxError('no headers')
    }
  }
  const noHeaders = new Recado({ apiKey: 'svc_test_x', baseUrl, WebSocket })
  const refused = await noHeaders.events().next().catch((failure) => failure)
  return {
    sent: sent.id,
    uploaded: uploaded.text,
    listed,
    notFound: error instanceof NotFoundError,
    event: event.event,
    noHeaders: refused instanceof RecadoError,
  }
}
`
const EXPECTED = {
  sent: 'msg_1',
  uploaded: 'conteúdo',
  listed: ['a', 'b', 'c'],
  notFound: true,
  event: 'message.received',
  noHeaders: true,
}
const ON_COMMAND_LINE = `
import { run } from './program.js'
const [baseUrl, signed] = (globalThis.Deno?.args ?? process.argv.slice(2))
console.log(JSON.stringify(await run(baseUrl, JSON.parse(signed))))
`
const IN_WORKER = `
import { run } from './program.js'
export default {
  async fetch(_request, env) {
    return Response.json(await run(env.BASE_URL, env.SIGNED))
  },
}
`

/** Starts a server that rejects the first attempt of each Idempotency-Key, and counts the keys. */
async function startServer() {
  const keys = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
        .end(JSON.stringify(body))
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    if (request.method === 'POST') {
      const key = String(request.headers['idempotency-key'])
      const attempts = (keys.get(key) ?? 0) + 1
      keys.set(key, attempts)
      const text = Buffer.concat(await request.toArray()).toString()
      if (attempts > 1) {
        const [, part] =
          /filename="nota.txt"\r\ncontent-type: text\/plain[^\r]*\r\n\r\n([^\r]*)\r\n--/.exec(
            text,
          ) ?? []
        return answer(201, { ...MESSAGE, text: part ?? null })
      }
      return answer(503, { error: { code: 'UNAVAILABLE', message: 'ocupado' } })
    }
    if (pathname.endsWith('/messages')) {
      const first = Number(searchParams.get('offset') ?? 0) === 0
      const items = (first ? ['a', 'b'] : ['c']).map((id) => ({ id }))
      return answer(200, { items, limit: 2, offset: first ? 0 : 2, hasMore: first })
    }
    return answer(404, { error: { code: 'NOT_FOUND', message: 'não existe' } })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { keys, baseUrl: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** A signed delivery, for `verify`. */
function sign() {
  const body = JSON.stringify({ event: 'message.received', data: {} })
  const [id, timestamp] = ['evt_1', String(Math.floor(Date.now() / 1000))]
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  return { body, headers, secret: SECRET }
}

/** Runs a program and returns what it prints. Rejects with its errors if it fails. */
function printed(program: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: RUN_MS })
    let [out, errors] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(out) : reject(new Error(`${program} exited with ${code}: ${errors}`)),
    )
  })
}

const dir = mkdtempSync(join(tmpdir(), 'recado-runtimes-'))
const server = await startServer()
try {
  const flags = ['--no-fund', '--no-audit', '--loglevel=error']
  const npm = spawnSync('npm', ['install', '--prefix', dir, ...flags, ...RUNTIMES], {
    stdio: 'inherit',
    timeout: INSTALL_MS,
  })
  assert.equal(npm.status, 0, `npm install ${RUNTIMES.join(' ')} exited with ${npm.status}`)
  const input = fileURLToPath(new URL('src/index.ts', import.meta.url))
  const bundle = await rolldown({ input })
  await bundle.write({ file: join(dir, 'sdk.js'), format: 'esm' })
  for (const [name, text] of Object.entries({
    'package.json': '{ "type": "module" }',
    'program.js': PROGRAM,
    'main.js': ON_COMMAND_LINE,
    'worker.js': IN_WORKER,
  })) {
    writeFileSync(join(dir, name), text)
  }
  const main = join(dir, 'main.js')
  const bin = (name: string) => join(dir, 'node_modules/.bin', name)
  const args = () => [main, server.baseUrl, JSON.stringify(sign())]
  for (const [name, program, before] of [
    ['Node.js', process.execPath, []],
    [`Node.js ${OLDEST_NODE}`, bin('node'), []],
    ['Bun', bin('bun'), []],
    ['Deno', bin('deno'), ['run', '--allow-net=127.0.0.1', '--no-config']],
  ] as const) {
    assert.deepEqual(JSON.parse(await printed(program, [...before, ...args()])), EXPECTED, name)
    process.stdout.write(`${name}: ok\n`)
  }
  const entry = pathToFileURL(join(dir, 'node_modules/miniflare/dist/src/index.js')).href
  const { Miniflare } = (await import(entry)) as Miniflare
  const worker = new Miniflare({
    compatibilityDate: '2026-07-01',
    modulesRoot: dir,
    modules: ['worker.js', 'program.js', 'sdk.js'].map((name) => ({
      type: 'ESModule',
      path: join(dir, name),
    })),
    bindings: { BASE_URL: server.baseUrl, SIGNED: sign() },
  })
  try {
    const answer = await worker.dispatchFetch('http://localhost/')
    assert.deepEqual(await answer.json(), EXPECTED, 'Worker')
  } finally {
    await worker.dispose()
  }
  process.stdout.write('Worker: ok\n')
  // Each runtime repeated its send and its upload once, with the same key.
  assert.deepEqual(
    [...server.keys.values()],
    Array.from({ length: 10 }, () => 2),
  )
} finally {
  server.close()
  rmSync(dir, { recursive: true, force: true })
}
