// Start, stop and failed starts of the server process.
import assert from 'node:assert/strict'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { request } from 'undici'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '../../src/kernel/config/config.ts'
import { StartFault } from '../../src/kernel/phrases/fail.ts'
import { lockDataDir } from '../../src/platform/db/embedded/data-dir.ts'
import { makeDataDir, makePreparedDataDir, removeDataDir, run, type Run } from '../kit/process.ts'

const dirs: string[] = []
const runs: Run[] = []
after(async () => {
  for (const { child } of runs) child.kill('SIGKILL')
  for (const dir of dirs) {
    await stopCluster(dir)
    removeDataDir(dir)
  }
})

const kept = (dir: string): string => {
  dirs.push(dir)
  return dir
}
/** An empty data directory, for what a first start does; the other has a database already. */
const emptyDir = () => kept(makeDataDir())
const dataDir = () => kept(makePreparedDataDir())
function start(env: Record<string, string>): Run {
  const one = run('src/main.ts', [], { PORT: '0', LOG_LEVEL: 'info', ...env })
  runs.push(one)
  return one
}
const ops = (args: string[], env: Record<string, string>) => run('src/cli.ts', args, env).ended
const READY = 'Recado está no ar.'

/** Stops a PostgreSQL that a killed server left behind, by an operator's command: the last one stops it. */
async function stopCluster(dir: string): Promise<void> {
  if (!existsSync(join(dir, 'postgres/cluster/postmaster.pid'))) return
  await ops(['doctor', '--json'], { DATA_DIR: dir })
}
/** The log is written behind the banner: the line may come after it. */
async function portOf(one: Run): Promise<number> {
  await one.says('Server listening at')
  const port = /listening at http:\/\/127\.0\.0\.1:(\d+)"/.exec(one.output())?.[1]
  assert.ok(port, one.output())
  return Number(port)
}
const status = async (port: number, path: string) => {
  const response = await request(`http://127.0.0.1:${port}${path}`)
  return { code: response.statusCode, text: await response.body.text() }
}
const postmasterPid = (dir: string) =>
  readFileSync(join(dir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]

describe('a first start', () => {
  it('a first start creates its database, prints where it listens and what to do, and stops cleanly on SIGTERM', async () => {
    const DATA_DIR = emptyDir()
    const one = start({ DATA_DIR })
    await one.says(READY)
    await one.says('npm run tour')
    await one.says('/etc/hosts')
    const port = await portOf(one)
    assert.equal((await status(port, '/healthz')).code, 200)
    assert.equal((await status(port, '/readyz')).code, 200)
    one.child.kill('SIGTERM')
    const { code } = await one.ended
    assert.equal(code, 0)
    assert.throws(() => postmasterPid(DATA_DIR), 'PostgreSQL still runs')
    const mode = (name: string) => readMode(join(DATA_DIR, name))
    assert.equal(mode('master.key'), '600')
  })

  it('a signal that arrives twice, as Ctrl-C does under npm, stops the server cleanly', async () => {
    const one = start({ DATA_DIR: emptyDir() })
    await one.says(READY)
    one.child.kill('SIGINT')
    one.child.kill('SIGTERM')
    const { code } = await one.ended
    assert.equal(code, 0)
    assert.match(one.output(), /Até logo/)
  })

  it('stopping the server does not wait for idle connections, partial requests or endless bodies', async () => {
    const one = start({ DATA_DIR: emptyDir() })
    const port = await portOf(one)
    const half = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n'
    const endless = `POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`
    const sockets = await Promise.all(
      ['', half, endless].map(async (sent) => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => {})
        await once(socket, 'connect')
        socket.write(sent)
        return socket
      }),
    )
    // All three have arrived once a later request has been answered.
    assert.equal((await status(port, '/healthz')).code, 200)
    one.child.kill('SIGTERM')
    const { code } = await one.ended
    for (const socket of sockets) socket.destroy()
    assert.equal(code, 0, one.output())
  })

  it('stopping the server responds to all requests pipelined on one connection', async () => {
    const one = start({ DATA_DIR: emptyDir() })
    const port = await portOf(one)
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    let received = ''
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
    const body = JSON.stringify({ email: 'a@example.com', password: 'uma senha bem longa' })
    const head = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    // The first is answered at once, the second only after the password has been hashed.
    const ended = once(socket, 'close')
    socket.write(
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nPOST /v1/auth/login HTTP/1.1\r\n${head}${body}`,
    )
    await once(socket, 'data')
    one.child.kill('SIGTERM')
    await ended
    assert.equal((await one.ended).code, 0)
    assert.deepEqual(
      [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code),
      ['200', '401'],
    )
  })

  it('a start after an interrupted initdb creates the database again', async () => {
    const DATA_DIR = emptyDir()
    const first = start({ DATA_DIR })
    await first.says(READY)
    first.child.kill('SIGINT')
    assert.equal((await first.ended).code, 0)
    // What an interrupted first start leaves: a directory that never got its name.
    const home = join(DATA_DIR, 'postgres')
    rmSync(join(home, 'cluster'), { recursive: true })
    mkdirSync(join(home, 'unfinished-0123'), { mode: 0o700 })
    writeFileSync(join(home, 'unfinished-0123', 'PG_VERSION'), '18')
    const again = start({ DATA_DIR })
    await again.says(READY)
    assert.ok(!readdirSync(home).includes('unfinished-0123'))
    again.child.kill('SIGTERM')
    await again.ended
  })
})

describe('a killed server', () => {
  it('a killed server leaves a PostgreSQL that the next one adopts with all committed data', async () => {
    const DATA_DIR = dataDir()
    const first = start({ DATA_DIR })
    await first.says(READY)
    const account = ['account', 'create', '--company', 'X', '--tax-id', '11222333000181']
    const made = await ops(
      [...account, '--email', 'a@b.co', '--password', '12345678', '--confirmed', '--json'],
      { DATA_DIR },
    )
    assert.equal(made.code, 0)
    assert.equal(made.output.trim().split('\n').length, 1)
    assert.deepEqual(Object.keys(JSON.parse(made.output)), ['accountId', 'projectId', 'email'])
    const pid = postmasterPid(DATA_DIR)
    first.child.kill('SIGKILL')
    await first.ended
    const second = start({ DATA_DIR })
    await second.says(READY)
    assert.equal(postmasterPid(DATA_DIR), pid)
    const shown = await ops(['account', 'show', '--email', 'a@b.co', '--json'], { DATA_DIR })
    assert.equal(JSON.parse(shown.output).email, 'a@b.co')
    const { projectId } = JSON.parse(made.output)
    await ops(['credits', 'grant', '--project', projectId, '--amount', '7'], { DATA_DIR })
    const audit = await ops(['audit', 'list', '--object', projectId, '--json'], { DATA_DIR })
    const [granted] = JSON.parse(audit.output).items
    assert.deepEqual(
      [granted.actor, granted.action, granted.before, granted.after],
      ['operator', 'credits.grant', { credits: 0 }, { credits: 7, amount: 7 }],
    )
    const examined = await ops(['doctor', '--json'], { DATA_DIR })
    const balances = JSON.parse(examined.output).checks.find(
      ({ name }: { name: string }) => name === 'balances',
    )
    assert.equal(balances.ok, true)
    second.child.kill('SIGTERM')
    assert.equal((await second.ended).code, 0)
  })
})

describe('operator commands', () => {
  it('an operator command waits for a server that is creating its database', async () => {
    const DATA_DIR = emptyDir()
    const one = start({ DATA_DIR })
    while (!existsSync(join(DATA_DIR, 'server.lock'))) await pause(10)
    const commands = await Promise.all(
      [0, 1, 2].map(() => ops(['project', 'list', '--json'], { DATA_DIR })),
    )
    await one.says(READY)
    for (const { code, output } of commands) assert.equal(code, 0, output)
    one.child.kill('SIGTERM')
    assert.equal((await one.ended).code, 0)
  })

  it('an operator command where no server has run is refused, and creates nothing', async () => {
    const DATA_DIR = emptyDir()
    for (const command of [
      ['backup', '--to', join(DATA_DIR, 'copia')],
      ['doctor'],
      ['project', 'list'],
    ]) {
      const { code, output } = await ops(command, { DATA_DIR })
      assert.equal(code, 1)
      assert.match(output, /nenhuma instalação em .*DATA_DIR/)
    }
    assert.equal(existsSync(join(DATA_DIR, 'postgres')), false)
  })

  it('a server waits for the operator commands that hold its data directory', async () => {
    const DATA_DIR = dataDir()
    // Two commands in a row hold the locks for longer than a server waits for another server.
    const commandLock = lockDataDir(DATA_DIR, 'operator')
    const serverLock = lockDataDir(DATA_DIR, 'server')
    assert.ok(commandLock && serverLock)
    const one = start({ DATA_DIR })
    const stillWaiting = await Promise.race([one.ended.then(() => false), pause(6000, true)])
    assert.ok(stillWaiting, one.output())
    serverLock[Symbol.dispose]()
    commandLock[Symbol.dispose]()
    await one.says(READY)
    one.child.kill('SIGTERM')
    assert.equal((await one.ended).code, 0)
  })

  it('an operator command ignores a stale pid file of another process and starts the database', async () => {
    const DATA_DIR = dataDir()
    await ops(['doctor'], { DATA_DIR })
    const file = join(DATA_DIR, 'postgres/cluster/postmaster.pid')
    writeFileSync(file, `${process.pid}\n`)
    const { uid, gid } = statSync(join(DATA_DIR, 'postgres/cluster'))
    chownSync(file, uid, gid)
    const { code, output } = await ops(['doctor', '--json'], {
      DATA_DIR,
      PRODUCTION_NETWORK: 'simulator',
    })
    assert.equal(code, 0, output)
  })

  it('an unknown operator command fails with one sentence and the usage, whatever its name', async () => {
    for (const name of ['inventado', 'toString', 'constructor', '__proto__']) {
      const { code, output } = await ops([name], { DATA_DIR: '/tmp' })
      assert.equal(code, 1)
      assert.match(output, new RegExp(`^[^\\n]*${name}`), output)
      assert.ok(!output.includes('TypeError'), output)
    }
  })

  it('an operator command works without a running server and leaves none behind', async () => {
    const DATA_DIR = dataDir()
    const { code, output } = await ops(['doctor', '--json'], {
      DATA_DIR,
      PRODUCTION_NETWORK: 'simulator',
    })
    assert.equal(code, 0, output)
    assert.equal(JSON.parse(output).ok, true)
    assert.throws(() => postmasterPid(DATA_DIR))
  })
})

describe('failed starts', () => {
  it('a variable of another program stops no start, and a wrong one is named in one sentence', () => {
    const headers = 'authorization=Basic%20abc%'
    const env = { OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_TRACES_SAMPLER_ARG: 'x' }
    assert.equal(parseConfig(env).tracing, null)
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }
    assert.throws(
      () => parseConfig({ ...endpoint, ...env }),
      /^StartFault: OTEL_EXPORTER_OTLP_HEADERS: /,
    )
    const spaced = { ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic abc, x=1' }
    assert.deepEqual(parseConfig(spaced).tracing?.headers, { authorization: 'Basic abc', x: '1' })
  })

  const fails = async (env: Record<string, string>, expected: RegExp) => {
    const { code, output } = await start(env).ended
    assert.equal(code, 1, output)
    const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
    assert.equal(lines.length, 1, output)
    assert.match(lines[0] ?? '', expected)
  }

  for (const [name, value] of [
    ['PORT', 'abc'],
    ['PORT', '70000'],
    ['LOG_LEVEL', 'loud'],
    ['TEST_NETWORK', 'pombo'],
    ['PUBLIC_URL', 'recado'],
    ['SANDBOX_URL', 'ftp://x'],
    ['DATABASE_URL', 'mysql://x'],
    ['EGRESS_ALLOW', '10.0.0.0/40'],
    ['EGRESS_DNS', 'dns.google'],
    ['TRUST_PROXY', 'proxy'],
    ['SMTP_URL', 'http://x'],
    ['MASTER_KEY', 'curta'],
    ['MEDIA_STORE', 'fita'],
    ['WHATSAPP_URL', 'http://x'],
    ['WHATSAPP_ROOT_KEY', 'curta'],
    ['WHATSAPP_VERSION', '2.3'],
  ] as const) {
    it(`a configuration with ${name}=${value} is rejected with a sentence that names the variable`, () =>
      assert.throws(
        () => parseConfig({ DATA_DIR: '/tmp', [name]: value }),
        (error: unknown) => error instanceof StartFault && error.message.startsWith(`${name}: `),
      ))
  }

  it('a start with an invalid variable fails with one sentence that names it', () =>
    fails({ DATA_DIR: '/tmp', PORT: 'abc' }, /^PORT: /))

  it('a start with half of the Stripe settings fails with one sentence', async () => {
    const key = { DATA_DIR: '/tmp', STRIPE_SECRET_KEY: 'sk_test_x' }
    await fails(key, /^STRIPE_WEBHOOK_SECRET: (?!.*sk_test_x)/)
    const publishable = { ...key, STRIPE_SECRET_KEY: 'pk_live_x', STRIPE_WEBHOOK_SECRET: 'whsec_x' }
    await fails(publishable, /^STRIPE_SECRET_KEY: (?!.*pk_live)/)
  })

  it('a start with an unreachable database fails with one sentence', () =>
    fails(
      {
        DATA_DIR: emptyDir(),
        DATABASE_URL: 'postgres://u:segredo@127.0.0.1:1/x',
        MASTER_KEY: 'x'.repeat(32),
      },
      /^DATABASE_URL: (?!.*segredo)/,
    ))

  it('a start with an external database and no master key fails with one sentence', () =>
    fails({ DATA_DIR: emptyDir(), DATABASE_URL: 'postgres://127.0.0.1/x' }, /^MASTER_KEY: /))

  it('a start whose data directory is a file fails with one sentence', () => {
    const file = join(emptyDir(), 'arquivo')
    writeFileSync(file, '')
    return fails({ DATA_DIR: file }, /^DATA_DIR: /)
  })

  it('a start whose data directory cannot be created fails with one sentence', () =>
    fails({ DATA_DIR: '/proc/recado' }, /^DATA_DIR: /))

  it('a start with a port or data directory in use fails with one sentence', async () => {
    const DATA_DIR = dataDir()
    const first = start({ DATA_DIR })
    await first.says(READY)
    await fails({ DATA_DIR: dataDir(), PORT: String(await portOf(first)) }, /^PORT: /)
    await fails({ DATA_DIR }, /^DATA_DIR: /)
    first.child.kill('SIGTERM')
    await first.ended
  })
})

function readMode(file: string): string {
  return (statSync(file).mode & 0o777).toString(8)
}
