// `ops backup` and `ops restore`: a restored installation continues where the backup ended.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { appendFileSync, cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { DatabaseAddress } from '../../src/platform/db/driver.ts'
import { openDatabase } from '../../src/platform/db/database.ts'
import { parseConfig } from '../../src/kernel/config/config.ts'
import { callServer } from '../kit/call.ts'
import type { Body } from '../kit/client.ts'
import { foundCompanies, OWNER } from '../kit/company.ts'
import { startDatabaseProxy } from '../kit/database-proxy.ts'
import {
  findPort,
  makeDataDir,
  makePreparedDataDir,
  removeDataDir,
  run,
  type Run,
} from '../kit/process.ts'
import { startReceiver, type Receiver } from '../kit/receiver.ts'

type SocketAddress = Exclude<DatabaseAddress, { url: string }>

const KEY = 'm'.repeat(32)
const WITHIN_MS = 20_000
const TEXT = 'guardado para sempre'

const dirs: string[] = []
const servers: Run[] = []
let receiver: Receiver
let token = ''
let backup: string
/** What the first server said last. */
let known: { instance: Body; credits: number; secret: string; messages: Body; bytes: string }

function makeDir(): string {
  const dir = makeDataDir()
  dirs.push(dir)
  return dir
}
const envOf = (dataDir: string, port = 0, masterKey: string | null = KEY) => ({
  DATA_DIR: dataDir,
  PORT: String(port),
  PRODUCTION_NETWORK: 'simulator',
  EGRESS_ALLOW: '127.0.0.1/32',
  LOG_LEVEL: 'error',
  ...(masterKey ? { MASTER_KEY: masterKey } : {}),
})

async function start(dataDir: string, env: Record<string, string> = {}) {
  const port = await findPort()
  const server = run('src/main.ts', [], { ...envOf(dataDir, port), ...env })
  servers.push(server)
  await server.says('Recado está no ar.')
  return {
    server,
    call: (method: 'GET' | 'POST', path: string, body?: object) =>
      callServer({ port, token }, method, path, body),
  }
}
type Server = Awaited<ReturnType<typeof start>>

const ops = (
  args: string[],
  dataDir: string,
  masterKey: string | null = KEY,
  env: Record<string, string> = {},
) => run('src/cli.ts', [...args, '--json'], { ...envOf(dataDir, 0, masterKey), ...env }).ended

/** An empty database that is reached over TCP, as an external server is. */
async function createExternalDatabase() {
  const address = JSON.parse(process.env['RECADO_TEST_DATABASE'] ?? '') as SocketAddress
  const name = `backup_${process.pid}`
  const admin = openDatabase(address, 1)
  await admin.system`create role ${admin.sql(name)} login password 'p'`
  await admin.system`create database ${admin.sql(name)} owner ${admin.sql(name)}`
  const proxy = await startDatabaseProxy(address)
  return {
    url: proxy.url(name, 'p', name),
    async [Symbol.asyncDispose]() {
      await proxy.close()
      await admin.system`drop database ${admin.sql(name)} with (force)`
      await admin.system`drop role ${admin.sql(name)}`
      await admin.close(1)
    },
  }
}

async function until<T>(look: () => Promise<T | false | undefined>): Promise<T> {
  const end = performance.now() + WITHIN_MS
  for (;;) {
    const seen = await look()
    if (seen) return seen
    assert.ok(performance.now() < end, 'it never came')
    await pause(50)
  }
}

/** The credits of all Projects. */
async function balance(dataDir: string): Promise<number> {
  const { output } = await ops(['project', 'list'], dataDir)
  const { items } = JSON.parse(output.trim()) as { items: { id: string }[] }
  const { output: shown } = await ops(['credits', 'show', '--project', items[0]?.id ?? ''], dataDir)
  return (JSON.parse(shown.trim()) as { credits: number }).credits
}

/** What must be the same afterwards. */
async function read({ call }: Server, instance: string) {
  const base = `/v1/instances/${instance}`
  const { body: messages } = await call('GET', `${base}/messages`)
  const withFile = messages['items'].find((message: Body) => message['media'])
  const { text: bytes } = await call('GET', `${base}/messages/${withFile['id']}/media`)
  const { body } = await call('GET', base)
  return { instance: body, messages, bytes }
}

before(async () => {
  const dataDir = makePreparedDataDir()
  dirs.push(dataDir)
  // As several nodes have it: a folder that they share.
  const shared = join(makeDir(), 'media')
  mkdirSync(shared)
  symlinkSync(shared, join(dataDir, 'media'))
  await foundCompanies(parseConfig(envOf(dataDir)), 1)
  const server = await start(dataDir)
  const { call } = server
  receiver = await startReceiver()
  token = (await call('POST', '/v1/auth/login', OWNER)).body['accessToken']
  token = (await call('POST', '/v1/keys', { name: 'cópia' })).body['key']
  const { body: instance } = await call('POST', '/v1/instances', { name: 'Loja' })
  const { body: phone } = await call('POST', '/v1/simulator/phones', { name: 'Ana' })
  const base = `/v1/instances/${instance['id']}`
  await until(async () => {
    const { code } = (await call('GET', `${base}/qr/poll`)).body
    const path = `/v1/simulator/phones/${phone['id']}/scan`
    return code && (await call('POST', path, { code })).status === 200
  })
  await until(async () => (await call('GET', base)).body['status'] === 'CONNECTED')
  const { body: webhook } = await call('POST', '/v1/webhooks', { name: 'loja', url: receiver.url })
  await call('POST', `${base}/messages`, { to: '+5511988887777', text: TEXT })
  const data = Buffer.from('um documento').toString('base64')
  const file = { mimeType: 'text/plain', fileName: 'a.txt', base64: data }
  const sent = await call('POST', `${base}/messages/media`, {
    to: '+5511988887777',
    type: 'document',
    media: file,
  })
  assert.equal(sent.status, 201, sent.text)
  await until(async () => {
    const { body } = await call('GET', `${base}/messages?status=delivered`)
    return body['items'].length === 2
  })
  known = {
    ...(await read(server, instance['id'])),
    secret: webhook['secret'],
    credits: await balance(dataDir),
  }
  backup = join(makeDir(), 'copy')
  const taken = await ops(['backup', '--to', backup], dataDir)
  assert.equal(taken.code, 0, taken.output)
  server.server.child.kill('SIGTERM')
  await server.server.ended
})
after(async () => {
  for (const { child, ended } of servers) {
    child.kill('SIGTERM')
    await ended
  }
  receiver.close()
  for (const dir of dirs) removeDataDir(dir)
})

