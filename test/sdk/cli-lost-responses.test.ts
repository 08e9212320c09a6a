// What the command line says and does when a response is lost, and that nothing is sent twice.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import type { Client } from '../kit/client.ts'
import { HOSTS, startTestApp, type TestApp } from '../kit/test-app.ts'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/recado.js', import.meta.url))
const TO = '5511988887777'
let kit: TestApp
let home: string
before(async () => {
  kit = await startTestApp()
  home = mkdtempSync(join(tmpdir(), 'recado-cli-'))
})
after(async () => {
  rmSync(home, { recursive: true })
  await kit.close()
})

/** Ways in which the response to a request that was carried out does not arrive. */
const LOSSES = {
  cut: (incoming: IncomingMessage) => void incoming.socket.destroy(),
  page: (_: IncomingMessage, outgoing: ServerResponse) =>
    void outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
  refusal: (_: IncomingMessage, outgoing: ServerResponse) =>
    void outgoing.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Forbidden</h1>'),
  busy: (_: IncomingMessage, outgoing: ServerResponse) =>
    void outgoing
      .writeHead(503, { 'content-type': 'application/json', 'x-request-id': 'req_x' })
      .end('{"error":{"code":"UNAVAILABLE","message":"servidor ocupado"}}'),
}
type Loss = keyof typeof LOSSES

/** A proxy in front of the server that loses the responses to the first sends, one for each of `losses`. */
async function startLossyProxy(losses: Loss[]) {
  const left = [...losses]
  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray())
    const { host: _, connection: __, ...headers } = incoming.headers
    const { method = 'GET', url = '' } = incoming
    const answer = await request(`http://127.0.0.1:${kit.port}${url}`, {
      method: method as 'GET',
      headers: { ...headers, host: HOSTS.test },
      ...(body.length > 0 ? { body } : {}),
    })
    const text = await answer.body.text()
    const isSend = method === 'POST' && (body.includes('tools/call') || url.includes('/messages'))
    const loss = isSend ? left.shift() : undefined
    if (loss) return LOSSES[loss](incoming, outgoing)
    const { 'content-length': ___, 'transfer-encoding': ____, ...kept } = answer.headers
    outgoing.writeHead(answer.statusCode, kept).end(text)
    return undefined
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function start(args: string[], env: Record<string, string>, input?: string) {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: home, ...env },
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (data: Buffer) => (output[name] += String(data)))
  if (input !== undefined) child.stdin.end(input)
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, ...output }))
  return { child, output, ended }
}
const run = (args: string[], env: Record<string, string>, input = '') =>
  start(args, env, input).ended

const sentTexts = async (api: Client, base: string): Promise<string[]> =>
  (await api.get(`${base}/messages`)).body.items.map(({ text }: { text: string }) => text)

