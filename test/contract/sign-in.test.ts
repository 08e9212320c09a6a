// Resending the sign-up confirmation link, the session list of a user and their appearance preferences.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PASSWORD, startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const mailsTo = (email: string) => kit.mails.filter(({ to }) => to === email)
const tokenTo = (email: string) => /token=(\S+)/.exec(mailsTo(email).at(-1)?.text ?? '')?.[1] ?? ''
const anonymous = () => kit.client('production')
const resend = (body: object, cookie = '') =>
  anonymous().post('/panel/api/confirm-email/resend', body, { cookie })

async function signUp(email: string): Promise<string> {
  const company = { company: 'Padaria', taxId: '11.222.333/0001-81', email, password: PASSWORD }
  const { headers } = await anonymous().post('/panel/api/signup', company)
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

describe('sign-up confirmation link', () => {
  it('an expired confirmation link can request a new one, which confirms the account', async () => {
    const email = 'tarde@empresa.com.br'
    await signUp(email)
    const old = tokenTo(email)
    kit.clock.jump(25 * 3600_000)
    const confirm = (token: string) => anonymous().post('/panel/api/confirm-email', { token })
    assert.equal((await confirm(old)).status, 400)
    assert.equal((await resend({ token: old })).status, 202)
    await kit.settle()
    assert.equal(mailsTo(email).length, 2)
    assert.equal((await confirm(tokenTo(email))).status, 204)
    const login = await anonymous().post('/v1/auth/login', { email, password: PASSWORD })
    assert.equal(login.status, 200)
    // A confirmed address receives no further email, and the response does not reveal why.
    assert.equal((await resend({ token: old })).status, 202)
    await kit.settle()
    assert.equal(mailsTo(email).length, 2)
  })

  it('only the browser that signed up can request a new confirmation link without an old one, and it signs that browser in', async () => {
    const email = 'mesmo@empresa.com.br'
    const cookie = await signUp(email)
    assert.equal((await resend({})).status, 400)
    assert.equal((await resend({ token: 'cnf_nada' })).status, 202)
    assert.equal((await resend({}, 'recado_signup=brw_nada')).status, 202)
    assert.equal(mailsTo(email).length, 1)
    assert.equal((await resend({}, cookie)).status, 202)
    await kit.settle()
    assert.equal(mailsTo(email).length, 2)
    const token = tokenTo(email)
    const confirmed = await anonymous().post('/panel/api/confirm-email', { token }, { cookie })
    assert.equal(confirmed.headers['x-recado-signed-in'], '1')
  })

  it('a confirmation link is resent at most five times in fifteen minutes', async () => {
    const email = 'muitas@empresa.com.br'
    const cookie = await signUp(email)
    for (let time = 0; time < 5; time++) assert.equal((await resend({}, cookie)).status, 202)
    const refused = await resend({}, cookie)
    assert.equal(refused.status, 429)
    await kit.settle()
    assert.equal(mailsTo(email).length, 6)
    // Whether or not the address has an account: the proof is counted.
    const statuses: number[] = []
    for (let time = 0; time < 6; time++)
      statuses.push((await resend({}, 'recado_signup=brw_nenhum')).status)
    assert.deepEqual(statuses, [202, 202, 202, 202, 202, 429])
  })

  it('an address receives at most five more confirmation mails in fifteen minutes, whichever links request them', async () => {
    const email = 'elos@empresa.com.br'
    const cookie = await signUp(email)
    for (let time = 0; time < 4; time++) {
      assert.equal((await resend({ token: tokenTo(email) })).status, 202)
      await kit.settle()
    }
    for (let time = 0; time < 4; time++) {
      assert.equal((await resend({}, cookie)).status, 202)
      await kit.settle()
    }
    assert.equal(mailsTo(email).length, 6)
  })
})

describe('users of the panel', () => {
  it('the session list shows only the recent sessions of the user and marks the current one', async () => {
    const project = await kit.project()
    await kit.login(project)
    await kit.jump(60_000)
    const user = await kit.login(project)
    const { items } = (await user.get('/panel/api/sessions')).body
    assert.equal(items.length, 2)
    const at = new Date(kit.clock.now()).toISOString()
    assert.deepEqual(
      items.map((one: { at: string; endedAt: string | null; superseded: boolean }) => [
        one.at,
        one.endedAt,
        one.superseded,
      ]),
      [
        [at, null, false],
        [new Date(kit.clock.now() - 60_000).toISOString(), at, true],
      ],
    )
    assert.deepEqual(
      items.map(({ current }: { current: boolean }) => current),
      [true, false],
    )
    const other = await kit.login(await kit.project())
    assert.equal((await other.get('/panel/api/sessions')).body.items.length, 1)
    assert.equal((await anonymous().get('/panel/api/sessions')).status, 401)
  })

  it('appearance preferences apply to all sessions of the user', async () => {
    const project = await kit.project()
    const user = await kit.login(project)
    const me = async () => (await user.get('/panel/api/me')).body.appearance
    assert.equal(await me(), null)
    const liked = { theme: 'escuro', density: 'compacta', language: 'en' }
    assert.equal((await user.put('/panel/api/me/appearance', liked)).status, 204)
    assert.deepEqual(await me(), liked)
    const wrong = { ...liked, theme: 'roxo' }
    assert.equal((await user.put('/panel/api/me/appearance', wrong)).status, 400)
    const elsewhere = await kit.login(project)
    assert.deepEqual((await elsewhere.get('/panel/api/me')).body.appearance, liked)
  })

  it('saved views are those of one user, replaced by name, and at most a hundred', async () => {
    const project = await kit.project()
    const user = await kit.login(project)
    const stranger = await kit.login(await kit.project())
    const path = '/panel/api/me/views'
    const views = async (client = user) => (await client.get(path)).body.items
    const view = { page: 'requisicoes', name: 'Só erros', search: 'resultado=failed' }
    assert.equal((await user.put(path, view)).status, 204)
    assert.equal((await user.put(path, { ...view, search: 'resultado=success' })).status, 204)
    assert.deepEqual(await views(), [{ ...view, search: 'resultado=success' }])
    assert.deepEqual(await views(stranger), [])
    const one = `${path}?page=requisicoes&name=${encodeURIComponent(view.name)}`
    assert.equal((await stranger.delete(one)).status, 404)
    assert.equal((await user.put(path, { ...view, name: 'a\u0000b' })).status, 400)
    assert.equal((await user.delete(`${path}?page=%00&name=x`)).status, 400)
    for (const wrong of [
      { ...view, name: '' },
      { ...view, search: 'x'.repeat(1001) },
      { page: 'x' },
    ])
      assert.equal((await user.put(path, wrong)).status, 400, JSON.stringify(wrong).slice(0, 60))
    const many = Array.from({ length: 110 }, (_, index) =>
      user.put(path, { ...view, name: `Visão ${index}` }),
    )
    const refused = (await Promise.all(many)).filter(({ status }) => status === 409)
    assert.equal(refused.length, 11)
    assert.equal((await views()).length, 100)
    assert.equal((await user.put(path, view)).status, 204, 'a full list can still be changed')
    assert.equal((await user.delete(one)).status, 204)
    assert.equal((await views()).length, 99)
    assert.equal((await kit.client('test').get(path)).status, 401)
  })
})