describe('a backup of a running server', () => {
  it('a backup restored on an empty machine is connected without a code, signs as before and has exact balances', async () => {
    const dataDir = makeDir()
    const restored = await ops(['restore', '--from', backup], dataDir)
    assert.equal(restored.code, 0, restored.output)
    const server = await start(dataDir)
    const { id } = known.instance as { id: string }
    const base = `/v1/instances/${id}`
    await until(async () => (await server.call('GET', base)).body['status'] === 'CONNECTED')
    const { messages, bytes, instance } = await read(server, id)
    assert.equal(await balance(dataDir), known.credits)
    assert.deepEqual(messages, known.messages)
    assert.equal(bytes, known.bytes)
    assert.deepEqual(
      [instance['phone'], instance['pairedAt']],
      [known.instance['phone'], known.instance['pairedAt']],
    )
    const { code, output } = await ops(['doctor'], dataDir, KEY, {
      PRODUCTION_NETWORK: 'simulator',
    })
    assert.equal(code, 0, output)

    const before = receiver.received.length
    const sent = await server.call('POST', `${base}/messages`, {
      to: '+5511988887777',
      text: 'de novo',
    })
    assert.equal(sent.status, 201, sent.text)
    await until(async () => receiver.received.length > before)
    const told = receiver.received.at(-1)
    assert.ok(told)
    const signature = createHmac('sha256', known.secret).update(told.text).digest('hex')
    assert.equal(told.headers['x-service-signature'], `sha256=${signature}`)
  })

  it('a backup can be restored into an external PostgreSQL and taken from it again', async () => {
    await using external = await createExternalDatabase()
    const env = { DATABASE_URL: external.url }
    const dataDir = makeDir()
    // An empty database is no installation, however often it is tried.
    for (let time = 0; time < 2; time++) {
      const refused = await ops(['backup', '--to', join(makeDir(), 'x')], dataDir, KEY, env)
      assert.equal(refused.code, 1)
      assert.match(refused.output, /nenhuma instalação em DATABASE_URL/)
    }
    const restored = await ops(['restore', '--from', backup], dataDir, KEY, env)
    assert.equal(restored.code, 0, restored.output)
    const server = await start(dataDir, env)
    const { id } = known.instance as { id: string }
    const connected = async () =>
      (await server.call('GET', `/v1/instances/${id}`)).body['status'] === 'CONNECTED'
    await until(connected)
    const { messages, bytes } = await read(server, id)
    assert.deepEqual([messages, bytes], [known.messages, known.bytes])
    const again = join(makeDir(), 'copy')
    const taken = await ops(['backup', '--to', again], dataDir, KEY, env)
    assert.equal(taken.code, 0, taken.output)
    server.server.child.kill('SIGTERM')
    await server.server.ended

    const home = makeDir()
    assert.equal((await ops(['restore', '--from', again], home)).code, 0)
    assert.equal(await balance(home), known.credits)
  })

  it('a backup is not restored into a database with data', async () => {
    const dataDir = makeDir()
    assert.equal((await ops(['restore', '--from', backup], dataDir)).code, 0)
    const { code, output } = await ops(['restore', '--from', backup], dataDir)
    assert.equal(code, 1)
    assert.match(output, /já tem dados/)
  })

  it('a backup is not restored with another master key or none, and the error names the key', async () => {
    for (const masterKey of ['x'.repeat(32), null]) {
      const { code, output } = await ops(['restore', '--from', backup], makeDir(), masterKey)
      assert.equal(code, 1)
      assert.match(output, /MASTER_KEY: a chave não abre os segredos desta cópia/)
    }
  })

  it('a damaged or incomplete backup is not restored', async () => {
    const copy = join(makeDir(), 'copy')
    cpSync(backup, copy, { recursive: true })
    appendFileSync(join(copy, 'tables', 'message.copy.gz'), 'x')
    const damaged = await ops(['restore', '--from', copy], makeDir())
    assert.match(damaged.output, /message\.copy\.gz está danificado/)
    rmSync(join(copy, 'manifest.json'))
    const incomplete = await ops(['restore', '--from', copy], makeDir())
    assert.match(incomplete.output, /não há uma cópia completa/)
    assert.deepEqual([damaged.code, incomplete.code], [1, 1])
  })

  it('a backup is not written into a directory with files', async () => {
    const { code, output } = await ops(['backup', '--to', backup], makePreparedDataDir())
    assert.equal(code, 1)
    assert.match(output, /não está vazia/)
  })
})