describe('a response that is lost', () => {
  const cases: Loss[][] = [
    ['cut', 'cut', 'cut'],
    ['page', 'page', 'page'],
    ['busy', 'busy', 'busy'],
    ['cut', 'refusal'],
  ]
  for (const losses of cases) {
    it(`makes recado send name the key that repeats the message safely: ${losses.join(', ')}`, async () => {
      const api = await kit.key(await kit.project())
      const { id, base } = await kit.pair(api)
      using proxy = await startLossyProxy(losses)
      const env = { RECADO_KEY: api.key, RECADO_URL: proxy.url }
      const args = ['send', TO, 'uma vez', '--instance', id]
      const lost = await run(args, env)
      assert.equal(lost.code, 4, lost.stderr)
      const [, key = ''] = /--idempotency-key ([\w-]+)/.exec(lost.stderr) ?? []
      assert.notEqual(key, '', lost.stderr)
      const again = await run([...args, '--idempotency-key', key], env)
      assert.equal(again.code, 0, again.stderr)
      assert.deepEqual(await sentTexts(api, base), ['uma vez'])
    })
  }

  it('does not make recado fixtures run do a step twice', async () => {
    for (const loss of ['cut', 'page', 'busy'] as const) {
      const api = await kit.key(await kit.project())
      const { base } = await kit.pair(api)
      using proxy = await startLossyProxy([loss])
      const env = { RECADO_KEY: api.key, RECADO_URL: proxy.url }
      const file = join(home, `${loss}.json`)
      const send = (text: string) => ({ call: `POST ${base}/messages`, body: { to: TO, text } })
      writeFileSync(file, JSON.stringify([send('um'), send('dois')]))
      const lost = await run(['fixtures', 'run', file], env)
      assert.equal(lost.code, 4, lost.stderr)
      const [, id = ''] = /--run ([\w-]+)/.exec(lost.stderr) ?? []
      const again = await run(['fixtures', 'run', file, '--run', id], env)
      assert.equal(again.code, 0, again.stderr)
      assert.deepEqual((await sentTexts(api, base)).toSorted(), ['dois', 'um'], loss)
    }
  })

  const rpc = (id: number, method: string, params?: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) })

  it('makes recado mcp repeat the call of a tool with one key, or name the key', async () => {
    for (const losses of [
      ['page', 'busy'],
      ['busy', 'cut', 'page'],
    ] as Loss[][]) {
      const api = await kit.key(await kit.project())
      const { id, base } = await kit.pair(api)
      await api.post(`${base}/messages`, { to: TO, text: 'primeira' })
      using proxy = await startLossyProxy(losses)
      const env = { RECADO_KEY: api.key, RECADO_URL: proxy.url }
      const args = { instanceId: id, to: TO, text: 'segunda' }
      const call = (given: object) =>
        rpc(2, 'tools/call', { name: 'send_text', arguments: { ...args, ...given } })
      const serve = async (given: object) => {
        const { stdout } = await run(['mcp'], env, `${rpc(1, 'tools/list')}\n${call(given)}\n`)
        return JSON.parse(stdout.trim().split('\n')[1] ?? '')
      }
      const answer = await serve({})
      if (losses.length === 3) {
        const [, key] = /idempotencyKey: "([\w-]+)"/.exec(answer.error.message) ?? []
        const again = await serve({ idempotencyKey: key })
        assert.notEqual(again.result.isError, true)
      } else assert.notEqual(answer.result.isError, true)
      assert.deepEqual((await sentTexts(api, base)).toSorted(), ['primeira', 'segunda'])
    }
  })

  it('does not hide from recado send --wait the message that was accepted', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { id } = await kit.pair(api)
    const user = await kit.login(project)
    const restrictions = { permissions: ['send'] }
    const { body } = await user.post('/v1/keys', { name: 'envio', restrictions })
    const env = { RECADO_KEY: body.key, RECADO_URL: `http://sandbox.localhost:${kit.port}` }
    const args = ['send', TO, 'oi', '--instance', id, '--wait', '--json']
    const { code, stdout, stderr } = await run(args, env)
    assert.equal(code, 3)
    assert.match(JSON.parse(stdout).id, /^msg_/)
    assert.match(stderr, /msg_\w+ foi aceita e não precisa ser enviada de novo/)
  })

  it('is named with its key when recado is interrupted while it waits', async () => {
    const { key } = await kit.key(await kit.project())
    let requested = Promise.withResolvers<void>()
    const silent = createServer(() => requested.resolve())
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const env = { RECADO_KEY: key, RECADO_URL: url }
    const file = join(home, 'interrupted.json')
    writeFileSync(file, '[{"call":"POST /v1/instances","body":{"name":"x"}}]')
    const cases: [string[], RegExp][] = [
      [['send', TO, 'oi', '--instance', 'ins_1'], /pode ter sido feita.*--idempotency-key [\w-]+/],
      [['fixtures', 'run', file], /não se sabe se POST \/v1\/instances foi feita.*--run [\w-]+/],
      [['login'], /^$/],
    ]
    for (const [args, sentence] of cases) {
      requested = Promise.withResolvers<void>()
      const { child, ended } = start(args, env)
      await Promise.race([requested.promise, ended])
      child.kill('SIGINT')
      const { code, stderr } = await ended
      assert.equal(code, 130, stderr)
      assert.match(stderr, sentence)
    }
    silent.closeAllConnections()
    silent.close()
  })
})

