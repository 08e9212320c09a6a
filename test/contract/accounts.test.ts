// Sign-up, sign-in, sessions, password reset and email change.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openStream } from '../kit/sse.ts'
import { HOSTS, PASSWORD, startTestApp, type TestApp } from '../kit/test-app.ts'

const body = { 'x-token-response': 'body' }
let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

function signUp(email: string) {
  const company = { company: 'Padaria', taxId: '11.222.333/0001-81', email, password: PASSWORD }
  return kit.client('production').post('/panel/api/signup', company)
}
const linkOf = (email: string) => {
  const mail = kit.mails.findLast((sent) => sent.to === email)
  return /(https?:\/\/\S+)\/confirmar-email\?token=(\S+)/.exec(mail?.text ?? '')
}

const SPAM = 'Banco X\r\n\r\nSua conta foi bloqueada:\u202e https://evil.example/'

describe('signing up', () => {
  it('the name of a company is one line of the mail that confirms its address, without characters that hide text', async () => {
    const email = 'vitima@empresa.com.br'
    const company = { company: SPAM, taxId: '11222333000181', email, password: PASSWORD }
    assert.equal((await kit.client('test').post('/panel/api/signup', company)).status, 202)
    await kit.settle()
    const text = kit.mails.findLast(({ to }) => to === email)?.text ?? ''
    const line = text.split('\n').find((one) => one.includes('Banco X'))
    assert.match(line ?? '', /Banco X Sua conta foi bloqueada: https:\/\/evil\.example\//)
    const blank = { ...company, company: ' \u202e\n', email: 'outra@empresa.com.br' }
    assert.equal((await kit.client('test').post('/panel/api/signup', blank)).status, 400)
  })

  it('sign-up returns 202 and emails a confirmation link, without which sign-in is rejected', async () => {
    const email = 'ana@empresa.com.br'
    assert.equal((await signUp(email)).status, 202)
    const [, panelUrl, token = ''] = linkOf(email) ?? []
    assert.equal(panelUrl, kit.config.panelUrl)
    const login = () =>
      kit.client('test').post('/v1/auth/login', { email, password: PASSWORD }, body)
    const early = await login()
    assert.equal(early.status, 403)
    assert.equal(early.body.error.message, 'confirme seu e-mail antes de entrar')
    const confirm = () => kit.client('production').post('/panel/api/confirm-email', { token })
    assert.equal((await confirm()).status, 204)
    assert.equal((await login()).status, 200)
    assert.equal((await confirm()).status, 400)
  })

  it('sign-up is rate limited by email address and by client address', async () => {
    const email = 'enchente@empresa.com.br'
    for (let time = 0; time < 10; time++) assert.equal((await signUp(email)).status, 202)
    const refused = await signUp(email)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.equal(kit.mails.filter(({ to }) => to === email).length, 10)
    let passed = 0
    while ((await signUp(`robo-${passed}@empresa.com.br`)).status === 202) passed++
    assert.ok(passed > 20 && passed < 50)
    kit.clock.jump(15 * 60_000)
    assert.equal((await signUp(email)).status, 202)
  })

  it('a confirmation link signs in only the browser that started that sign-up', async () => {
    const anonymous = kit.client('production')
    const confirmIn = async (email: string, cookie: string) => {
      const token = linkOf(email)?.[2]
      return anonymous.post('/panel/api/confirm-email', { token }, { cookie })
    }
    const begin = async (email: string) => {
      const { headers } = await signUp(email)
      const set = String(headers['set-cookie'])
      assert.match(set, /^recado_signup=brw_.*; HttpOnly/)
      assert.match(set, /SameSite=Strict/)
      return set.split(';')[0] ?? ''
    }
    const own = await begin('mesmo@empresa.com.br')
    const confirmed = await confirmIn('mesmo@empresa.com.br', own)
    assert.equal(confirmed.status, 204)
    assert.equal(confirmed.headers['x-recado-signed-in'], '1')
    const cookies = confirmed.headers['set-cookie'] as unknown as string[]
    const cookie = cookies.map((line) => line.split(';')[0]).join('; ')
    const me = await anonymous.get('/panel/api/me', undefined, { cookie })
    assert.equal(me.body.email, 'mesmo@empresa.com.br')

    await begin('alheio@empresa.com.br')
    const elsewhere = await confirmIn('alheio@empresa.com.br', own)
    assert.equal(elsewhere.status, 204)
    assert.equal(elsewhere.headers['set-cookie'], undefined)
    assert.equal(elsewhere.headers['x-recado-signed-in'], undefined)
    // An attacker who signs up with a foreign address is not signed in when its owner confirms.
    const thief = await begin('vitima@empresa.com.br')
    const victim = await begin('vitima@empresa.com.br')
    assert.notEqual(thief, victim)
    const clicked = await confirmIn('vitima@empresa.com.br', thief)
    assert.equal(clicked.headers['set-cookie'], undefined)
  })

  it('the confirmation link is resent only with the correct password, at most five times', async () => {
    const email = 'denovo@empresa.com.br'
    await signUp(email)
    const again = (password: string) =>
      kit.client('production').post('/panel/api/confirm-email/again', { email, password })
    const mails = () => kit.mails.filter(({ to }) => to === email).length
    assert.equal((await again('uma senha errada')).status, 401)
    assert.equal(mails(), 1)
    assert.equal((await again(PASSWORD)).status, 202)
    assert.equal(mails(), 2)
    const token = linkOf(email)?.[2]
    const confirmed = await kit.client('production').post('/panel/api/confirm-email', { token })
    assert.equal(confirmed.status, 204)
    assert.equal((await again(PASSWORD)).status, 202)
    assert.equal(mails(), 2)
    for (let count = 3; count < 6; count++) assert.equal((await again(PASSWORD)).status, 202)
    assert.equal((await again(PASSWORD)).status, 429)
  })

  it('sign-up creates an active Project with usage mode BOTH', async () => {
    const { projectId } = await kit.operator.accounts.getByEmail(kit.db, 'ana@empresa.com.br')
    const project = await kit.operator.projects.show(kit.db, projectId)
    assert.equal(project.status, 'ACTIVE')
    assert.equal(project.usageMode, 'BOTH')
  })

  it('sign-up with a registered email address does not reveal it and notifies its owner', async () => {
    const again = await signUp('ana@empresa.com.br')
    assert.equal(again.status, 202)
    assert.match(kit.mails.at(-1)?.subject ?? '', /já tem uma conta/)
  })

  it('confirming a sign-up applies the data of that sign-up, not of an earlier one with the same address', async () => {
    const email = 'disputado@empresa.com.br'
    const sign = (company: string, password: string) =>
      kit
        .client('production')
        .post('/panel/api/signup', { company, taxId: '11222333000181', email, password })
    const login = (password: string) =>
      kit.client('test').post('/v1/auth/login', { email, password }, body)
    await sign('Quem chegou antes', 'a senha de quem chegou antes')
    const early = linkOf(email)?.[2] ?? ''
    await sign('Dona do endereço', PASSWORD)
    const token = linkOf(email)?.[2] ?? ''
    const confirm = (link: string) =>
      kit.client('production').post('/panel/api/confirm-email', { token: link })
    assert.equal((await confirm(token)).status, 204)
    assert.equal((await login('a senha de quem chegou antes')).status, 401)
    assert.equal((await login(PASSWORD)).status, 200)
    assert.equal((await confirm(early)).status, 400)
    const { company } = await kit.operator.accounts.getByEmail(kit.db, email)
    assert.equal(company, 'Dona do endereço')
  })

  it('a confirmation link expires after 24 hours', async () => {
    await signUp('tarde@empresa.com.br')
    const token = linkOf('tarde@empresa.com.br')?.[2]
    await kit.jump(24 * 3600_000 + 1)
    const late = await kit.client('production').post('/panel/api/confirm-email', { token })
    assert.equal(late.status, 400)
  })

  for (const [field, value] of [
    ['company', ' '],
    ['taxId', '11.222.333/0001-82'],
    ['email', 'sem-arroba'],
    ['password', 'curta'],
  ] as const) {
    it(`sign-up with an invalid ${field} is rejected with a message that names the field`, async () => {
      const good = { company: 'X', taxId: '11222333000181', email: 'x@y.co', password: PASSWORD }
      const bad = { ...good, [field]: value }
      const answer = await kit.client('production').post('/panel/api/signup', bad)
      assert.equal(answer.status, 400)
      assert.ok(answer.body.error.message.startsWith(field))
    })
  }
})

describe('signing in', () => {
  it('sign-in returns the same error for a wrong password and an unknown email address', async () => {
    const { email } = await kit.project()
    const wrong = { email, password: 'outra senha' }
    const unknown = { email: 'ninguem@empresa.com.br', password: 'outra senha' }
    for (const pair of [wrong, unknown]) {
      const answer = await kit.client('test').post('/v1/auth/login', pair, body)
      assert.equal(answer.status, 401)
      assert.deepEqual(answer.body.error, {
        code: 'UNAUTHORIZED',
        message: 'e-mail ou senha inválidos',
      })
    }
  })

  it('sign-in returns HttpOnly cookies and an empty body unless tokens are requested', async () => {
    const { email } = await kit.project()
    const answer = await kit.client('test').post('/v1/auth/login', { email, password: PASSWORD })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, {})
    const cookies = [answer.headers['set-cookie']].flat()
    assert.equal(cookies.length, 3)
    for (const cookie of cookies) assert.match(String(cookie), /HttpOnly/)
  })

  it('failed sign-ins are limited per account with a retry time, and successful ones do not count', async () => {
    const { email } = await kit.project()
    const attempt = (password: string) =>
      kit.client('test').post('/v1/auth/login', { email, password }, body)
    for (let count = 0; count < 12; count++) assert.equal((await attempt(PASSWORD)).status, 200)
    for (let count = 0; count < 10; count++) assert.equal((await attempt('errada!!')).status, 401)
    const refused = await attempt(PASSWORD)
    assert.equal(refused.status, 429)
    const seconds = Number(refused.headers['retry-after'])
    assert.equal(refused.body.error.message, `muitas tentativas: tente de novo em ${seconds} s`)
    await kit.jump(seconds * 1000)
    assert.equal((await attempt(PASSWORD)).status, 200)
  })
})

