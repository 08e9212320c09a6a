// Links with which someone without an account pairs an instance (G82).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const DAY_MS = 24 * 3600_000

/** An instance that is not paired, with a link to pair it. */
async function world() {
  const project = await kit.project()
  const api = await kit.key(project)
  const instance = (await api.post('/v1/instances', { name: 'Loja' })).body
  const path = `/v1/instances/${instance.id}`
  const link = async () => {
    const { status, body } = await api.post(`${path}/pairing-link`)
    assert.equal(status, 201)
    return body as { url: string; expiresAt: string }
  }
  const { url, expiresAt } = await link()
  const tokenOf = (address: string) => new URL(address).searchParams.get('token') ?? ''
  const visitor = kit.client('production')
  const visit = (token: string) => visitor.post('/panel/api/pair', { token })
  return { project, api, path, link, url, expiresAt, token: tokenOf(url), tokenOf, visitor, visit }
}

type World = Awaited<ReturnType<typeof world>>

/** Scans the code that the page shows. */
async function scan({ api, visit, token }: World, code?: string): Promise<void> {
  const shown = code ?? (await visit(token)).body.code
  const { body: phone } = await api.post('/v1/simulator/phones', { name: 'Loja' })
  const { status } = await api.post(`/v1/simulator/phones/${phone.id}/scan`, { code: shown })
  assert.equal(status, 200)
  await kit.settle()
}

describe('a pairing link', () => {
  it('a pairing link shows its company and the code, and is completed when the phone has scanned it', async () => {
    const place = await world()
    const { api, path, url, token, visit, expiresAt } = place
    assert.match(url, /^https?:\/\/[^/]+\/parear\?token=plk_[\w-]{20,}$/)
    assert.equal(Date.parse(expiresAt), kit.clock.now() + DAY_MS)
    await visit(token)
    await kit.settle()
    const { body } = await visit(token)
    assert.deepEqual([body.name, body.status, body.used], ['Loja', 'QR', false])
    assert.ok(body.company && body.code && body.expiresAt)
    await scan(place)
    const done = (await visit(token)).body
    assert.deepEqual([done.status, done.used, done.code], ['CONNECTED', true, null])
    assert.equal((await api.get(path)).body.status, 'CONNECTED')
  })

  it('a pairing link pairs once: after the phone is unpaired, it shows no further code', async () => {
    const place = await world()
    const { api, path, token, visit, visitor } = place
    await visit(token)
    await kit.settle()
    await scan(place)
    assert.equal((await api.post(`${path}/logout`)).status < 300, true)
    await kit.settle()
    const { body } = await visit(token)
    assert.deepEqual([body.used, body.code], [true, null])
    await kit.settle()
    assert.equal((await api.get(path)).body.status, 'LOGGED_OUT', 'the visit starts no pairing')
    const code = await visitor.post('/panel/api/pair/code', { token, phone: '5511988887777' })
    assert.equal(code.status, 409)
  })

  it('a pairing link ends after a day, when it is replaced or withdrawn, and with its instance', async () => {
    const invalid = async ({ visit }: World, token: string) => {
      const { status, body } = await visit(token)
      assert.deepEqual(
        [status, body.error.message],
        [404, 'este link não vale mais: peça outro a quem o enviou'],
      )
    }
    const first = await world()
    const second = first.tokenOf((await first.link()).url)
    await invalid(first, first.token)
    assert.equal((await first.visit(second)).status, 200)
    assert.equal((await first.api.delete(`${first.path}/pairing-link`)).status, 204)
    await invalid(first, second)
    assert.equal((await first.api.delete(`${first.path}/pairing-link`)).status, 404)
    const gone = await world()
    await gone.api.delete(gone.path)
    await invalid(gone, gone.token)
    const old = await world()
    kit.clock.jump(DAY_MS)
    await invalid(old, old.token)
    for (const token of ['', 'plk_nenhum', 'x'.repeat(100)]) await invalid(old, token)
    assert.equal((await old.visit('x'.repeat(101))).status, 400)
  })

  it('a pairing link ends with the key that made it, and requests only a few codes', async () => {
    const { project, api, token, visit, visitor } = await world()
    await visit(token)
    await kit.settle()
    const ask = () => visitor.post('/panel/api/pair/code', { token, phone: '+5511988887777' })
    const statuses = []
    for (let count = 0; count < 6; count++) statuses.push((await ask()).status)
    assert.deepEqual(statuses, [201, 201, 201, 201, 201, 429])
    const limited = await ask()
    assert.ok(Number(limited.headers['retry-after']) > 0)
    const owner = await kit.login(project)
    assert.equal((await owner.delete(`/v1/keys/${api.keyId}`)).status, 204)
    assert.equal((await visit(token)).status, 404)
  })

  it('a pairing link of a member ends when they leave the company or may no longer pair', async () => {
    const { project, path, tokenOf, visit } = await world()
    const member = await kit.login(project)
    const link = async () => {
      const { status, body } = await member.post(`/panel/api/test${path}/pairing-link`)
      assert.equal(status, 201)
      return tokenOf(body.url)
    }
    const token = await link()
    assert.equal((await visit(token)).status, 200)
    const set = (column: string, value: string | null) => kit.db.system`
      update app_user set ${kit.db.sql(column)} = ${value} where email = ${project.email}`
    await set('role', 'Atendente')
    assert.equal((await visit(token)).status, 404)
    await set('role', 'Dono')
    assert.equal((await visit(token)).status, 200)
    await set('removed_at', new Date(kit.clock.now()).toISOString())
    assert.equal((await visit(token)).status, 404)
  })

  it('a pairing link cannot be guessed: a network that tries many tokens has to wait, also with a valid one', async () => {
    const { token, visit } = await world()
    const tries = []
    for (let count = 0; count < 70; count++) tries.push((await visit(`plk_${count}`)).status)
    assert.deepEqual([...new Set(tries)], [404, 429])
    assert.equal((await visit(token)).status, 429)
    kit.clock.jump(15 * 60_000)
    assert.equal((await visit(token)).status, 200)
  })

  it('a pairing link is rejected for a connected instance, and authorizes nothing but pairing', async () => {
    const place = await world()
    const { api, path, token, visit, visitor, project } = place
    await visit(token)
    await kit.settle()
    await scan(place)
    const again = await api.post(`${path}/pairing-link`)
    assert.deepEqual([again.status, again.body.error.message], [409, 'instância já está conectada'])
    assert.equal((await visitor.get(path, { authorization: `Bearer ${token}` })).status, 401)
    const owner = await kit.login(project)
    const { items } = (await owner.get('/panel/api/audit?q=instance.pairing_link')).body
    assert.deepEqual([items.length, items[0].actor], [1, api.keyId])
    const [row] = await kit.db.system`
      select count(*)::int as count from pairing_link where encode(hash, 'escape') like ${`%${token}%`}`
    assert.equal(row?.['count'], 0, 'only the hash of the token is stored')
  })
})
