// The command line against a real server.
import assert from 'node:assert/strict'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { after, before, describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { verify } from '../../packages/sdk/src/index.ts'
import { EVENT_NAMES } from '../../src/events/catalog/index.ts'
import { startReceiver } from '../kit/receiver.ts'
import { request } from 'undici'
import { HOSTS, startTestApp, type TestApp } from '../kit/test-app.ts'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/recado.js', import.meta.url))
let kit: TestApp
let home: string
const running = new Set<ChildProcess>()
before(async () => {
  kit = await startTestApp()
  home = mkdtempSync(join(tmpdir(), 'recado-cli-'))
})
after(async () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(home, { recursive: true })
  await kit.close()
})

const urlOf = (host = 'sandbox') => `http://${host}.localhost:${kit.port}`
const environment = (env: Record<string, string>) => ({
  PATH: process.env['PATH'],
  XDG_CONFIG_HOME: home,
  RECADO_URL: urlOf(),
  ...env,
})

/** Starts the program; `output` grows while it runs. */
function start(args: string[], env: Record<string, string> = {}, input = '') {
  const child = spawn(process.execPath, [BIN, ...args], { env: environment(env) })
  running.add(child)
  child.once('close', () => running.delete(child))
  child.stdin.end(input)
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (data: Buffer) => (output.stdout += data.toString()))
  child.stderr.on('data', (data: Buffer) => (output.stderr += data.toString()))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    output,
    ended,
    /** Resolves when the output matches. */
    async shows(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<void> {
      while (!pattern.test(output[stream])) {
        assert.equal(child.exitCode, null, `${output.stdout}${output.stderr}`)
        await once(child[stream], 'data')
      }
    },
    async stop(): Promise<number | null> {
      child.kill('SIGINT')
      return ended
    },
  }
}

async function run(args: string[], env: Record<string, string> = {}, input = '') {
  const { output, ended } = start(args, env, input)
  return { code: await ended, ...output }
}