describe('client addresses', () => {
  it('a client address with fifty failed sign-ins across accounts is blocked for all accounts', async () => {
    const own = await startTestApp()
    const attempt = (index: number) =>
      own
        .client('test')
        .post('/v1/auth/login', { email: `x${index}@y.co`, password: 'errada!!' }, body)
    const answers = await Promise.all(Array.from({ length: 55 }, (_, index) => attempt(index)))
    assert.equal(answers.filter(({ status }) => status === 401).length, 50)
    assert.equal(answers.filter(({ status }) => status === 429).length, 5)
    await own.close()
  })
})

describe('sessions', () => {
  const tokensOf = async (email: string) =>
    (await kit.client('test').post('/v1/auth/login', { email, password: PASSWORD }, body)).body

  it('a session is ended by a later sign-in of the same user and reports SESSION_SUPERSEDED', async () => {
    const project = await kit.project()
    const first = await kit.login(project)
    await kit.login(project)
    const answer = await first.get('/v1/keys')
    assert.equal(answer.status, 401)
    assert.deepEqual(answer.body.error, {
      code: 'SESSION_SUPERSEDED',
      message: 'sua sessão foi aberta em outro dispositivo',
    })
  })

  it('a session expires after 15 minutes without a refresh, and a refresh rotates both tokens', async () => {
    const { email } = await kit.project()
    const tokens = await tokensOf(email)
    await kit.jump(15 * 60_000)
    assert.equal((await kit.client('test', tokens.accessToken).get('/v1/keys')).status, 401)
    const { refreshToken } = tokens
    const fresh = await kit.client('test').post('/v1/auth/refresh', { refreshToken }, body)
    assert.equal(fresh.status, 200)
    assert.notEqual(fresh.body.refreshToken, refreshToken)
    assert.equal((await kit.client('test', fresh.body.accessToken).get('/v1/keys')).status, 200)
    const again = { refreshToken: fresh.body.refreshToken }
    const bare = await kit.client('test').post('/v1/auth/refresh', again)
    assert.match(bare.body.accessToken, /^uat_/)
    assert.equal(bare.headers['set-cookie'], undefined)
  })

  it('the panel receives nothing more as soon as its session is ended, whichever way it ends', async () => {
    const project = await kit.project()
    for (const end of ['logout', 'another sign-in'] as const) {
      const { accessToken } = await tokensOf(project.email)
      const headers = { authorization: `Bearer ${accessToken}` }
      const path = '/panel/api/test/live'
      const stream = await openStream(kit.port, HOSTS.production, path, headers)
      await stream.until('ready')
      if (end === 'logout') await kit.client('test', accessToken).post('/v1/auth/logout')
      else await tokensOf(project.email)
      const events = await stream.until('ended')
      assert.equal(events.at(-1)?.event, 'ended')
      await stream.closed
    }
  })

  it('sign-ins at the same moment all succeed, because none of them has failed', async () => {
    const { email } = await kit.project()
    const login = () =>
      kit.client('test').post('/v1/auth/login', { email, password: PASSWORD }, body)
    const answers = await Promise.all(Array.from({ length: 14 }, login))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  })

  it('the token of a cookie is never returned in a body, whatever a script of the page asks for', async () => {
    const { email } = await kit.project()
    const opened = await kit.client('test').post('/v1/auth/login', { email, password: PASSWORD })
    const cookie = [opened.headers['set-cookie']]
      .flat()
      .map((one) => String(one).split(';')[0])
      .join('; ')
    const refreshed = await kit
      .client('test')
      .post('/v1/auth/refresh', {}, { cookie, 'x-recado-panel': '1', ...body })
    assert.deepEqual([refreshed.status, refreshed.body], [200, {}])
  })

  it('a session ends when a rotated refresh token is reused', async () => {
    const { email } = await kit.project()
    const { refreshToken } = await tokensOf(email)
    const refresh = () => kit.client('test').post('/v1/auth/refresh', { refreshToken }, body)
    const fresh = await refresh()
    assert.equal((await refresh()).status, 401)
    assert.equal((await kit.client('test', fresh.body.accessToken).get('/v1/keys')).status, 401)
  })

  it('the panel repeats a renewal whose response was lost, until the next one, and no other', async () => {
    const { email } = await kit.project()
    const cookieOf = (answer: { headers: Record<string, string> }) =>
      [answer.headers['set-cookie']]
        .flat()
        .map((one) => String(one).split(';')[0])
        .join('; ')
    const renew = (cookie: string, renewal: string) =>
      kit
        .client('test')
        .post(
          '/v1/auth/refresh',
          {},
          { cookie, 'x-recado-panel': '1', 'x-recado-renewal': renewal },
        )
    const signIn = async () =>
      cookieOf(await kit.client('test').post('/v1/auth/login', { email, password: PASSWORD }))
    const me = async (cookie: string) =>
      (await kit.client('test').get('/panel/api/me', undefined, { cookie })).status

    const first = await signIn()
    assert.equal((await renew(first, 'a secret')).status, 200, 'its response is lost')
    const repeated = await renew(first, 'a secret')
    assert.equal(repeated.status, 200)
    const second = cookieOf(repeated)
    assert.equal(await me(second), 200)
    await kit.jump(1000)
    const third = cookieOf(await renew(second, 'a new secret'))
    assert.equal(await me(third), 200)
    assert.equal((await renew(first, 'a secret')).status, 401, 'another renewal followed')
    assert.equal(await me(third), 401)

    for (const guess of ['another secret', '']) {
      const opened = await signIn()
      const renewed = cookieOf(await renew(opened, 'a secret'))
      assert.equal((await renew(opened, guess)).status, 401)
      assert.equal(await me(renewed), 401)
    }
  })

  it('a session ends at logout', async () => {
    const user = await kit.login(await kit.project())
    assert.equal((await user.post('/v1/auth/logout')).status, 204)
    assert.equal((await user.get('/v1/keys')).status, 401)
  })
})

