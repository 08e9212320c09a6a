// `ops project move`: a company moves between two running installations.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '../../src/kernel/config/config.ts'
import { openDatabase, type Database } from '../../src/platform/db/database.ts'
import { openCluster } from '../../src/platform/db/embedded/cluster.ts'
import { callServer } from '../kit/call.ts'
import { foundCompanies, OWNER } from '../kit/company.ts'
import { findPort, makePreparedDataDir, removeDataDir, run, type Run } from '../kit/process.ts'
import { startReceiver, type Receiver } from '../kit/receiver.ts'
import { root } from '../kit/whatsapp-server/certificate.ts'
import { WhatsAppServer } from '../kit/whatsapp-server/server.ts'

const installed = spawnSync('nginx', ['-v']).status === 0
const skip = installed ? false : 'install nginx to run it (apt-get install nginx-light)'
const WITHIN_MS = 40_000
const SANDBOX = { host: 'sandbox.localhost' }
const NEIGHBOUR = { ...OWNER, email: OWNER.email.replace('@', '-1@') }

type Site = {
  dataDir: string
  env: Record<string, string>
  file: string
  server: Run
  port: number
}
/** A company with a paired number, at the installation that it began in. */
type Shop = {
  key: string
  project: string
  instance: string
  secret: string
  own: ReturnType<WhatsAppServer['person']>
}

const whatsapp = new WhatsAppServer()
const sites: Site[] = []
let receiver: Receiver

async function until<T>(
  look: () => Promise<T | false | undefined | null>,
  what: string,
): Promise<T> {
  const end = performance.now() + WITHIN_MS
  for (;;) {
    const seen = await look()
    if (seen) return seen
    assert.ok(performance.now() < end, `it never came: ${what}`)
    await pause(50)
  }
}

async function startSite(name: string, companies: number): Promise<Site> {
  const dataDir = makePreparedDataDir()
  const port = await findPort()
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    MASTER_KEY: name.repeat(32).slice(0, 32),
    PRODUCTION_NETWORK: 'whatsapp',
    WHATSAPP_URL: whatsapp.url,
    WHATSAPP_ROOT_KEY: Buffer.from(root.public).toString('base64'),
    EGRESS_ALLOW: '127.0.0.1/32',
    LOG_LEVEL: 'error',
  }
  await foundCompanies(parseConfig(env), companies)
  const server = run('src/main.ts', [], env)
  await server.says('Recado está no ar.')
  const file = join(dataDir, 'other.env')
  writeFileSync(
    file,
    Object.entries(env)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  )
  const site = { dataDir, env, file, server, port }
  sites.push(site)
  return site
}