describe('recado listen and recado trigger', () => {
  it('recado listen and trigger deliver a signed event to a local program without any setup', async () => {
    const { key } = await kit.key(await kit.project())
    const app = await startReceiver()
    const listening = start(['listen', '--forward-to', app.url], { RECADO_KEY: key })
    await listening.shows('stderr', /whsec_/)
    const triggered = await run(['trigger', 'message.received'], { RECADO_KEY: key })
    assert.equal(triggered.code, 0, triggered.stderr)
    await listening.shows('stdout', /message\.received +200 +\d+ ms/)
    const secret = /whsec_\S+/.exec(listening.output.stderr)?.[0] ?? ''
    const delivery = app.received.find(({ body }) => body.event === 'message.received')
    assert.ok(delivery)
    const event = await verify(delivery.text, delivery.headers, secret)
    assert.equal(event.event, 'message.received')
    assert.equal(await listening.stop(), 130)
    app.close()
  })

  it('recado listen and trigger cover all ten events, each as one line of JSON with --json', async () => {
    const api = await kit.key(await kit.project())
    await kit.pair(api, 'Loja', { business: true })
    const env = { RECADO_KEY: api.key }
    const listening = start(['--json', 'listen'], env)
    await listening.shows('stderr', /Recebendo/)
    for (const event of EVENT_NAMES) {
      const { code, stderr } = await run(['trigger', event], env)
      assert.equal(code, 0, `${event}: ${stderr}`)
      await listening.shows('stdout', new RegExp(`"event":"${event}"`))
    }
    await listening.stop()
    for (const line of listening.output.stdout.trim().split('\n')) {
      const { event, eventId, data } = JSON.parse(line)
      assert.ok(EVENT_NAMES.includes(event) && eventId && data)
    }
  })

  it('recado listen and trigger say what is wrong when the program is down, redirects or fails, and continue', async () => {
    const { key } = await kit.key(await kit.project())
    const env = { RECADO_KEY: key }
    const app = await startReceiver()
    const elsewhere = await startReceiver()
    const listening = start(
      ['listen', '--forward-to', app.url, '--events', 'message.received'],
      env,
    )
    await listening.shows('stderr', /whsec_/)
    app.answer = (response) => void response.writeHead(500).end()
    await run(['trigger', 'message.received'], env)
    await listening.shows('stdout', /message\.received +500 .*2xx aceita/)
    for (const [index, status] of [301, 302, 307, 308].entries()) {
      app.answer = (response) => void response.writeHead(status, { location: elsewhere.url }).end()
      await run(['trigger', 'message.received'], env)
      await listening.shows('stdout', new RegExp(`(200 .*redirecionou para[^]*){${index + 1}}`))
      assert.equal(elsewhere.received.at(-1)?.body.event, 'message.received', `${status}`)
    }
    app.answer = (response) => void response.writeHead(303, { location: elsewhere.url }).end()
    await run(['trigger', 'message.received'], env)
    await listening.shows('stdout', /(200 .*redirecionou para[^]*){5}/)
    const { text, headers } = elsewhere.received.at(-1) ?? {}
    assert.equal(text, '', 'a 303 is followed without the event')
    assert.ok(headers?.['webhook-signature'] && !headers['content-type'])
    app.answer = (response) => void response.writeHead(302, { location: app.url }).end()
    await run(['trigger', 'message.received'], env)
    await listening.shows('stdout', / 302 .*redireciona em círculos/)
    app.close()
    await run(['trigger', 'message.received'], env)
    await listening.shows('stdout', /--- .*nada responde em/)
    await listening.stop()
    elsewhere.close()
  })

  it('recado listen and trigger with --durable deliver what happened while the program was stopped, in order and once', async () => {
    const { key } = await kit.key(await kit.project())
    const env = { XDG_CONFIG_HOME: join(home, 'durable') }
    assert.equal((await run(['login'], env, key)).code, 0)
    const app = await startReceiver()
    const args = ['listen', '--forward-to', app.url, '--durable', '--events', 'message.received']
    const first = start(args, env)
    await first.shows('stderr', /whsec_/)
    await run(['trigger', 'message.received'], env)
    await first.shows('stdout', /message\.received +200/)
    await first.stop()
    for (let count = 0; count < 3; count++) await run(['trigger', 'message.received'], env)
    await kit.settle()
    // The inbox is public: what the webhook did not sign is not an event.
    const saved = JSON.parse(readFileSync(join(home, 'durable/recado/profiles.json'), 'utf8'))
    const forged = { event: 'message.received', data: { eventId: 'evt_forjado' } }
    const anyone = kit.client('test', null)
    const posted = await anyone.post(`/caixa/${saved.default.durable.inboxId}`, forged)
    assert.equal(posted.status, 200)
    // A program that fails once gets the same event again before the next.
    let failures = 1
    app.answer = (response) => void response.writeHead(failures-- > 0 ? 503 : 200).end()
    const second = start(args, env)
    await second.shows('stdout', /503[^]*200[^]*200[^]*200/)
    await second.shows('stderr', /não veio do webhook/)
    await second.stop()
    const ids = app.received.map(({ body }) => body.data.eventId)
    assert.equal(ids.length, 5)
    assert.equal(ids[1], ids[2], 'the failed event is repeated')
    assert.equal(new Set(ids).size, 4)
    app.close()
  })
})

