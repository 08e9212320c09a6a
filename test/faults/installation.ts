// Several nodes on one external PostgreSQL, and a company that uses them.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { openDatabase, type Database } from '../../src/platform/db/database.ts'
import type { DatabaseAddress } from '../../src/platform/db/driver.ts'
import { openCluster } from '../../src/platform/db/embedded/cluster.ts'
import { callServer } from '../kit/call.ts'
import { startDatabaseProxy, type DatabaseProxy } from '../kit/database-proxy.ts'
import { findPort, makeDataDir, removeDataDir, run, START_ARGS, type Run } from '../kit/process.ts'

const CONNECTIONS = 48
const PASSWORD = 'uma senha bem longa'
const CONNECTED_WITHIN_MS = 60_000
const EMAIL = 'dono@empresa.com.br'

type Answer = Awaited<ReturnType<typeof callServer>>
/** A running server with its own proxy to the database. */
export type Node = { server: Run; port: number; proxy: DatabaseProxy }

/** An external PostgreSQL, the nodes on it, and a client of the company's API. */
export type Installation = {
  dir: string
  /** An operator's connection, without statement timeouts. */
  database: Database
  /** The superuser's address of the database, which bypasses every proxy. */
  address: DatabaseAddress
  /** Ports of the nodes among which requests are distributed at random. */
  ports: number[]
  /** Environment of a program that connects through `proxy`, by default the shared proxy. */
  envOf(node: string, port: number, proxy?: DatabaseProxy): Record<string, string>
  /** Runs an operator command of the version in `home`, by default this one; returns its output. */
  ops(args: string[], home?: string): Promise<Record<string, unknown>>
  /** Starts a server with its own proxy to the database. */
  start(node: string, home?: string): Promise<Node>
  /** Creates a company with a subscription and credits; returns its Project's id. */
  createCompany(home?: string): Promise<string>
  /** Calls the production host of a random node. */
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer>
  /** Signs in and creates the key that later calls use; returns it. */
  signIn(): Promise<string>
  /** Signs in and connects a first instance. */
  signInAndConnect(): Promise<{ key: string; instance: string; base: string }>
  /** Creates a virtual phone; returns its id. */
  phone(name: string): Promise<string>
  /** Creates an instance and pairs it with `phone`, by default a new one; returns its id. */
  connect(name: string, phone?: string): Promise<string>
}

/** Starts PostgreSQL and creates a database named `name`; everything is disposed of with `stack`. */
export async function createInstallation(
  stack: AsyncDisposableStack,
  name: string,
  /** Additional environment variables of every program. */
  more: Record<string, string> = {},
): Promise<Installation> {
  const dir = makeDataDir()
  stack.defer(() => removeDataDir(dir))
  const cluster = await openCluster(dir, true)
  stack.defer(() => cluster.stop())
  const { address } = cluster
  if ('url' in address)
    throw new Error(`PostgreSQL in ${dir}: expected a socket address, got a URL`)
  const admin = stack.use(openDatabase(address, 1))
  await admin.system`create role ${admin.sql(name)} login password 'p'`
  await admin.system`create database ${admin.sql(name)} owner ${admin.sql(name)}`
  const common = await startDatabaseProxy(address)
  stack.defer(() => common.close())
  const database = stack.use(openDatabase({ ...address, database: name }, 2, 'patient'))
  const agent = new Agent({ connections: CONNECTIONS })
  stack.defer(() => agent.destroy())
  let token = ''

  const envOf = (node: string, port: number, proxy = common) => ({
    DATA_DIR: join(dir, node),
    DATABASE_URL: proxy.url(name, 'p', name),
    MASTER_KEY: 'm'.repeat(32),
    PORT: String(port),
    PRODUCTION_NETWORK: 'simulator',
    EGRESS_ALLOW: '127.0.0.1/32',
    LOG_LEVEL: 'error',
    ...more,
  })

  /** Links the node's media folder to a shared one. */
  function shareMedia(dataDir: string): void {
    mkdirSync(join(dir, 'media'), { recursive: true })
    mkdirSync(dataDir, { recursive: true })
    if (!existsSync(join(dataDir, 'media'))) symlinkSync(join(dir, 'media'), join(dataDir, 'media'))
  }

  async function create(path: string, label: string): Promise<string> {
    const { status, body } = await installation.call('POST', path, { name: label })
    assert.equal(status, 201, `POST ${path}: ${JSON.stringify(body)}`)
    return String(body['id'])
  }

  const installation: Installation = {
    dir,
    database,
    address: { ...address, database: name },
    envOf,
    ports: [],
    async ops(args, home) {
      const ended = run('src/cli.ts', [...args, '--json'], envOf('ops', 0), [], home).ended
      const { code, output } = await ended
      assert.equal(code, 0, output)
      return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Record<string, unknown>
    },
    async start(node, home) {
      const port = await findPort()
      const proxy = await startDatabaseProxy(address)
      stack.defer(() => proxy.close())
      shareMedia(join(dir, node))
      const server = run('src/main.ts', [], envOf(node, port, proxy), START_ARGS, home)
      stack.defer(async () => {
        server.child.kill('SIGCONT')
        server.child.kill('SIGKILL')
        await server.ended
      })
      await server.says('Recado está no ar.')
      return {
        server,
        port,
        proxy,
      }
    },
    async createCompany(home) {
      const owner = ['--company', 'Padaria', '--tax-id', '11222333000181', '--email', EMAIL]
      const create = ['account', 'create', ...owner, '--password', PASSWORD, '--confirmed']
      const project = String((await installation.ops(create, home))['projectId'])
      await installation.ops(
        ['subscription', 'set', '--project', project, '--status', 'active'],
        home,
      )
      await installation.ops(
        ['credits', 'grant', '--project', project, '--amount', '1000000000'],
        home,
      )
      return project
    },
    async call(method, path, body) {
      const port = installation.ports[Math.floor(Math.random() * installation.ports.length)] ?? 0
      return callServer(
        {
          port,
          token,
          dispatcher: agent,
        },
        method,
        path,
        body,
      )
    },
    async signIn() {
      const post = async (path: string, body: object) =>
        (await installation.call('POST', path, body)).body
      const login = await post('/v1/auth/login', {
        email: EMAIL,
        password: PASSWORD,
      })
      token = String(login['accessToken'])
      token = String((await post('/v1/keys', { name: 'faltas' }))['key'])
      return token
    },
    async signInAndConnect() {
      const key = await installation.signIn()
      const instance = await installation.connect('Primeira')
      return {
        key,
        instance,
        base: `/v1/instances/${instance}`,
      }
    },
    phone: (label) => create('/v1/simulator/phones', label),
    async connect(label, known) {
      const instance = await create('/v1/instances', label)
      const phone = known ?? (await installation.phone(label))
      const base = `/v1/instances/${instance}`
      const scan = `/v1/simulator/phones/${phone}/scan`
      const paired = async () => {
        const { code } = (await installation.call('GET', `${base}/qr/poll`)).body
        return Boolean(code) && (await installation.call('POST', scan, { code })).status === 200
      }
      const connected = async () =>
        (await installation.call('GET', base)).body['status'] === 'CONNECTED'
      for (const done of [paired, connected]) {
        const until = performance.now() + CONNECTED_WITHIN_MS
        while (!(await done())) {
          assert.ok(performance.now() < until, `cannot connect ${instance} to ${phone}: timed out`)
          await pause(20)
        }
      }
      return instance
    },
  }
  return installation
}
