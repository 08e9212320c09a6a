// Protection against brute force, email abuse, cross-site requests and unsafe response headers.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PASSWORD, startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
/** A server behind a trusted local proxy that terminates HTTPS. */
let secure: TestApp
before(async () => {
  kit = await startTestApp()
  secure = await startTestApp({
    TRUST_PROXY: '127.0.0.0/8',
    PANEL_URL: 'https://api.recado.test',
    METRICS_TOKEN: 'a-token-of-the-monitor',
  })
})
after(async () => {
  await kit.close()
  await secure.close()
})

const from = (address: string) => ({
  'x-forwarded-for': address,
  'x-forwarded-proto': 'https',
  'x-token-response': 'body',
})
const signIn = (email: string, password: string, headers: Record<string, string>) =>
  secure.client('production').post('/v1/auth/login', { email, password }, headers)
const cookiesOf = (answer: { headers: Record<string, string> }) =>
  [answer.headers['set-cookie']].flat().map(String)

describe('sign-in limits', () => {
  it('failed sign-ins from one address do not lock the account for other addresses', async () => {
    const { email } = await secure.project()
    for (let count = 0; count < 10; count++) {
      assert.equal((await signIn(email, 'wrong password', from('203.0.113.1'))).status, 401)
    }
    assert.equal((await signIn(email, PASSWORD, from('203.0.113.1'))).status, 429)
    assert.equal((await signIn(email, PASSWORD, from('203.0.113.2'))).status, 200)
  })

  it('failed sign-ins from one IPv6 network are counted together', async () => {
    const { email } = await secure.project()
    for (let count = 0; count < 10; count++) {
      const answer = await signIn(email, 'wrong password', from(`2001:db8:1:2::${count}`))
      assert.equal(answer.status, 401)
    }
    assert.equal((await signIn(email, PASSWORD, from('2001:db8:1:2:9::1'))).status, 429)
    assert.equal((await signIn(email, PASSWORD, from('2001:db8:1:3::1'))).status, 200)
  })

  it('failed sign-ins from many addresses lock the account except for browsers that signed in before', async () => {
    const { email } = await secure.project()
    const browser = { ...from('203.0.113.9'), 'x-token-response': 'cookie' }
    const cookies = cookiesOf(await signIn(email, PASSWORD, browser))
    const device = cookies.find((cookie) => cookie.includes('recado_device'))?.split(';')[0] ?? ''
    for (let count = 0; count < 100; count++) {
      await signIn(email, 'wrong password', from(`198.51.100.${count}`))
    }
    assert.equal((await signIn(email, PASSWORD, from('203.0.113.8'))).status, 429)
    const known = { ...from('203.0.113.8'), cookie: device }
    assert.equal((await signIn(email, PASSWORD, known)).status, 200)
    const { email: other } = await secure.project()
    for (let count = 0; count < 100; count++) {
      await signIn(other, 'wrong password', from(`198.51.101.${count}`))
    }
    assert.equal((await signIn(other, PASSWORD, known)).status, 429)
  })

  it('a locked account stays open to networks that have signed in to it, and to who resets its password', async () => {
    const { email } = await secure.project()
    const home = '2001:db8:77:1::1'
    assert.equal((await signIn(email, PASSWORD, from(home))).status, 200)
    for (let count = 0; count < 100; count++) {
      await signIn(email, 'wrong password', from(`198.51.102.${count}`))
    }
    assert.equal((await signIn(email, PASSWORD, from('203.0.113.7'))).status, 429)
    assert.equal((await signIn(email, PASSWORD, from('2001:db8:77:1::2'))).status, 200)
    const panel = secure.client('production')
    await panel.post('/panel/api/forgot-password', { email })
    await secure.settle()
    const token = /[?&]token=([\w-]+)/.exec(secure.mails.at(-1)?.text ?? '')?.[1]
    const chosen = 'uma-senha-bem-longa-7'
    const reset = await panel.post('/panel/api/reset-password', { token, password: chosen })
    assert.equal(reset.status, 204)
    const device = cookiesOf(reset)
      .find((cookie) => cookie.includes('recado_device'))
      ?.split(';')[0]
    assert.equal((await signIn(email, chosen, from('203.0.113.7'))).status, 429)
    const known = { ...from('203.0.113.7'), cookie: device ?? '' }
    assert.equal((await signIn(email, chosen, known)).status, 200)
  })

  it('failed sign-ins from one IPv6 site are counted together, however many networks it has', async () => {
    const { email } = await secure.project()
    for (let count = 0; count < 200; count++) {
      const network = `2001:db8:88:${count.toString(16)}::1`
      await signIn(`alguem${count % 40}@exemplo.com.br`, 'wrong password', from(network))
    }
    assert.equal((await signIn(email, PASSWORD, from('2001:db8:88:ffff::1'))).status, 429)
    assert.equal((await signIn(email, PASSWORD, from('2001:db8:89::1'))).status, 200)
    // A network of the site from which the user has signed in before stays open.
    const { email: neighbor } = await secure.project()
    const home = from('2001:db8:90:1::1')
    assert.equal((await signIn(neighbor, PASSWORD, home)).status, 200)
    for (let count = 0; count < 200; count++) {
      const network = `2001:db8:90:${(0x100 + count).toString(16)}::1`
      await signIn(`outro${count % 40}@exemplo.com.br`, 'wrong password', from(network))
    }
    assert.equal((await signIn(neighbor, PASSWORD, from('2001:db8:90:ffff::1'))).status, 429)
    assert.equal((await signIn(neighbor, PASSWORD, home)).status, 200)
  })

  it('sign-in writes nothing for a wrong password, so guesses wait for no lock', async () => {
    const { email } = await kit.project()
    const statuses = await kit.db.transaction(async (tx) => {
      const tables = await tx.system<{ name: string }[]>`
        select oid::regclass::text as name from pg_class
        where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`
      // Every insert, update and delete waits for this lock.
      for (const { name } of tables) await tx.system`lock table ${tx.sql(name)} in share mode`
      const guess = { email, password: 'wrong password' }
      const guesses = Array.from({ length: 40 }, () =>
        kit.client('test').post('/v1/auth/login', guess),
      )
      return (await Promise.all(guesses)).map((answer) => answer.status)
    })
    assert.ok(statuses.every((status) => status === 401 || status === 429))
  })
})