describe('recado login', () => {
  it('recado login keeps a key that works, in a file that only its owner reads', async () => {
    const { key } = await kit.key(await kit.project())
    const env = { XDG_CONFIG_HOME: join(home, 'login') }
    const { code, stdout } = await run(['login'], env, `${key}\n`)
    assert.equal(code, 0)
    assert.match(stdout, /modo de teste\. Guardado no perfil default/)
    const file = join(home, 'login', 'recado', 'profiles.json')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).default.apiKey, key)
    const list = await run(['--json', 'instances', 'create', '--name', 'Loja'], env)
    assert.equal(JSON.parse(list.stdout).name, 'Loja')
    assert.equal((await run(['logout'], env)).code, 0)
    assert.equal((await run(['instances', 'list'], env)).code, 3)
    assert.equal((await run(['login'], { ...env, RECADO_KEY: key })).code, 0)
    assert.equal((await run(['instances', 'list'], env)).code, 0)
  })

  it('recado login keeps the inbox and webhook of listen for a new key of the same Project only', async () => {
    const project = await kit.project()
    const env = { XDG_CONFIG_HOME: join(home, 'again') }
    const file = join(home, 'again', 'recado', 'profiles.json')
    const saved = () => JSON.parse(readFileSync(file, 'utf8')).default
    await run(['login'], env, (await kit.key(project)).key)
    writeFileSync(file, JSON.stringify({ default: { ...saved(), secret: 'whsec_x' } }))
    const next = await kit.key(project)
    await run(['login'], env, next.key)
    assert.deepEqual([saved().apiKey, saved().secret], [next.key, 'whsec_x'])
    await run(['login'], env, (await kit.key(await kit.project())).key)
    assert.equal(saved().secret, undefined)
  })

  it('recado login is not used for a key of the other mode, whose host has another name', async () => {
    const project = await kit.project()
    const { key } = await kit.key(project)
    const live = await kit.key(project, 'production')
    const env = { XDG_CONFIG_HOME: join(home, 'modes') }
    assert.equal((await run(['login'], env, key)).code, 0)
    const withoutUrl = { ...env, RECADO_URL: undefined as never }
    const list = await run(['--key', live.key, '--json', 'open'], withoutUrl)
    assert.match(list.stdout, new RegExp(`localhost:${kit.port}/producao/`), list.stderr)
    assert.equal((await run(['--key', live.key, 'instances', 'list'], withoutUrl)).code, 0)
    const file = join(home, 'modes', 'recado', 'profiles.json')
    const saved = JSON.parse(readFileSync(file, 'utf8'))
    saved.default.url = 'https://sandbox.recado.exemplo.com.br'
    writeFileSync(file, JSON.stringify(saved))
    const refused = await run(['--key', live.key, 'instances', 'list'], withoutUrl)
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /A chave é de produção .* Informe o desta chave com --url/)
  })

  it('recado login refuses a key that does not work, and stores nothing', async () => {
    const env = { XDG_CONFIG_HOME: join(home, 'refused') }
    const { code, stderr } = await run(['login'], env, `svc_test_${'x'.repeat(40)}`)
    assert.equal(code, 3)
    assert.match(stderr, /recusou a chave/)
    assert.equal((await run(['login'], env, 'minha senha')).code, 3)
    assert.equal((await run(['instances', 'list'], env)).code, 3)
  })
})

