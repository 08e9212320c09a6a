// The snippets of the documentation site (site/snippets), each run against a real server.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { after, before, describe, it } from 'node:test'
import { request } from 'undici'
import { startTestApp, type TestApp } from '../kit/test-app.ts'
import { pdf } from '../kit/files.ts'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const SNIPPETS = at('site/snippets')
const list = (folder: string) => readdirSync(join(SNIPPETS, folder)).toSorted()
const read = (path: string) => readFileSync(join(SNIPPETS, path), 'utf8')
/** Snippets that do not end by themselves have tests of their own. */
const SERVERS = new Set(['events.ts', 'receiver.ts'])

let kit: TestApp
let dir: string
let env: Record<string, string>

/** A server at its own address, since programs other than ours cannot be told to look elsewhere. */
before(async () => {
  // The TypeScript snippets import the package as its users do.
  await promisify(execFile)(at('node_modules/.bin/tsc'), ['-p', at('packages/sdk')])
  dir = mkdtempSync(join(tmpdir(), 'recado-snippets-'))
  const port = await freePort()
  kit = await startTestApp({ PORT: String(port), SANDBOX_URL: `http://sandbox.localhost:${port}` })
  const project = await kit.project()
  const api = await kit.key(project)
  const instance = await kit.pair(api)
  const official = await kit.pair(api, 'Oficial', {}, { network: 'cloud_api' })
  const ana = await kit.phone(api)
  const { body: webhook } = await api.post('/v1/webhooks', { name: 'w', url: 'https://x.invalid' })
  await api.post(`${ana.base}/messages`, { to: instance.phone, text: 'oi' })
  await kit.settle()
  const { body: messages } = await api.get(`${instance.base}/messages`)
  const message = { type: 'text', text: 'Olá' }
  const { body: campaign } = await api.post('/v1/campaigns', {
    name: 'c',
    instanceIds: [instance.id],
    message,
    recipients: [{ to: ana.phone }],
  })
  const sendAt = new Date(kit.clock.now() + 3600_000).toISOString()
  const { body: schedule } = await api.post(`${instance.base}/scheduled-messages`, {
    sendAt,
    message: { ...message, to: ana.phone },
  })
  writeFileSync(join(dir, 'nota.pdf'), pdf())
  // Node does not resolve names below localhost on every system.
  writeFileSync(join(dir, 'resolve.mjs'), RESOLVE)
  // PHP's autoloader, as Composer writes it.
  const autoload = `<?php spl_autoload_register(fn ($n) => require '${at('packages/php/src')}/' . substr($n, 7) . '.php');`
  writeFileSync(join(dir, 'autoload.php'), autoload)
  env = {
    PATH: process.env['PATH'] ?? '',
    RECADO_URL: `http://sandbox.localhost:${kit.port}`,
    RECADO_KEY: api.key,
    INSTANCE: instance.id,
    OFFICIAL: official.id,
    NUMBER: instance.phone,
    PHONE: ana.id,
    WEBHOOK: webhook.id,
    CAMPAIGN: campaign.id,
    SCHEDULE: schedule.id,
    SEND_AT: sendAt,
    NOW: new Date(kit.clock.now()).toISOString(),
    WA_MESSAGE_ID: messages.items[0].waMessageId,
    FILE: join(dir, 'nota.pdf'),
    PYTHONPATH: at('packages/python'),
    PYTHONDONTWRITEBYTECODE: '1',
  }
})
after(async () => {
  await kit.close()
  rmSync(dir, { recursive: true })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

/** Resolves the names of the test server to loopback, as an entry in /etc/hosts would. */
const RESOLVE = `import dns from 'node:dns'
const { lookup } = dns
dns.lookup = (name, options, done) =>
  lookup(name.endsWith('.localhost') ? '127.0.0.1' : name, options, done)
`

/** Forwards requests to the server with its host; for languages whose resolver cannot be replaced. */
async function startForwarder() {
  const server = createHttpServer(async (incoming, outgoing) => {
    const { host: _, connection: __, 'content-length': ___, ...headers } = incoming.headers
    const body = Buffer.concat(await incoming.toArray())
    const response = await request(`http://127.0.0.1:${kit.port}${incoming.url}`, {
      method: incoming.method as 'GET',
      headers: { ...headers, host: `sandbox.localhost:${kit.port}` },
      ...(body.length > 0 ? { body } : {}),
    })
    outgoing.writeHead(response.statusCode, {
      'x-request-id': String(response.headers['x-request-id']),
      'content-type': 'application/json',
      connection: 'close',
    })
    outgoing.end(await response.body.text())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The address of the test server in place of the one that snippets leave to the default. */
const pointed = (code: string) =>
  code
    .replace(
      'apiKey: process.env.RECADO_KEY!',
      'apiKey: process.env.RECADO_KEY!, baseUrl: process.env.RECADO_URL!',
    )
    .replace('os.environ["RECADO_KEY"]', 'os.environ["RECADO_KEY"], os.environ["RECADO_URL"]')
    .replace("getenv('RECADO_KEY')", "getenv('RECADO_KEY'), getenv('RECADO_URL')")
    .replace('vendor/autoload.php', join(dir, 'autoload.php'))

/** Runs a program; resolves with its output, or rejects with what it printed. */
async function run(
  program: string,
  args: string[],
  own: Record<string, string> = {},
): Promise<string> {
  const options = { env: { ...env, ...own }, timeout: 60_000 }
  const { stdout } = await promisify(execFile)(program, args, options)
  return stdout
}

const resolving = () => ['--import', join(dir, 'resolve.mjs')]

/** Writes a copy of a TypeScript snippet where it finds the SDK. */
function place(name: string): string {
  const path = join(at('packages/sdk'), `snippet-${process.pid}-${name}`)
  writeFileSync(path, pointed(read(`ts/${name}`)))
  return path
}

describe('the snippets of the site', () => {
  for (const name of list('curl')) {
    it(`curl/${name} is accepted by the server`, async () => {
      const output = await run('bash', ['-euo', 'pipefail', join(SNIPPETS, 'curl', name)])
      assert.ok(!output.includes('"error":{'), output)
    })
  }
  for (const name of list('ts').filter((one) => !SERVERS.has(one))) {
    it(`ts/${name} runs`, async () => {
      const path = place(name)
      try {
        await run(process.execPath, [...resolving(), path])
      } finally {
        rmSync(path)
      }
    })
  }
  it('the TypeScript snippets compile against the types of the SDK', async () => {
    const paths = list('ts').map(place)
    const config = join(at('packages/sdk'), `snippet-${process.pid}-tsconfig.json`)
    writeFileSync(
      config,
      JSON.stringify({
        extends: at('tsconfig.json'),
        compilerOptions: { noEmit: true, types: ['node'], typeRoots: [at('node_modules/@types')] },
        include: paths,
      }),
    )
    try {
      await run(at('node_modules/.bin/tsc'), ['-p', config]).catch((error: { stdout: string }) =>
        assert.fail(error.stdout),
      )
    } finally {
      for (const path of [...paths, config]) rmSync(path)
    }
  })
  for (const name of list('sh')) {
    it(`sh/${name} names programs, commands and options that exist`, async () => {
      await run('bash', ['-n', join(SNIPPETS, 'sh', name)])
      for (const line of read(`sh/${name}`).trim().split('\n')) {
        const words = line.replace(/^\w+=\S+ /, '').split(' ')
        const options = words.filter((word) => /^--\w/.test(word))
        const [program, first = '', ...more] = words
        if (program === 'npx') {
          const command = more.filter((word) => /^[a-z]+$/.test(word))
          const help = await run(process.execPath, [
            at('packages/cli/bin/recado.js'),
            ...command,
            '--help',
          ])
          assert.ok(help.startsWith(`Uso: recado ${command.join(' ')} [`), line)
          for (const option of options) assert.ok(help.includes(option), `${line}: ${option}`)
        } else if (program === 'npm' && more[1] === 'ops') {
          const help = await run(process.execPath, [at('src/cli.ts'), '--help'])
          for (const word of [more[3] ?? '', ...options.filter((one) => one !== '--')])
            assert.ok(help.includes(word), `${line}: ${word}`)
        } else if (program === 'docker') {
          const file = words[words.indexOf('-f') + 1] ?? ''
          const profile = words[words.indexOf('--profile') + 1] ?? ''
          const compose = readFileSync(at(file), 'utf8')
          assert.ok(compose.includes(`profiles: [${profile}]`), line)
        } else assert.ok(program === 'export' || (program === 'npm' && first), line)
      }
    })
  }
  it('json/error.json, json/pacing.json and json/mcp.json are what the server sends and accepts', async () => {
    const api = kit.client('test', env['RECADO_KEY'] ?? '')
    const { body: instance } = await api.post('/v1/instances', { name: 'Sem telefone' })
    const to = '+55 11 99999-8888'
    const refused = await api.post(`/v1/instances/${instance.id}/messages`, { to, text: 'oi' })
    assert.deepEqual(refused.body, JSON.parse(read('json/error.json')))
    const message = { type: 'text', text: 'Olá' }
    const campaign = { name: 'Natal', instanceIds: [env['INSTANCE']], message }
    const { pacing } = JSON.parse(read('json/pacing.json'))
    const made = await api.post('/v1/campaigns', { ...campaign, pacing })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(made.body.pacing, pacing)
    const { mcpServers } = JSON.parse(read('json/mcp.json'))
    assert.equal(new URL(mcpServers.recado.url).pathname, '/mcp')
    const names = [...read('ini/compose.env').matchAll(/^(\w+)=/gm)].map(([, name = '']) => name)
    const compose = readFileSync(at('deploy/compose.yml'), 'utf8')
    for (const name of names) assert.ok(compose.includes(name), name)
  })
  it('ts/events.ts prints the event that it waits for', async () => {
    const path = place('events.ts')
    const child = spawn(process.execPath, [...resolving(), path], { env })
    try {
      const output: Buffer[] = []
      child.stdout.on('data', (data: Buffer) => output.push(data))
      const ended = once(child, 'close')
      let over = false
      void ended.then(() => (over = true))
      while (!over) {
        await run('bash', [join(SNIPPETS, 'curl', 'phone-says.sh')])
        await kit.settle()
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 200))])
      }
      assert.match(Buffer.concat(output).toString(), /Ainda tem pão/)
    } finally {
      child.kill('SIGKILL')
      rmSync(path)
    }
  })
  it('ts/receiver.ts accepts a signed delivery and refuses a forged one', async () => {
    const path = place('receiver.ts')
    const port = await freePort()
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const child = spawn(process.execPath, [path], {
      env: { ...env, PORT: String(port), WEBHOOK_SECRET: secret },
    })
    try {
      const body = '{"event":"message.received","data":{"eventId":"evt_1","message":{"text":"oi"}}}'
      const timestamp = String(Math.floor(Date.now() / 1000))
      const signature = createHmac('sha256', Buffer.alloc(32, 7))
        .update(`evt_1.${timestamp}.${body}`)
        .digest('base64')
      const deliver = async (own: string): Promise<number> => {
        for (;;) {
          try {
            const answer = await fetch(`http://127.0.0.1:${port}`, {
              method: 'POST',
              body,
              headers: {
                'webhook-id': 'evt_1',
                'webhook-timestamp': timestamp,
                'webhook-signature': `v1,${own}`,
              },
            })
            return answer.status
          } catch {
            assert.equal(child.exitCode, null)
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
        }
      }
      assert.equal(await deliver(signature), 204)
      assert.equal(await deliver(Buffer.alloc(32).toString('base64')), 400)
    } finally {
      child.kill('SIGKILL')
      rmSync(path)
    }
  })
  for (const [language, program, file] of [
    ['py', 'python3', 'text.py'],
    ['php', 'php', 'text.php'],
  ] as const) {
    it(`${language}/${file} sends a message`, async () => {
      const path = join(dir, file)
      writeFileSync(path, pointed(read(`${language}/${file}`)))
      await using forwarder = await startForwarder()
      const output = await run(program, [path], { RECADO_URL: forwarder.url })
      assert.match(output, /^msg_\w+ queued/)
    })
  }
})

/** How to run each verification with (secret, signature, body file); the program prints 1 if valid, else 0. */
const VERIFIERS: Record<
  string,
  { program: string; args?: string[]; imports?: string; main: string }
> = {
  'verify.ts': {
    program: process.execPath,
    main: `import { readFileSync } from 'node:fs'
const [secret = '', signature = '', file = ''] = process.argv.slice(2)
process.stdout.write(verify(secret, signature, readFileSync(file)) ? '1' : '0')`,
  },
  'verify.py': {
    program: 'python3',
    main: `import sys
print(1 if verify(sys.argv[1], sys.argv[2], open(sys.argv[3], "rb").read()) else 0, end="")`,
  },
  'verify.php': {
    program: 'php',
    main: `echo verify($argv[1], $argv[2], file_get_contents($argv[3])) ? 1 : 0;`,
  },
  'verify.go': {
    program: 'go',
    args: ['run'],
    imports: '\t"fmt"\n\t"os"\n',
    main: `func main() {
	body, _ := os.ReadFile(os.Args[3])
	if verify(os.Args[1], os.Args[2], body) { fmt.Print(1) } else { fmt.Print(0) }
}`,
  },
  'verify.rb': {
    program: 'ruby',
    main: `print verify(ARGV[0], ARGV[1], File.binread(ARGV[2])) ? 1 : 0`,
  },
  'Signature.java': {
    program: 'java',
    main: `class Main {
  public static void main(String[] args) throws Exception {
    byte[] body = java.nio.file.Files.readAllBytes(java.nio.file.Path.of(args[2]));
    System.out.print(Signature.verify(args[0], args[1], body) ? 1 : 0);
  }
}`,
  },
}

describe('verifying a signature', () => {
  it('signature verification is shown in six languages', () => {
    assert.deepEqual(list('verify'), Object.keys(VERIFIERS).toSorted())
  })
  for (const [file, { program, args = [], imports, main }] of Object.entries(VERIFIERS)) {
    it(`verify/${file} accepts our signature, and rejects another secret and a changed body`, async () => {
      const own = read(`verify/${file}`)
      const code = imports ? own.replace('import (\n', `import (\n${imports}`) : own
      // The class with `main` comes first in a Java source file that is run.
      const isJava = file.endsWith('.java')
      const head = code.lastIndexOf('import ')
      const cut = isJava ? code.indexOf('\n', head) + 1 : code.length
      const path = join(dir, file)
      writeFileSync(path, `${code.slice(0, cut)}\n${main}\n${code.slice(cut)}`)
      const secret = 'whsec_c2VncmVkbw=='
      const body = Buffer.from('{"text":"Olá 👍"}')
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
      const check = async (key: string, bytes: Buffer) => {
        writeFileSync(join(dir, 'body'), bytes)
        const { stdout } = await promisify(execFile)(
          program,
          [...args, path, key, signature, join(dir, 'body')],
          {
            env: { ...env, HOME: dir, GOFLAGS: '-mod=mod', GOCACHE: join(dir, 'go') },
            timeout: 120_000,
          },
        )
        return stdout
      }
      assert.equal(await check(secret, body), '1')
      assert.equal(await check('whsec_b3V0cm8=', body), '0')
      assert.equal(await check(secret, Buffer.from(`${body.toString()} `)), '0')
    })
  }
})
