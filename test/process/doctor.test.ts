// `ops doctor` against a real server, through proxies with one mistake each.
import assert from 'node:assert/strict'
import { createServer, request as httpRequest, type Server } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { say } from '../../src/kernel/phrases/phrases.ts'
import { findPort, makePreparedDataDir, removeDataDir, run, type Run } from '../kit/process.ts'
import { startReceiver } from '../kit/receiver.ts'

type Check = { name: string; ok: boolean; detail: string; remedy: string | null }
type Mistake = 'none' | 'host' | 'address' | 'scheme' | 'buffers' | 'no upgrade'

const words = say.ops.remedies
/** Not in TRUST_PROXY. */
const UNTRUSTED = '127.0.0.2'
const dataDir = makePreparedDataDir()
const closers: (() => unknown)[] = []
let server: Run
let port = 0

before(async () => {
  port = await findPort()
  server = run('src/main.ts', [], { ...base(), PORT: String(port), TRUST_PROXY: '127.0.0.1' })
  await server.says('Recado está no ar.')
})
after(async () => {
  for (const close of closers) close()
  server.child.kill('SIGTERM')
  await server.ended
  removeDataDir(dataDir)
})

/** No test reaches WhatsApp. */
const base = () => ({ DATA_DIR: dataDir, PRODUCTION_NETWORK: 'simulator', PORT: String(port) })

async function examine(env: Record<string, string> = {}, ...args: string[]) {
  const { code, output } = await run('src/cli.ts', ['doctor', '--json', ...args], {
    ...base(),
    ...env,
  }).ended
  const { ok, checks } = JSON.parse(output) as { ok: boolean; checks: Check[] }
  assert.equal(code, ok ? 0 : 1)
  const failed = checks.filter((check) => !check.ok)
  assert.ok(checks.every((check) => check.ok === (check.remedy === null)))
  return { checks, failed: failed.map(({ name, remedy }) => [name, remedy]) }
}

