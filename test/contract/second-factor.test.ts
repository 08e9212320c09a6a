// Two-factor authentication: the `code` field of `login`.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { PASSWORD, startTestApp, type TestApp } from '../kit/test-app.ts'

const STEP_MS = 30_000
let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

async function createUser() {
  const project = await kit.project()
  const user = await kit.login(project)
  const { email } = project
  const login = (code?: string) =>
    kit
      .client('test')
      .post(
        '/v1/auth/login',
        { email, password: PASSWORD, ...(code === undefined ? {} : { code }) },
        { 'x-token-response': 'body' },
      )
  return { user, email, login }
}

/** Signs up a user with two-factor authentication enabled. Each call of `code` advances the clock by one TOTP step. */
async function createUserWithTotp() {
  const one = await createUser()
  const { body } = await one.user.post('/panel/api/second-factor', { password: PASSWORD })
  const totp = new TOTP({ secret: Secret.fromBase32(body.secret) })
  const code = () => {
    kit.clock.jump(STEP_MS)
    return totp.generate({ timestamp: kit.clock.now() })
  }
  /** A code that is invalid for the current and both adjacent steps, which the server also accepts. */
  const wrong = () => {
    const near = [-1, 0, 1].map((step) =>
      totp.generate({ timestamp: kit.clock.now() + step * STEP_MS }),
    )
    return ['000000', '000001', '000002', '000003'].find((one) => !near.includes(one)) ?? ''
  }
  const confirmed = await one.user.post('/panel/api/second-factor/confirm', { code: code() })
  assert.equal(confirmed.status, 200)
  return { ...one, code, wrong, totp, uri: body.uri, recoveryCodes: confirmed.body.recoveryCodes }
}

describe('two-factor authentication', () => {
  it('a second factor takes effect once a code confirms it, and sign-in then requires a code', async () => {
    const { user, login } = await createUser()
    const stolen = await user.post('/panel/api/second-factor', { password: 'não sei' })
    assert.equal(stolen.status, 400)
    const { status, body } = await user.post('/panel/api/second-factor', { password: PASSWORD })
    assert.equal(status, 200)
    assert.match(body.uri, /^otpauth:\/\/totp\/Recado:.*secret=[A-Z2-7]+/)
    const totp = new TOTP({ secret: Secret.fromBase32(body.secret) })
    const code = totp.generate({ timestamp: kit.clock.now() })
    const confirm = (typed: string) =>
      user.post('/panel/api/second-factor/confirm', { code: typed })
    const other = code === '000000' ? '000001' : '000000'
    assert.equal((await confirm(other)).status, 400)
    assert.equal((await confirm(code)).status, 200)
    await kit.settle()
    assert.match(kit.mails.at(-1)?.text ?? '', /foi ativada/)
    assert.equal((await login()).status, 401)
  })

  it('sign-in rejects a missing, wrong, reused or old code and accepts one from the previous time step', async () => {
    const { login, code, totp, wrong: guess } = await createUserWithTotp()
    const absent = await login()
    assert.equal(absent.status, 401)
    assert.deepEqual(absent.body.error, {
      code: 'UNAUTHORIZED',
      message: 'informe o código de verificação',
      reason: 'OTP_REQUIRED',
    })
    const wrong = await login(guess())
    assert.deepEqual(
      [wrong.status, wrong.body.error.message],
      [401, 'código de verificação inválido'],
    )
    const good = code()
    assert.equal((await login(` ${good.slice(0, 3)} ${good.slice(3)}`)).status, 200)
    assert.equal((await login(good)).status, 401)
    kit.clock.jump(2 * STEP_MS)
    const late = totp.generate({ timestamp: kit.clock.now() - STEP_MS })
    assert.equal((await login(late)).status, 200)
    kit.clock.jump(3 * STEP_MS)
    const old = totp.generate({ timestamp: kit.clock.now() - 2 * STEP_MS })
    assert.equal((await login(old)).status, 401)
  })

  it('a second factor comes with ten recovery codes, each valid for one sign-in', async () => {
    const { login, recoveryCodes } = await createUserWithTotp()
    assert.equal(new Set(recoveryCodes).size, 10)
    const [first] = recoveryCodes
    assert.equal((await login(first.toUpperCase())).status, 200)
    assert.equal((await login(first)).status, 401)
  })

  it('an active second factor cannot be replaced and is disabled only with a valid code', async () => {
    const { user, email, login, code, wrong: guess } = await createUserWithTotp()
    assert.equal((await user.post('/panel/api/second-factor', { password: PASSWORD })).status, 409)
    const wrong = await user.post('/panel/api/second-factor/end', { code: guess() })
    assert.equal(wrong.status, 400)
    assert.equal((await user.post('/panel/api/second-factor/end', { code: code() })).status, 204)
    assert.equal((await user.post('/panel/api/second-factor/end', { code: '1' })).status, 409)
    assert.equal((await login()).status, 200)
    const { id } = await kit.operator.accounts.getByEmail(kit.db, email)
    const entries = await kit.operator.audit.list(kit.db, id, 10)
    assert.deepEqual(
      entries
        .filter(({ action }) => action !== 'session.open')
        .map(({ actor, action }) => [actor, action]),
      [
        [id, 'second_factor.off'],
        [id, 'second_factor.on'],
      ],
    )
  })

  it('a second factor is confirmed with few guesses, and the operator turns off that of a user who has lost it', async () => {
    const { user, email, login } = await createUser()
    await user.post('/panel/api/second-factor', { password: PASSWORD })
    const statuses: number[] = []
    for (let guess = 0; guess < 11; guess++)
      statuses.push((await user.post('/panel/api/second-factor/confirm', { code: 'x' })).status)
    assert.deepEqual([...new Set(statuses)], [400, 429])
    const lost = await createUserWithTotp()
    assert.equal((await lost.login()).status, 401)
    await kit.operator.resetSecondFactor(lost.email)
    assert.equal((await lost.login()).status, 200)
    await assert.rejects(kit.operator.resetSecondFactor(`x${email}`))
    assert.equal((await login()).status, 200)
  })

  it('wrong verification codes count against the sign-in attempts of the account, so codes cannot be guessed', async () => {
    const { login, code, wrong } = await createUserWithTotp()
    for (let count = 0; count < 10; count++) assert.equal((await login(wrong())).status, 401)
    assert.equal((await login(code())).status, 429)
  })

  it('the TOTP secret is stored sealed and absent from logs, and recovery codes are stored as hashes', async () => {
    const { email, totp, recoveryCodes } = await createUserWithTotp()
    const [row] = await kit.db.system<{ sealed: Buffer; id: string }[]>`
      select id, totp_sealed as sealed from app_user where email = ${email}`
    assert.equal(row?.sealed.includes(Buffer.from(totp.secret.bytes)), false)
    const stored = await kit.db.system<{ hash: Buffer }[]>`
      select hash from recovery_code where user_id = ${row?.id ?? ''}`
    const code = recoveryCodes[0].replace('-', '')
    assert.ok(stored.every(({ hash }) => !hash.toString('utf8').includes(code)))
    assert.ok(kit.logs.every((line) => !line.includes(totp.secret.base32)))
  })
})