const call = (
  site: Site,
  token: string,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => callServer({ port: site.port, token }, method, path, body, headers)

async function openShop(site: Site, owner: typeof OWNER, phone: string): Promise<Shop> {
  const login = await call(site, '', 'POST', '/v1/auth/login', owner)
  const { body } = await call(site, login.body['accessToken'], 'POST', '/v1/keys', { name: 'loja' })
  const key = String(body['key'])
  const own = whatsapp.person(phone, 'Loja')
  const made = await call(site, key, 'POST', '/v1/instances', { name: 'Loja' })
  const instance = String(made.body['id'])
  const base = `/v1/instances/${instance}`
  await until(async () => {
    const { code } = (await call(site, key, 'GET', `${base}/qr/poll`)).body
    if (typeof code !== 'string') return false
    whatsapp.pairing.scan(own, code)
    return true
  }, 'a code')
  await until(
    async () => (await call(site, key, 'GET', base)).body['status'] === 'CONNECTED',
    'a connection',
  )
  const webhook = await call(site, key, 'POST', '/v1/webhooks', { name: 'loja', url: receiver.url })
  const { body: me } = await call(site, key, 'GET', '/v1/me')
  return {
    key,
    project: String(me['project'].id),
    instance,
    secret: String(webhook.body['secret']),
    own,
  }
}

/** Sends a file on the simulated network of the test host, to a virtual phone. */
async function openSandbox(site: Site, owner: typeof OWNER) {
  const ask = (token: string, method: 'GET' | 'POST', path: string, body?: object) =>
    call(site, token, method, path, body, SANDBOX)
  const login = await ask('', 'POST', '/v1/auth/login', owner)
  const key = (await ask(login.body['accessToken'], 'POST', '/v1/keys', { name: 'teste' })).body[
    'key'
  ]
  const { body: instance } = await ask(key, 'POST', '/v1/instances', { name: 'Teste' })
  const { body: phone } = await ask(key, 'POST', '/v1/simulator/phones', { name: 'Bia' })
  const base = `/v1/instances/${instance['id']}`
  await until(async () => {
    const { code } = (await ask(key, 'GET', `${base}/qr/poll`)).body
    return (
      code &&
      (await ask(key, 'POST', `/v1/simulator/phones/${phone['id']}/scan`, { code })).status === 200
    )
  }, 'a code of the simulator')
  const content = `de ${owner.email}`
  const sent = await ask(key, 'POST', `${base}/messages/media`, {
    to: '+5511988887777',
    type: 'document',
    media: {
      mimeType: 'text/plain',
      fileName: 'a.txt',
      base64: Buffer.from(content).toString('base64'),
    },
  })
  assert.equal(sent.status, 201, sent.text)
  const message = `${base}/messages/${sent.body['id']}`
  await until(
    async () => (await ask(key, 'GET', message)).body['status'] === 'delivered',
    'a delivery',
  )
  return { key: String(key), message, content }
}

const move = (from: Site, to: Site, project: string) =>
  run('src/cli.ts', ['project', 'move', '--project', project, '--to', to.file, '--json'], from.env)

/** A direct connection to the database of a site. */
async function openSite({ dataDir }: Site): Promise<Database> {
  return openDatabase((await openCluster(dataDir, false)).address, 2, 'patient')
}

/** Starts a move and runs `work` while it waits for a table of the other installation. */
async function whileCopying(
  from: Site,
  to: Site,
  project: string,
  work: (running: Run) => Promise<void>,
) {
  await using database = await openSite(to)
  return await database.session(async (sql) => {
    await sql`begin`
    await sql`lock table call_log in exclusive mode`
    const running = move(from, to, project)
    await until(async () => {
      const [row] = await database.system<{ waits: boolean }[]>`
        select exists (select from pg_locks where not granted and relation = 'call_log'::regclass) as waits`
      return row?.waits
    }, 'a copy that waits')
    await work(running)
    await sql`rollback`
    return running.ended
  })
}

/** Deletes the company of `OWNER`, whose people may not be known where they move to. */
async function removeOwner(site: Site): Promise<void> {
  await using database = await openSite(site)
  await database.system`update app_user set email = 'outra@empresa.com.br' where email = ${OWNER.email}`
}

/** How often instances of a site asked for a QR code. */
async function readCodes(site: Site): Promise<unknown> {
  await using database = await openSite(site)
  return await database.system`select count(*) as count from instance_transition where to_status = 'QR'`
}

/** Two installations, of which the first has a company with a connected number. */
async function startPair(one: string, other: string) {
  const [here, there] = [await startSite(one, 1), await startSite(other, 1)]
  await removeOwner(there)
  const shop = await openShop(here, OWNER, `55119700000${sites.length}`)
  return { here, there, shop, path: `/v1/instances/${shop.instance}` }
}

before(async () => {
  await whatsapp.listen()
  receiver = await startReceiver()
})
after(async () => {
  for (const { server, dataDir } of sites) {
    server.child.kill('SIGTERM')
    await server.ended
    removeDataDir(dataDir)
  }
  receiver.close()
  whatsapp.close()
})

/** Sends as a client behind a router does: on 503 again, at the installation that has the Project by then. */
function startClient(shop: Shop, to: string, routes: Site[]) {
  const acknowledged = new Map<string, string>()
  const refused: string[] = []
  let working = true
  let abandoned = false
  async function send(text: string): Promise<void> {
    for (let tries = 0; ; tries++) {
      const site = routes[tries % routes.length]
      assert.ok(site && tries < 400, `never accepted: ${text}`)
      if (abandoned) return
      const path = `/v1/instances/${shop.instance}/messages`
      const answer = await call(
        site,
        shop.key,
        'POST',
        path,
        { to, text },
        { 'idempotency-key': text },
      )
      if (answer.status === 201) return void acknowledged.set(text, answer.body['waMessageId'])
      // The other installation does not know the key before it has the Project.
      if (answer.status !== 503 && answer.status !== 401) refused.push(answer.text)
      await pause(50)
    }
  }
  const ended = (async () => {
    for (let count = 0; working; count++) {
      await send(`pedido ${count}`)
      await pause(20)
    }
  })()
  return {
    acknowledged,
    refused,
    /** Ends without waiting, after a failed test. */
    abandon() {
      working = false
      abandoned = true
    },
    async stop() {
      working = false
      await ended
    },
  }
}

describe('moving a Project to another installation', () => {
  it('a company moves under load without a QR code, and nothing is lost, doubled or left behind', async (t) => {
    const [here, there] = [await startSite('a', 2), await startSite('b', 2)]
    // Other companies at both ends, so that numbers of rows collide.
    const staying = await openShop(here, NEIGHBOUR, '5511970000009')
    const shop = await openShop(here, OWNER, '5511970000001')
    await removeOwner(there)
    const resident = await openShop(there, NEIGHBOUR, '5511970000008')
    const ana = whatsapp.person('5511980000001', 'Ana')
    const base = `/v1/instances/${shop.instance}`
    const [sandbox] = [await openSandbox(here, OWNER), await openSandbox(there, NEIGHBOUR)]
    const pairedAt = (await call(here, shop.key, 'GET', base)).body['pairedAt']
    const codesBefore = await readCodes(here)
    const client = startClient(shop, ana.phone, [here, there])
    t.after(client.abandon)
    let written = 0
    const writing = setInterval(() => {
      void whatsapp.messages.write(ana, shop.own, { conversation: `de ana ${written++}` })
    }, 100)
    t.after(() => clearInterval(writing))
    await pause(1500)
    const moved = await move(here, there, shop.project).ended
    assert.equal(moved.code, 0, moved.output)
    await until(
      async () => (await call(there, shop.key, 'GET', base)).body['status'] === 'CONNECTED',
      'the connection there',
    )
    await pause(1000)
    clearInterval(writing)
    await client.stop()

    const ids = [...client.acknowledged.values()]
    const arrived = () =>
      ana.inbox.filter(({ from }) => from === shop.own).map(({ waMessageId }) => waMessageId)
    await until(async () => ids.every((id) => arrived().includes(id)), 'all messages at the phone')
    assert.equal(new Set(arrived()).size, arrived().length, 'none arrived twice')
    assert.deepEqual(client.refused, [])
    await using database = await openSite(there)
    const stored = await until(async () => {
      const rows = await database.system<{ text: string; direction: string }[]>`
        select text, direction from message where project_id = ${shop.project} and type = 'text'`
      return rows.filter(({ direction }) => direction === 'inbound').length >= written && rows
    }, 'all messages from the phone')
    const texts = stored.map(({ text }) => text).toSorted()
    const expected = [
      ...client.acknowledged.keys(),
      ...Array.from({ length: written }, (_, n) => `de ana ${n}`),
    ]
    assert.deepEqual(texts, expected.toSorted())

    // Its state is as it was: pairing, files, balance, secrets.
    const after = (await call(there, shop.key, 'GET', base)).body
    assert.deepEqual([after['status'], after['pairedAt']], ['CONNECTED', pairedAt])
    assert.deepEqual(await readCodes(here), codesBefore)
    const [money] = await database.system<{ credits: number; ledger: number; sends: number }[]>`
      select b.credits, (select sum(amount)::bigint from ledger where project_id = b.project_id) as ledger,
        (select count(*) from ledger where project_id = b.project_id and cause = 'send') as sends
      from balance b where project_id = ${shop.project}`
    assert.equal(money?.credits, money?.ledger)
    assert.equal(money?.sends, ids.length)
    const bytes = await call(
      there,
      sandbox.key,
      'GET',
      `${sandbox.message}/media`,
      undefined,
      SANDBOX,
    )
    assert.equal(bytes.text, sandbox.content)
    const told = await until(
      async () => receiver.received.find(({ text }) => text.includes(ids.at(-1) ?? 'none')),
      'an event about the last message',
    )
    const signature = createHmac('sha256', shop.secret).update(told.text).digest('hex')
    assert.equal(told.headers['x-service-signature'], `sha256=${signature}`)

    // The old installation refuses it, and its neighbours notice nothing.
    const gone = await call(here, shop.key, 'GET', base)
    assert.deepEqual(
      [gone.status, gone.body['error']?.message ?? gone.body['message']],
      [
        503,
        'o projeto está sendo transferido para outra instalação; tente de novo em alguns segundos',
      ],
    )
    assert.equal((await call(here, '', 'POST', '/v1/auth/login', OWNER)).status, 401)
    assert.equal((await call(there, '', 'POST', '/v1/auth/login', OWNER)).status, 200)
    for (const [site, one] of [
      [here, staying],
      [there, resident],
    ] as const) {
      const { body } = await call(site, one.key, 'GET', `/v1/instances/${one.instance}`)
      assert.equal(body['status'], 'CONNECTED')
    }
    const shown = await run(
      'src/cli.ts',
      ['project', 'show', '--project', shop.project, '--json'],
      here.env,
    ).ended
    assert.equal(JSON.parse(shown.output)['movingTo'], `http://localhost:${there.port}`)
    const again = await move(here, there, shop.project).ended
    assert.match(again.output, /já foi transferida/)
    assert.deepEqual(whatsapp.surprises, [])
  })

  it('a move that is killed leaves the Project where it was, and it works again within seconds', async () => {
    const { here, there, shop, path } = await startPair('c', 'd')
    await whileCopying(here, there, shop.project, async (running) => {
      assert.equal((await call(here, shop.key, 'GET', path)).status, 503)
      running.child.kill('SIGKILL')
      await running.ended
    })
    await until(
      async () => (await call(here, shop.key, 'GET', path)).body['status'] === 'CONNECTED',
      'the Project here',
    )
    await using database = await openSite(there)
    assert.equal(
      (
        await database.system`select from account where id in (
      select account_id from project where id = ${shop.project})`
      ).length,
      0,
    )
    // Nothing stands in the way of another try, not even a move that stopped just before its end.
    await using source = await openSite(here)
    await source.system`update project set moving_until = 'infinity' where id = ${shop.project}`
    const moved = await move(here, there, shop.project).ended
    assert.equal(moved.code, 0, moved.output)
    await until(
      async () => (await call(there, shop.key, 'GET', path)).body['status'] === 'CONNECTED',
      'the Project there',
    )
  })

  it('a connection that is lost just before the end undoes the move, and so does a run that slept longer than its lease', async () => {
    const { here, there, shop, path } = await startPair('i', 'j')
    await using source = await openSite(here)
    await using target = await openSite(there)
    await source.system`
      insert into payment_customer (project_id, customer_id, created_at, checked_at)
      values (${shop.project}, 'cus_1', now(), now())`
    const copies = async () =>
      (await target.system`select from message where project_id = ${shop.project}`).length +
      (await target.system`select from project where id = ${shop.project}`).length
    const works = () =>
      until(
        async () => (await call(here, shop.key, 'GET', path)).body['status'] === 'CONNECTED',
        'the Project here',
      )
    // The snapshot has read `account` first: this lock is granted when it ends, and stops the final comparison.
    let cutting: Promise<void> | undefined
    const cut = await whileCopying(here, there, shop.project, async () => {
      cutting = source.session(async (sql) => {
        await sql`begin`
        await sql`lock table account in access exclusive mode`
        await until(async () => {
          const [row] = await sql`
            select exists (select from pg_locks where not granted and relation = 'account'::regclass) as waits`
          return row?.['waits']
        }, 'the final comparison')
        await target.system`
          select pg_terminate_backend(pid) from pg_stat_activity
          where state = 'idle in transaction' and pid <> pg_backend_pid()`
        await sql`rollback`
      })
      await pause(500)
    })
    await cutting
    assert.equal(cut.code, 1, cut.output)
    assert.equal(await copies(), 0)
    await works()

    const slept = await whileCopying(here, there, shop.project, async ({ child }) => {
      child.kill('SIGSTOP')
      await works()
      child.kill('SIGCONT')
    })
    assert.equal(slept.code, 1)
    assert.match(slept.output, /ficou sem contato com o banco de origem|algo mudou/)
    assert.equal(await copies(), 0)
    await works()

    const moved = await move(here, there, shop.project).ended
    assert.equal(moved.code, 0, moved.output)
    const customers = async (database: Database) =>
      (await database.system`select from payment_customer where customer_id = 'cus_1'`).length
    assert.deepEqual([await customers(source), await customers(target)], [0, 1])
  })

  it('an installation without a running server accepts no Project, because its file store is unknown', async () => {
    const { here, there, shop } = await startPair('k', 'l')
    there.server.child.kill('SIGTERM')
    await there.server.ended
    const { code, output } = await move(here, there, shop.project).ended
    assert.equal(code, 1)
    assert.match(output, /nenhum servidor da outra instalação está no ar/)
    assert.equal((await call(here, shop.key, 'GET', '/v1/me')).status, 200)
  })

  it('a change that the fence did not stop undoes the move, and the sentence names the table', async () => {
    const { here, there, shop, path } = await startPair('e', 'f')
    const { code, output } = await whileCopying(here, there, shop.project, async () => {
      await using database = await openSite(here)
      await database.system`update balance set credits = credits + 1 where project_id = ${shop.project}`
    })
    assert.equal(code, 1)
    assert.match(output, /algo mudou na tabela balance/)
    const { status } = await call(here, shop.key, 'GET', path)
    assert.equal(status, 200)
    await using database = await openSite(there)
    assert.equal((await database.system`select from project where id = ${shop.project}`).length, 0)
  })
})

/** Starts nginx with `deploy/router/nginx.conf`, changed only in addresses, in front of two sites. */
async function startRouter(a: Site, b: Site) {
  const dir = makePreparedDataDir()
  const port = await findPort()
  const text = readFileSync(new URL('../../deploy/router/nginx.conf', import.meta.url), 'utf8')
    .replace('a.internal:3000', `127.0.0.1:${a.port}`)
    .replace('b.internal:3000', `127.0.0.1:${b.port}`)
    .replaceAll('/etc/nginx/recado', dir)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace(/^\s*(http2|ssl_certificate.*|ssl_certificate_key.*) .*;$/gm, '')
  const file = join(dir, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${dir}/pid; error_log stderr; events {}
    http { access_log off; client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy;
      fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
      ${text} }`,
  )
  const publish = async () => {
    for (const [name, site] of [
      ['a', a],
      ['b', b],
    ] as const) {
      const args = ['directory', '--to', join(dir, `${name}.map`), '--json']
      const { code, output } = await run('src/cli.ts', args, site.env).ended
      assert.equal(code, 0, output)
    }
  }
  const launch = async () => {
    const child = spawn('nginx', ['-c', file], { stdio: 'ignore' })
    const ended = new Promise((resolve) => child.once('close', resolve))
    await until(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null)
      return answer !== null
    }, 'nginx')
    return {
      async stop() {
        child.kill('SIGQUIT')
        await ended
      },
    }
  }
  await publish()
  let nginx = await launch()
  return {
    port,
    /** Publishes the directory again. A process without workers cannot reload, so it is replaced. */
    async refresh() {
      await publish()
      await nginx.stop()
      nginx = await launch()
    },
    async [Symbol.asyncDispose]() {
      await nginx.stop()
      removeDataDir(dir)
    },
  }
}

describe('a router in front of two installations', { skip }, () => {
  it('requests reach the installation of their key or host, new keys included, and follow a Project that moves', async () => {
    const { here, there, shop, path } = await startPair('g', 'h')
    const login = await call(there, '', 'POST', '/v1/auth/login', {
      ...OWNER,
      email: 'outra@empresa.com.br',
    })
    const token = String(login.body['accessToken'])
    const resident = String(
      (await call(there, token, 'POST', '/v1/keys', { name: 'b' })).body['key'],
    )
    await using router = await startRouter(here, there)
    const ask = (key: string, target = path, headers: Record<string, string> = {}, body?: object) =>
      callServer({ port: router.port, token: key }, body ? 'POST' : 'GET', target, body, {
        host: 'example.com',
        ...headers,
      })
    assert.equal((await ask(shop.key)).body['status'], 'CONNECTED')
    const mine = (await call(there, resident, 'GET', '/v1/me')).body['project'].id
    assert.equal((await ask(resident, '/v1/me')).body['project'].id, mine)
    // A key that is newer than the directory is found, also with a body, in both.
    const fresh = String(
      (await call(there, token, 'POST', '/v1/keys', { name: 'nova' })).body['key'],
    )
    const made = await ask(fresh, '/v1/webhooks', {}, { name: 'x', url: receiver.url })
    assert.equal(made.status, 201, made.text)
    assert.equal((await ask(`svc_live_${'x'.repeat(40)}`)).status, 401)
    // The host of a cell decides before the key does.
    assert.equal((await ask(resident, '/v1/me', { host: 'api.b.example.com' })).status, 200)
    assert.equal((await ask(resident, '/v1/me', { host: 'api.a.example.com' })).status, 401)
    // A stream passes without being held back.
    const stream = new WebSocket(`ws://127.0.0.1:${router.port}/v1/events`, {
      headers: { host: 'example.com', authorization: `Bearer ${shop.key}` },
    })
    await new Promise((resolve, reject) => {
      stream.addEventListener('open', resolve)
      stream.addEventListener('error', reject)
    })
    stream.close()

    const moved = await move(here, there, shop.project).ended
    assert.equal(moved.code, 0, moved.output)
    assert.equal((await ask(shop.key)).status, 503)
    await router.refresh()
    await until(
      async () => (await ask(shop.key)).body['status'] === 'CONNECTED',
      'the Project through the router',
    )
  })
})