describe('new passwords', () => {
  it('a common password is rejected at sign-up', async () => {
    const body = { company: 'Padaria', taxId: '11222333000181', email: 'comum@empresa.com.br' }
    for (const password of [
      '12345678',
      'Password123',
      'senha123',
      'Password1!',
      'corinthians',
      'flamengo10',
      'brasil2026',
    ]) {
      const answer = await kit.client('production').post('/panel/api/signup', { ...body, password })
      assert.equal(answer.status, 400, password)
      assert.match(answer.body.error.message, /^password: esta senha é muito comum/)
    }
  })
})

describe('email limits', () => {
  it('invitations are limited by account and recipient, and email changes by user', async () => {
    const owner = await kit.login(await kit.project())
    const invite = async (email: string) => {
      const body = { email, role: 'Atendente' }
      return (await owner.post('/panel/api/members/invitations', body)).status
    }
    for (let count = 0; count < 3; count++) assert.equal(await invite('um@empresa.com.br'), 201)
    assert.equal(await invite('um@empresa.com.br'), 429)
    let sent = 3
    while ((await invite(`p${sent}@empresa.com.br`)) === 201) sent++
    assert.equal(sent, 20)
    const change = async () => {
      const body = { email: 'novo@empresa.com.br', password: PASSWORD }
      return (await owner.post('/panel/api/change-email', body)).status
    }
    for (let count = 0; count < 3; count++) assert.equal(await change(), 202)
    assert.equal(await change(), 429)
  })
})