describe('exit codes of recado', () => {
  it('recado says what to do about input that it cannot use, without a stack trace', async () => {
    const { key } = await kit.key(await kit.project())
    const user = await kit.login(await kit.project())
    const { body: sender } = await user.post('/v1/keys', {
      name: 'só envia',
      restrictions: { permissions: ['send'] },
    })
    const cases: [string[], Record<string, string>, number, RegExp][] = [
      [['--key', 'svc_test_…', 'doctor'], {}, 3, /não é uma chave inteira/],
      [['--key', 'svc_test_a\nb', 'doctor'], {}, 3, /não é uma chave inteira/],
      [['--profile', 'vazio', 'login'], {}, 3, /A entrada está vazia/],
      [['doctor'], { RECADO_KEY: key, RECADO_URL: `http://localhost:${kit.port}` }, 3, /endereço/],
      [['send', '5511988887777', 'oi'], { RECADO_KEY: sender.key }, 3, /--instance/],
      [['listen', '--instance', 'ins_x'], { RECADO_KEY: key }, 1, /^instância não encontrada/],
      [['fixtures', 'run', '/nada.json'], { RECADO_KEY: key }, 2, /\/nada\.json não existe/],
      [['logs', 'tail', '--once'], { RECADO_KEY: key }, 0, /^Nada ainda\.$/m],
    ]
    for (const [args, env, code, sentence] of cases) {
      const result = await run(args, env)
      assert.equal(result.code, code, `${args.join(' ')}: ${result.stderr}`)
      assert.match(result.stderr, sentence, args.join(' '))
      assert.doesNotMatch(result.stderr, /\n +at /, args.join(' '))
    }
    const { stdout } = await run(['open', '/conversas', '--json'], { RECADO_KEY: key })
    assert.match(stdout, /\/teste\/conversas"/)
    const help = await run(['instances', '--help'])
    assert.doesNotMatch(help.stdout, /display help/)
  })

  it('exit codes distinguish a wrong command, a rejected key, a missing server and a proxy', async () => {
    const project = await kit.project()
    const { key } = await kit.key(project)
    const live = await kit.key(project, 'production')
    const revoked = await kit.key(project)
    const user = await kit.login(project)
    await user.delete(`/v1/keys/${revoked.keyId}`)
    const { body: reader } = await user.post('/v1/keys', {
      name: 'leitura',
      restrictions: { permissions: ['read'] },
    })
    const { body: sender } = await user.post('/v1/keys', {
      name: 'envio',
      restrictions: { permissions: ['send'] },
    })
    const broken = join(home, 'broken')
    mkdirSync(join(broken, 'recado'), { recursive: true })
    writeFileSync(join(broken, 'recado', 'profiles.json'), '{')
    const proxy = createServer(({ headers }, response) => {
      const fails = headers['authorization']?.endsWith('z')
      response.writeHead(fails ? 502 : 200).end('<html>502</html>')
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const lost = `svc_test_${'z'.repeat(40)}`
    const page = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const other = createServer(({ url = '' }, response) => {
      const moved = url.startsWith('/moved')
      response.writeHead(moved ? 301 : 404, {
        'content-type': 'application/json',
        ...(moved ? { location: 'https://recado.example/v1' } : {}),
      })
      response.end('{"error":"Not Found"}')
    })
    await once(other.listen(0, '127.0.0.1'), 'listening')
    const spring = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const moved = `${spring}/moved`
    const closed = 'http://127.0.0.1:9'
    for (const [args, env, code, sentence] of [
      [['instances', 'list'], {}, 3, /recado login/],
      [['instances', 'list'], { RECADO_KEY: 'abc' }, 3, /svc_test_/],
      [['instances', 'list'], { RECADO_KEY: revoked.key }, 3, /recusou a chave/],
      [['send', '5511988887777', 'oi'], { RECADO_KEY: reader.key }, 1, /não há instância/i],
      [
        ['instances', 'create'],
        { RECADO_KEY: reader.key },
        3,
        /não permite .* Use uma chave que permita/,
      ],
      [['trigger', 'message.received'], { RECADO_KEY: live.key }, 3, /modo de teste/],
      [['trigger', 'message.lost'], { RECADO_KEY: key }, 2, /label\.association/],
      [['listen', '--forward-to', 'casa'], { RECADO_KEY: key }, 2, /http:\/\/localhost/],
      [['nada'], { RECADO_KEY: key }, 2, /comando desconhecido: nada/],
      [['send', '5511988887777'], { RECADO_KEY: key }, 2, /falta um argumento/],
      [['instances', 'list', '--x'], { RECADO_KEY: key }, 2, /opção desconhecida/],
      [['instances', 'list'], { RECADO_KEY: key, RECADO_URL: closed }, 4, /Nada responde/],
      [['instances', 'list'], { RECADO_KEY: key, RECADO_URL: page }, 4, /não é a API do Recado/],
      [['listen'], { RECADO_KEY: key, RECADO_URL: page }, 4, /não é a API do Recado/],
      [['listen'], { RECADO_KEY: lost, RECADO_URL: page }, 4, /proxy .* respondeu 502 no lugar/],
      [['requests', 'tail'], { RECADO_KEY: key, RECADO_URL: page }, 4, /não é a API do Recado/],
      [['listen'], { RECADO_KEY: sender.key }, 3, /esta chave não permite ler dados/],
      [['listen', '--durable'], { RECADO_KEY: key }, 2, /informe também --forward-to/],
      [
        ['listen', '--durable', '--forward-to', '1'],
        { RECADO_KEY: live.key, RECADO_URL: `http://localhost:${kit.port}` },
        3,
        /chave de teste/,
      ],
      [['--profile', 'nenhum', 'doctor'], { RECADO_KEY: key }, 3, /Não há perfil nenhum/],
      [['instances', 'list'], { RECADO_KEY: key, RECADO_URL: spring }, 4, /não é a API do Recado/],
      [['requests', 'tail'], { RECADO_KEY: key, RECADO_URL: spring }, 4, /não é a API do Recado/],
      [
        ['instances', 'list'],
        { RECADO_KEY: key, RECADO_URL: moved },
        4,
        /https:\/\/recado\.example/,
      ],
      [
        ['requests', 'tail'],
        { RECADO_KEY: key, RECADO_URL: moved },
        4,
        /https:\/\/recado\.example/,
      ],
      [['open'], { RECADO_KEY: key, RECADO_URL: 'casa' }, 2, /Endereço inválido/],
      [['listen', '--forward-to', '1', '--secret', 'x'], { RECADO_KEY: key }, 2, /whsec_/],
      [['listen', '--forward-to', '1', '--durable'], { RECADO_KEY: key }, 3, /recado login/],
      [['instances', 'list'], { XDG_CONFIG_HOME: broken }, 3, /não pode ser lido/],
    ] as [string[], Record<string, string>, number, RegExp][]) {
      const result = await run(args, env)
      assert.equal(result.code, code, `${args.join(' ')} ${JSON.stringify(env)}: ${result.stderr}`)
      assert.match(result.stderr, sentence)
      assert.doesNotMatch(result.stderr, / {4}at /, 'no stack trace')
      assert.doesNotMatch(result.stderr, /whsec_[\w+/]{8}/, 'no secret')
    }
    proxy.close()
    other.close()
  })
})

describe('other commands of recado', () => {
  it('recado commands send, list, show calls and deliveries, and check the integration', async () => {
    const api = await kit.key(await kit.project())
    const { id } = await kit.pair(api)
    const friend = await kit.phone(api)
    const receiver = await kit.receiver()
    await api.post('/v1/webhooks', { name: 'CRM', url: receiver.url })
    const env = { RECADO_KEY: api.key }
    const sent = await run(['--json', 'send', friend.phone, 'oi'], env)
    assert.equal(JSON.parse(sent.stdout).text, 'oi')
    await kit.settle()
    assert.match((await run(['instances', 'list'], env)).stdout, new RegExp(`${id} +CONNECTED`))
    assert.match(
      (await run(['logs', 'tail', '--once'], env)).stdout,
      /CRM +message\.status +1ª +200/,
    )
    await kit.jump(2000)
    const calls = await run(['requests', 'tail', '--once'], env)
    assert.match(calls.stdout, /201 +POST +\/v1\/instances\/\S+\/messages\/text/)
    assert.match((await run(['phones', 'list'], env)).stdout, new RegExp(friend.phone))
    const { code, stdout, stderr } = await run(['doctor'], env)
    assert.match(stdout, /✓ chave: /, stderr)
    assert.match(stdout, /✓ limite do dia: \d+ de 100/)
    assert.match(stdout, /✓ instâncias: 1 de 1/)
    assert.equal(code, 0, stdout)
  })

  it('recado send --wait exits once the network has accepted or rejected the message', async () => {
    const api = await kit.key(await kit.project())
    await kit.pair(api)
    const friend = await kit.phone(api)
    const env = { RECADO_KEY: api.key }
    const sent = await run(['--json', 'send', '--wait', friend.phone, 'oi'], env)
    assert.equal(sent.code, 0, sent.stderr)
    assert.ok(!['queued', 'sending'].includes(JSON.parse(sent.stdout).status), sent.stdout)
    const refused = await run(['send', '--wait', '+55 11 90000-0003', 'oi'], env)
    assert.equal(refused.code, 1)
    assert.match(refused.stdout, /failed/)
    assert.match(refused.stderr, /número/)
  })

  it('recado doctor runs every check although one fails, and the help and the version are in Portuguese', async () => {
    const project = await kit.project()
    const owner = await kit.login(project)
    const restrictions = { permissions: ['send'] }
    const { body } = await owner.post('/v1/keys', { name: 'envios', restrictions })
    const { code, stdout } = await run(['doctor'], { RECADO_KEY: body.key })
    assert.match(stdout, /✓ chave/)
    assert.match(stdout, /✗ instâncias/)
    assert.match(stdout, /✗ webhooks/)
    assert.equal(code, 1)
    assert.match((await run(['--version'], {})).stdout, /^\d+\.\d+\.\d+\n$/)
    assert.doesNotMatch((await run(['send', '--help'], {})).stdout, /options|default/)
  })

  it('recado commands report a proxy that does not pass the WebSocket on', async () => {
    const { key } = await kit.key(await kit.project())
    const proxy = createServer(async (request, response) => {
      const answer = await kit.client('test', key).get(request.url ?? '')
      response.writeHead(answer.status, {
        'content-type': 'application/json',
        'x-request-id': 'req_1',
      })
      response.end(answer.text)
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const { port } = proxy.address() as AddressInfo
    const env = { RECADO_KEY: key, RECADO_URL: `http://sandbox.localhost:${port}` }
    const { code, stdout } = await run(['doctor'], env)
    assert.match(stdout, /✓ chave/)
    assert.match(stdout, /✗ WebSocket: não conecta/)
    assert.equal(code, 1)
    proxy.closeAllConnections()
    proxy.close()
  })

  it('recado commands that wait survive a restart of the server, and report when it stops and returns', async () => {
    const { key } = await kit.key(await kit.project())
    const sockets = new Set<Socket>()
    const serve = async (port: number) => {
      const server = createTcpServer((socket) => {
        const upstream = connect(kit.port, '127.0.0.1')
        for (const one of [socket, upstream]) {
          sockets.add(one)
          one.on('error', () => {}).on('close', () => (socket.destroy(), upstream.destroy()))
        }
        socket.pipe(upstream).pipe(socket)
      })
      await once(server.listen(port, '127.0.0.1'), 'listening')
      return server
    }
    const first = await serve(0)
    const { port } = first.address() as AddressInfo
    const env = { RECADO_KEY: key, RECADO_URL: `http://sandbox.localhost:${port}` }
    const { body } = await kit.client('test', key).post('/v1/instances', { name: 'Loja' })
    await kit.jump(2000)
    const commands = [['listen'], ['requests', 'tail'], ['instances', 'pair', body.id]]
    const programs = commands.map((args) => start(args, env))
    const [listening, requests, pairing] = programs
    await listening?.shows('stderr', /Recebendo eventos/)
    await requests?.shows('stdout', /POST +\/v1\/instances/)
    await pairing?.shows('stdout', /▀|▄|█/)
    const connections = () =>
      kit.metrics().then((text) => Number(/^ws_connections (\d+)$/m.exec(text)?.[1] ?? 0))
    while ((await connections()) === 0) await pause(20)
    first.close()
    for (const socket of sockets) socket.destroy()
    for (const program of programs) await program.shows('stderr', /a conexão com .* caiu/)
    const second = await serve(port)
    for (const program of programs.slice(1))
      await program.shows('stderr', /a conexão com .* voltou/)
    await listening?.shows('stderr', /eventos entre .* podem faltar/)
    for (const program of programs) assert.equal(await program.stop(), 130)
    second.close()
    for (const socket of sockets) socket.destroy()
  })

  it('recado commands prepare fixtures whose steps use earlier responses, and stop at the first failure', async () => {
    const { key } = await kit.key(await kit.project())
    const file = join(home, 'fixtures.json')
    writeFileSync(
      file,
      JSON.stringify([
        { call: 'POST /v1/instances', body: { name: 'Loja' }, save: 'loja' },
        { call: 'PATCH /v1/instances/${loja.id}', body: { name: 'Loja ${loja.status}' } },
        { call: 'GET /v1/instances/ins_nenhuma' },
        { call: 'POST /v1/instances', body: { name: 'nunca' } },
      ]),
    )
    const env = { RECADO_KEY: key }
    const { code, stdout, stderr } = await run(['fixtures', 'run', file], env)
    assert.equal(code, 1)
    assert.equal(stdout.trim().split('\n').length, 3)
    assert.match(stderr, /instância/)
    const { stdout: list } = await run(['instances', 'list'], env)
    assert.match(list, /Loja CREATED/)
    assert.doesNotMatch(list, /nunca/)
    writeFileSync(file, '[{"call": "POST /v1/instances/${x.id}/connect"}]')
    assert.equal((await run(['fixtures', 'run', file], env)).code, 2)
    writeFileSync(file, 'não é JSON')
    assert.equal((await run(['fixtures', 'run', file], env)).code, 2)
    writeFileSync(file, '[]')
    assert.match((await run(['fixtures', 'run', file], env)).stderr, /a lista está vazia/)
    writeFileSync(file, '[{"call": "GET /v1/instances?q=a b"}]')
    assert.match((await run(['fixtures', 'run', file], env)).stderr, /passo 1/)
    writeFileSync(file, '[{"call": "GET /v1/instances"}]')
    const wrong = { RECADO_KEY: `svc_test_${'x'.repeat(40)}` }
    assert.equal((await run(['fixtures', 'run', file], wrong)).code, 3)
    const stranger = createServer((_, response) => response.writeHead(200).end('{"ok":true}'))
    await once(stranger.listen(0, '127.0.0.1'), 'listening')
    const { port } = stranger.address() as AddressInfo
    const elsewhere = { ...env, RECADO_URL: `http://127.0.0.1:${port}` }
    for (const args of [
      ['fixtures', 'run', file],
      ['requests', 'tail', '--once'],
    ]) {
      const answer = await run(args, elsewhere)
      assert.equal(answer.code, 4, answer.stderr)
      assert.match(answer.stderr, /não é a API do Recado/)
    }
    const served = await run(['mcp'], elsewhere, '{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert.match(JSON.parse(served.stdout).error.message, /não é a API do Recado/)
    stranger.close()
  })

  it('recado commands open a page of the panel in the browser, and print its address', async () => {
    const { key } = await kit.key(await kit.project())
    const opened = join(home, 'opened')
    const browser = join(home, 'browser')
    writeFileSync(browser, `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 })
    const page = `http://localhost:${kit.port}/teste/webhooks\n`
    const { stdout } = await run(['open', 'webhooks'], { RECADO_KEY: key, BROWSER: browser })
    assert.equal(stdout, page)
    while (!existsSync(opened) || readFileSync(opened, 'utf8') === '') await pause(20)
    assert.equal(readFileSync(opened, 'utf8'), page)
    const none = await run(['open'], { RECADO_KEY: key, BROWSER: '/nonexistent', DISPLAY: '' })
    assert.deepEqual([none.code, none.stdout.includes('/teste/inicio')], [0, true])
    assert.match(none.stderr, /Nenhum navegador abriu/)
  })

  it('recado commands show a QR code in the terminal until a phone scans it', async () => {
    const api = await kit.key(await kit.project())
    await kit.pair(api, 'Já pareada')
    const { body: instance } = await api.post('/v1/instances', { name: 'Loja' })
    const { body: another } = await api.post('/v1/instances', { name: 'Filial' })
    const ambiguous = await run(['instances', 'pair'], { RECADO_KEY: api.key })
    assert.equal(ambiguous.code, 2)
    assert.match(ambiguous.stderr, /recado instances pair <id>/)
    await api.delete(`/v1/instances/${another.id}`)
    const phone = await kit.phone(api)
    const pairing = start(['--json', 'instances', 'pair'], { RECADO_KEY: api.key })
    await pairing.shows('stdout', /"code":"[^"]+"/)
    const { code } = JSON.parse(pairing.output.stdout.split('\n')[0] ?? '')
    await api.post(`${phone.base}/scan`, { code })
    assert.equal(await pairing.ended, 0)
    assert.match(pairing.output.stdout, /"status":"CONNECTED"/)
    assert.match(pairing.output.stdout, new RegExp(instance.id))
  })

  it('recado commands pair an instance of the test mode with a virtual phone', async () => {
    const api = await kit.key(await kit.project())
    const { body: instance } = await api.post('/v1/instances', { name: 'Loja' })
    const { code, stdout } = await run(['instances', 'pair', '--virtual'], { RECADO_KEY: api.key })
    assert.deepEqual([code, stdout.trim()], [0, `Conectada: ${instance.id}`])
    assert.equal((await api.get(`/v1/instances/${instance.id}`)).body.status, 'CONNECTED')
    const live = await kit.key(await kit.project(), 'production')
    await live.post('/v1/instances', { name: 'Loja' })
    const refused = await run(['instances', 'pair', '--virtual'], { RECADO_KEY: live.key })
    assert.match(refused.stderr, /só existe no modo de teste/)
  })

  it('recado commands serve MCP on stdio to a client that starts the program', async () => {
    const { key } = await kit.key(await kit.project())
    for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
      const client = new Client({ name: 'teste', version: '1' }, { versionNegotiation: { mode } })
      const env = environment({ RECADO_KEY: key }) as Record<string, string>
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env }),
      )
      assert.ok((await client.listTools()).tools.length >= 20)
      const { structuredContent } = await client.callTool({ name: 'get_me', arguments: {} })
      assert.equal((structuredContent as { mode: string }).mode, 'test')
      await client.close()
    }
  })

  it('recado commands serve MCP after a line that is no message, and say what is wrong with it', async () => {
    const { key } = await kit.key(await kit.project())
    const ping = '{"jsonrpc":"2.0","id":7,"method":"ping"}'
    const { stdout } = await run(['mcp'], { RECADO_KEY: key }, `null\n{bad\n[${ping}]\n${ping}\n`)
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number | null; error?: { code: number } })
    assert.deepEqual(
      answers.map(({ id, error }) => [id, error?.code ?? null]),
      [
        [null, -32_600],
        [null, -32_700],
        [null, -32_600],
        [7, null],
      ],
    )
  })

  it('recado commands cause a label event on an account that is new', async () => {
    const { key } = await kit.key(await kit.project())
    const { code, stderr } = await run(['trigger', 'label.association'], { RECADO_KEY: key })
    assert.equal(code, 0, stderr)
  })

  it('recado commands serve MCP over a connection that is cut, and make a call that changes something once', async () => {
    const api = await kit.key(await kit.project())
    const { id, base } = await kit.pair(api)
    const to = '+55 11 98888-7777'
    await api.post(`${base}/messages/text`, { to, text: 'primeira' })
    let cuts = 0
    const proxy = createServer(async (incoming, outgoing) => {
      const body = Buffer.concat(await incoming.toArray())
      const { host: _, connection: __, ...headers } = incoming.headers
      const { statusCode, body: answer } = await request(`http://127.0.0.1:${kit.port}/mcp`, {
        method: 'POST',
        headers: { ...headers, host: HOSTS.test },
        body,
      })
      const text = await answer.text()
      // The server has made the call.
      if (body.includes('tools/call') && ++cuts < 3) {
        if (cuts === 1) return void incoming.socket.destroy()
        outgoing.writeHead(statusCode, { 'content-length': text.length })
        outgoing.write(text.slice(0, 20), () => incoming.socket.destroy())
      } else if (body.includes('get_me')) incoming.socket.destroy()
      else outgoing.writeHead(statusCode, { 'content-type': 'application/json' }).end(text)
      return undefined
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const { port } = proxy.address() as AddressInfo
    const client = new Client({ name: 'teste', version: '1' })
    const url = `http://127.0.0.1:${port}`
    const env = environment({ RECADO_KEY: api.key, RECADO_URL: url }) as Record<string, string>
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env }),
    )
    await client.listTools()
    const sent = await client.callTool({
      name: 'send_text',
      arguments: { instanceId: id, to, text: 'segunda' },
    })
    assert.notEqual(sent.isError, true)
    assert.equal((await api.get(`${base}/messages`)).body.items.length, 2)
    // A tool without a key is not called again.
    await assert.rejects(
      client.callTool({ name: 'get_me', arguments: {} }),
      /não se sabe se a chamada foi feita. Confira antes de repetir/,
    )
    await client.close()
    proxy.closeAllConnections()
    proxy.close()
  })

  it('recado commands end quietly when what reads their output ends first, as head does', () => {
    const command = `set -o pipefail; "${process.execPath}" "${BIN}" --help | true`
    const { status, stderr } = spawnSync('bash', ['-c', command], { encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
  })

  it('recado commands complete in bash, and describe every command in Portuguese', async () => {
    const { stdout } = await run(['completion', 'bash'])
    const script = `${stdout}\nCOMP_WORDS=(recado instances p) COMP_CWORD=2; _recado; echo "\${COMPREPLY[@]}"`
    assert.equal(spawnSync('bash', ['-c', script]).stdout.toString().trim(), 'pair')
    for (const shell of ['zsh', 'fish'])
      assert.match((await run(['completion', shell])).stdout, /trigger/)
    assert.equal((await run(['completion', 'tcsh'])).code, 2)
    const { stdout: help, code } = await run(['--help'])
    assert.equal(code, 0)
    assert.match(help, /Comandos:/)
    assert.doesNotMatch(help, /Usage|Options|display/)
  })
})