describe('recado, when something is in its way', () => {
  const url = () => `http://sandbox.localhost:${kit.port}`

  it('says where a profile cannot be written, and that the file of profiles is broken', async () => {
    const { key } = await kit.key(await kit.project())
    const file = join(home, 'file')
    writeFileSync(file, 'null')
    const env = { RECADO_KEY: key, RECADO_URL: url(), XDG_CONFIG_HOME: file }
    const unreadable = await run(['login'], env)
    assert.match(unreadable.stderr, /^O arquivo .*profiles\.json não pode ser lido \(ENOTDIR\)/)
    // No user may create a folder there.
    const unwritable = await run(['login'], { ...env, XDG_CONFIG_HOME: '/sys/recado' })
    assert.match(unwritable.stderr, /^Não foi possível gravar .*profiles\.json \(E\w+\)/)
    for (const { stderr } of [unreadable, unwritable]) assert.doesNotMatch(stderr, / {4}at /)
    const broken = join(home, 'recado')
    mkdirSync(broken)
    writeFileSync(join(broken, 'profiles.json'), 'null')
    const { code, stderr } = await run(['instances', 'list'], { RECADO_URL: url() })
    assert.equal(code, 3)
    assert.match(stderr, /^O arquivo .*profiles\.json não pode ser lido\. Corrija-o/)
    rmSync(broken, { recursive: true })
  })

  it('advises the holder of a restricted key on what helps', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { id } = await kit.pair(api)
    const user = await kit.login(project)
    const keyWith = async (restrictions: object): Promise<Record<string, string>> => {
      const { body } = await user.post('/v1/keys', { name: 'restrita', restrictions })
      return { RECADO_KEY: body.key, RECADO_URL: url() }
    }
    const away = await run(['send', TO, 'oi'], await keyWith({ addresses: ['203.0.113.7'] }))
    assert.equal(away.code, 3)
    assert.doesNotMatch(away.stderr, /--instance/)
    const only = await keyWith({ permissions: ['send'], instanceIds: [id] })
    assert.equal((await run(['send', TO, 'oi'], only)).code, 0)
    const file = join(home, 'fixtures.json')
    writeFileSync(file, '[{"call":"POST /v1/instances","body":{"name":"x"}}]')
    const reader = await keyWith({ permissions: ['read'] })
    const refused = await run(['fixtures', 'run', file], reader)
    assert.equal(refused.code, 3)
    assert.match(refused.stderr, /Use uma chave que permita isso/)
    const { child, output, ended } = start(['listen'], await keyWith({ instanceIds: [id] }))
    while (!output.stderr.includes('Recebendo eventos')) await once(child.stderr, 'data')
    child.kill('SIGINT')
    assert.doesNotMatch((await ended).stderr, /Use uma chave/)
  })

  it('says that the local program closed the connection, and names shells and addresses', async () => {
    const api = await kit.key(await kit.project())
    await kit.pair(api)
    const rude = createServer(({ socket }) => socket.destroy())
    await once(rude.listen(0, '127.0.0.1'), 'listening')
    const target = String((rude.address() as AddressInfo).port)
    const env = { RECADO_KEY: api.key, RECADO_URL: url() }
    const { child, output, ended } = start(['listen', '--forward-to', target], env)
    while (!output.stderr.includes('Segredo')) await once(child.stderr, 'data')
    await run(['trigger', 'message.received'], env)
    while (!output.stdout.includes('fechou a conexão')) await once(child.stdout, 'data')
    child.kill('SIGINT')
    assert.equal((await ended).code, 130)
    rude.close()
    assert.match((await run(['completion', 'tcsh'], env)).stderr, /tcsh\. Use bash, zsh ou fish/)
    const ftp = await run(['--url', 'ftp://x', 'instances', 'list'], env)
    assert.match(ftp.stderr, /Informe o da API/)
  })

  it('causes a label event although the connected instance has no labels', async () => {
    const api = await kit.key(await kit.project())
    const { id } = await kit.pair(api, 'Loja', { business: false })
    const env = { RECADO_KEY: api.key, RECADO_URL: url() }
    assert.equal((await run(['trigger', 'label.updated'], env)).code, 0)
    const refused = await run(['trigger', 'label.updated', '--instance', id], env)
    assert.match(refused.stderr, /Rode sem --instance/)
  })
})