describe('mode behind a proxy', () => {
  it('the mode is taken from Host and not from X-Forwarded-Host, even behind a trusted proxy', async () => {
    const api = await secure.key(await secure.project(), 'production')
    const forwarded = { ...from('203.0.113.3'), 'x-forwarded-host': 'sandbox.recado.test' }
    assert.equal((await api.get('/v1/instances', undefined, forwarded)).status, 200)
  })
})

describe('session cookies', () => {
  const open = async (app: TestApp) => {
    const { email } = await app.project()
    const client = app.client('production')
    const answer = await client.post('/v1/auth/login', { email, password: PASSWORD })
    return { client, cookies: cookiesOf(answer) }
  }
  const header = (cookies: string[]) => cookies.map((one) => one.split(';')[0]).join('; ')

  it('over HTTPS, session cookies have the __Host- prefix and the Secure, HttpOnly and SameSite=Strict attributes', async () => {
    const { cookies } = await open(secure)
    for (const cookie of cookies) {
      assert.match(cookie, /^__Host-recado_\w+=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
    }
  })

  it('a session cannot be refreshed or ended without the panel header, which other sites cannot send', async () => {
    const { client, cookies } = await open(kit)
    const cookie = header(cookies)
    for (const path of ['/v1/auth/refresh', '/v1/auth/logout']) {
      const answer = await client.post(path, path.endsWith('refresh') ? {} : undefined, { cookie })
      assert.equal(answer.status, 403, path)
    }
    const own = { cookie, 'x-recado-panel': '1' }
    assert.equal((await client.post('/v1/auth/refresh', {}, own)).status, 200)
  })
})

describe('response headers', () => {
  it('every response has nosniff and no-store headers, and HSTS over HTTPS only', async () => {
    const api = await kit.key(await kit.project())
    const made = await api.post('/v1/webhooks', { name: 'w', url: 'https://example.com' })
    for (const answer of [made, await api.get('/v1/instances'), await api.get('/v1/nothing')]) {
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.equal(answer.headers['strict-transport-security'], undefined)
    }
    const https = await secure.client('production').get('/healthz', undefined, from('203.0.113.4'))
    assert.match(String(https.headers['strict-transport-security']), /^max-age=\d{7,}$/)
  })
})

describe('the log of requests', () => {
  it('the request log truncates paths without a route, so that it contains no secret of a link', async () => {
    const secret = 'sealed-link-0123456789'
    const client = kit.client('test')
    for (const path of [
      `/v1/media-links/${secret}/`,
      `//v1/media-links/${secret}`,
      `/v1/media-links/${secret}.jpg/x`,
      `/nothing?token=${secret}`,
    ])
      await client.get(path)
    assert.ok(kit.logs.some((line) => line.includes('"path":"/v1/media-links"')))
    assert.deepEqual(
      kit.logs.filter((line) => line.includes(secret)),
      [],
    )
  })
})

describe('/metrics', () => {
  it('without a metrics token, /metrics is served to local requests of a server without a public name', async () => {
    for (const [publicUrl, status] of [
      ['http://localhost', 200],
      // Behind a proxy on the same machine, requests from outside look exactly like this one.
      ['https://api.recado.test', 404],
    ] as const) {
      const one = await startTestApp({ METRICS_TOKEN: '', PUBLIC_URL: publicUrl })
      const url = `http://127.0.0.1:${one.port}/metrics`
      assert.equal((await fetch(url)).status, status)
      assert.equal((await one.client('production').get('/metrics')).status, 404)
      await one.close()
    }
  })

  it('with a metrics token, /metrics returns 404 without that token', async () => {
    const get = async (token: string | null) =>
      (await secure.client('production', token).get('/metrics')).status
    assert.equal(await get(null), 404)
    assert.equal(await get('another-token-than-that'), 404)
    assert.equal(await get('a-token-of-the-monitor'), 200)
  })
})