describe('password reset', () => {
  const client = () => kit.client('production')
  const ask = async (email: string) => {
    const answer = await client().post('/panel/api/forgot-password', { email })
    await kit.settle()
    return answer
  }
  const reset = (token: string, password: string) =>
    client().post('/panel/api/reset-password', { token, password })
  const resetLink = (email: string) => {
    const mail = kit.mails.findLast((sent) => sent.to === email && sent.text.includes('redefinir'))
    return /\/redefinir-senha\?token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
  }
  const NEW = 'outra senha bem longa'

  it('a password reset link works once, ends every session and triggers a notification email', async () => {
    const project = await kit.project()
    const { email } = project
    const user = await kit.login(project)
    assert.equal((await user.get('/v1/keys')).status, 200)
    assert.equal((await ask(email)).status, 202)
    const token = resetLink(email)
    assert.equal(
      (await reset(token, 'curta')).body.error.message,
      'password: use de 8 a 200 caracteres',
    )
    assert.equal((await reset(token, NEW)).status, 204)
    await kit.settle()
    assert.match(kit.mails.at(-1)?.subject ?? '', /senha do Recado foi alterada/)
    assert.equal((await user.get('/v1/keys')).status, 401)
    const login = (password: string) =>
      kit.client('test').post('/v1/auth/login', { email, password }, body)
    assert.equal((await login(PASSWORD)).status, 401)
    assert.equal((await login(NEW)).status, 200)
    assert.equal((await reset(token, PASSWORD)).status, 400)
  })

  it('a password reset for an unknown email address returns 202 and sends no email', async () => {
    const before = kit.mails.length
    assert.equal((await ask('ninguem@empresa.com.br')).status, 202)
    assert.equal(kit.mails.length, before)
  })

  it('a password cannot be reset with a link of another kind, an expired link or a replaced one', async () => {
    const email = 'outro@empresa.com.br'
    await signUp(email)
    assert.equal((await reset(linkOf(email)?.[2] ?? '', NEW)).status, 400)
    await ask(email)
    const first = resetLink(email)
    const asConfirmation = await client().post('/panel/api/confirm-email', { token: first })
    assert.equal(asConfirmation.status, 400)
    await kit.jump(3_600_001)
    assert.equal((await reset(first, NEW)).status, 400)
    await ask(email)
    const second = resetLink(email)
    await ask(email)
    assert.equal((await reset(resetLink(email), NEW)).status, 204)
    assert.equal((await reset(second, NEW)).status, 400)
  })

  it('password reset requests are limited to three in fifteen minutes', async () => {
    const { email } = await kit.project()
    for (let count = 0; count < 3; count++) assert.equal((await ask(email)).status, 202)
    const refused = await ask(email)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers['retry-after']) > 0)
  })
})