/** A proxy in front of the server; returns the addresses that it serves. */
async function startProxy(mistake: Mistake) {
  const proxy: Server = createServer((incoming, outgoing) => {
    const headers: Record<string, string | string[] | undefined> = { ...incoming.headers }
    headers['x-forwarded-for'] = '203.0.113.9'
    if (mistake === 'scheme') headers['x-forwarded-proto'] = 'https'
    if (mistake === 'host') headers['host'] = `127.0.0.1:${port}`
    const { method, url } = incoming
    const from = mistake === 'address' ? { localAddress: UNTRUSTED } : {}
    const passed = httpRequest(
      { port, method, path: url, headers, agent: false, ...from },
      async (response) => {
        const { statusCode = 502 } = response
        if (mistake === 'buffers') {
          const body = Buffer.concat(await response.toArray())
          outgoing.writeHead(statusCode, response.headers).end(body)
          return
        }
        outgoing.writeHead(statusCode, response.headers)
        outgoing.flushHeaders()
        response.pipe(outgoing)
      },
    )
    passed.once('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  if (mistake !== 'no upgrade') {
    proxy.on('upgrade', (incoming, socket) => {
      const { method, url, headers } = incoming
      const passed = httpRequest({ port, method, path: url, headers, agent: false })
      passed.once('upgrade', (response, upstream) => {
        const lines = response.rawHeaders.map((text, index) => text + (index % 2 ? '\r\n' : ': '))
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
        upstream.pipe(socket).pipe(upstream)
        for (const end of [socket, upstream]) end.on('error', () => {})
      })
      passed.end()
    })
  }
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const { port: at } = proxy.address() as AddressInfo
  return {
    PUBLIC_URL: `http://localhost:${at}`,
    SANDBOX_URL: `http://sandbox.localhost:${at}`,
    PANEL_URL: `http://localhost:${at}`,
  }
}

describe('the doctor', () => {
  it('the doctor finds no fault with a server behind a correct proxy', async () => {
    const { checks, failed } = await examine(await startProxy('none'))
    assert.deepEqual(failed, [])
    const names = checks.map(({ name }) => name)
    for (const host of ['PUBLIC_URL', 'SANDBOX_URL'])
      for (const part of ['', ': SSE', ': WebSocket']) assert.ok(names.includes(host + part))
    const seen = checks.find(({ name }) => name === 'PUBLIC_URL')
    assert.equal(seen?.detail, 'http, 203.0.113.9')
  })

  it('the doctor names each mistake of a proxy with its remedy', async () => {
    const both = (part: string, remedy: string) => [
      [`PUBLIC_URL${part}`, remedy],
      [`SANDBOX_URL${part}`, remedy],
    ]
    const expected: [Mistake, (host: string) => (string | null)[][]][] = [
      ['host', (host) => [['SANDBOX_URL', words.host(`sandbox.${host}`)]]],
      ['address', () => both('', words.trustProxy(UNTRUSTED))],
      ['scheme', () => both('', words.scheme)],
      ['buffers', () => both(': SSE', words.buffering)],
      ['no upgrade', () => both(': WebSocket', words.upgrade)],
    ]
    for (const [mistake, remedies] of expected) {
      const urls = await startProxy(mistake)
      const { failed } = await examine(urls)
      assert.deepEqual(failed, remedies(new URL(urls.PUBLIC_URL).host), mistake)
    }
  })

  it('the doctor distinguishes an address that nothing serves from one that another program serves', async () => {
    const other = await startReceiver()
    closers.push(other.close)
    const free = `http://localhost:${await findPort()}`
    const { failed } = await examine({
      PUBLIC_URL: other.url,
      PANEL_URL: other.url,
      SANDBOX_URL: free,
    })
    assert.deepEqual(failed, [
      ['PUBLIC_URL', words.otherServer(other.url)],
      ['SANDBOX_URL', words.unreachable(free)],
    ])
  })

  it('the doctor reports an unreachable or silent mail server, and a missing one for a public panel', async () => {
    const silent = createTcpServer(() => {}).listen(0, '127.0.0.1')
    closers.push(() => silent.close())
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port: mute } = silent.address() as AddressInfo
    const mail = { MAIL_FROM: 'a@example.com' }
    for (const at of [mute, await findPort()]) {
      const { failed } = await examine({ ...mail, SMTP_URL: `smtp://127.0.0.1:${at}` })
      assert.deepEqual(failed, [['SMTP_URL', words.mail]])
    }
    const { failed } = await examine({ PANEL_URL: 'http://panel.example.com' })
    assert.ok(failed.some(([name, remedy]) => name === 'SMTP_URL' && remedy === words.noMail))
  })

  it('the doctor posts to the webhook it is given, under the address policy of deliveries', async () => {
    const receiver = await startReceiver()
    closers.push(receiver.close)
    const refused = await examine({}, '--webhook', receiver.url)
    assert.deepEqual(refused.failed, [['webhook', words.webhook]])
    assert.equal(receiver.received.length, 0)
    const allowed = { EGRESS_ALLOW: '127.0.0.1/32' }
    assert.deepEqual((await examine(allowed, '--webhook', receiver.url)).failed, [])
    receiver.answer = (response) => void response.writeHead(500).end()
    const { failed } = await examine(allowed, '--webhook', receiver.url)
    assert.deepEqual(failed, [['webhook', words.webhook]])
  })

  it('the doctor prints lines for people, each failure with its remedy below it', async () => {
    const { code, output } = await run(
      'src/cli.ts',
      ['doctor', '--webhook', 'http://10.0.0.1/'],
      base(),
    ).ended
    assert.equal(code, 1)
    assert.match(output, /^✓ PostgreSQL\s+\d/m)
    assert.match(
      output,
      /^✗ webhook\s+http:\/\/10\.0\.0\.1\/: FORBIDDEN_ADDRESS\n\s+O endereço do webhook/m,
    )
    assert.match(output, /veja as linhas marcadas com ✗/)
  })

  it('the doctor’s routes return 404 without a token made with the master key', async () => {
    for (const token of ['', 'x', Buffer.from('1799999999999').toString('base64url')]) {
      for (const path of ['/probe', '/probe/stream']) {
        const response = await new Promise<number | undefined>((resolve, reject) => {
          const headers = { host: 'localhost', 'x-recado-probe': token }
          httpRequest({ port, path, headers }, (answer) => {
            answer.resume()
            resolve(answer.statusCode)
          })
            .once('error', reject)
            .end()
        })
        assert.equal(response, 404)
      }
    }
  })
})