describe('email change', () => {
  const links = () =>
    kit.mails.slice(-2).map(({ to, text }) => ({
      to,
      token: /\/mudar-email\?token=(\S+)/.exec(text)?.[1] ?? '',
    }))
  const confirm = (token: string) =>
    kit.client('production').post('/panel/api/confirm-email-change', { token })
  const login = (email: string) =>
    kit.client('test').post('/v1/auth/login', { email, password: PASSWORD }, body)

  it('an email change takes effect once both addresses have confirmed it, in any order', async () => {
    const project = await kit.project()
    const user = await kit.login(project)
    const email = `nova-${project.email}`
    const asked = await user.post('/panel/api/change-email', { email, password: PASSWORD })
    assert.equal(asked.status, 202)
    const [old, fresh] = links()
    assert.deepEqual([old?.to, fresh?.to], [project.email, email])
    assert.deepEqual((await confirm(fresh?.token ?? '')).body, { changed: false })
    assert.deepEqual((await confirm(fresh?.token ?? '')).body, { changed: false })
    assert.equal((await login(email)).status, 401)
    assert.deepEqual((await confirm(old?.token ?? '')).body, { changed: true })
    assert.equal((await login(email)).status, 200)
    assert.equal((await login(project.email)).status, 401)
    assert.equal((await confirm(old?.token ?? '')).status, 400)
  })

  it('an email change requires the password and an unused address and expires after a day', async () => {
    const [one, other] = [await kit.project(), await kit.project()]
    const user = await kit.login(one)
    const ask = (email: string, password = PASSWORD) =>
      user.post('/panel/api/change-email', { email, password })
    assert.equal((await ask('x@empresa.com.br', 'outra senha')).status, 400)
    assert.equal((await ask('sem-arroba')).status, 400)
    await ask(other.email)
    const [old, taken] = links()
    await confirm(old?.token ?? '')
    assert.equal((await confirm(taken?.token ?? '')).status, 409)
    assert.equal((await login(one.email)).status, 200)
    await ask(`tarde-${one.email}`)
    const late = links()
    await kit.jump(24 * 3600_000 + 1)
    for (const { token } of late) assert.equal((await confirm(token)).status, 400)
  })
  it('an email change to an address that another user takes at the same moment returns 409', async () => {
    const [one, other] = [await kit.project(), await kit.project()]
    const user = await kit.login(one)
    const email = `corrida-${one.email}`
    await user.post('/panel/api/change-email', { email, password: PASSWORD })
    const [old, fresh] = links()
    await confirm(old?.token ?? '')
    const taken = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const taking = kit.db.transaction(async (tx) => {
      await tx.system`update app_user set email = ${email} where email = ${other.email}`
      taken.resolve()
      await commit.promise
    })
    await taken.promise
    const confirming = confirm(fresh?.token ?? '')
    for (let waiting = 0; waiting === 0;) {
      const [row] = await kit.db.system<{ count: number }[]>`
        select count(*)::int from pg_locks where not granted and locktype = 'transactionid'`
      waiting = row?.count ?? 0
    }
    commit.resolve()
    await taking
    assert.equal((await confirming).status, 409)
    assert.equal((await login(one.email)).status, 200)
  })
})
