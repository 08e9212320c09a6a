// Members of an account, their roles and invitations.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Client } from '../kit/client.ts'
import { openStream } from '../kit/sse.ts'
import { HOSTS, startTestApp, type TestApp } from '../kit/test-app.ts'

const PASSWORD = 'a senha de quem chegou'
let kit: TestApp
let made = 0
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const client = () => kit.client('production')
const login = async (email: string, password = PASSWORD) => {
  const headers = { 'x-token-response': 'body' }
  const answer = await kit.client('test').post('/v1/auth/login', { email, password }, headers)
  return { ...answer, user: kit.client('test', answer.body?.accessToken) }
}
const linkOf = (email: string) => {
  const mail = kit.mails.findLast((sent) => sent.to === email)
  return /\/convite\?token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
}
const newEmail = () => `pessoa-${++made}@empresa.com.br`

async function invite(by: Client, role: string, email = newEmail()) {
  const answer = await by.post('/panel/api/members/invitations', { email, role })
  return { ...answer, email, token: linkOf(email) }
}
async function join(by: Client, role: string) {
  const { token, email } = await invite(by, role)
  const accepted = await client().post('/panel/api/accept-invitation', {
    token,
    password: PASSWORD,
  })
  assert.equal(accepted.status, 204)
  const { items } = (await by.get('/panel/api/members')).body
  const { id } = items.find((member: { email: string }) => member.email === email)
  return { email, id, ...(await login(email)) }
}
const owner = async () => kit.login(await kit.project())

describe('members of an account', () => {
  it('a member is invited by email with a role and can sign in after setting a password', async () => {
    const dono = await owner()
    const invited = await invite(dono, 'Atendente')
    assert.equal(invited.status, 201)
    assert.deepEqual(Object.keys(invited.body).toSorted(), [
      'createdAt',
      'email',
      'expiresAt',
      'id',
      'role',
    ])
    const { token, email } = invited
    const accept = (password: string) =>
      client().post('/panel/api/accept-invitation', { token, password })
    const read = () => client().post('/panel/api/invitation', { token })
    const { company, ...rest } = (await read()).body.invitation
    assert.deepEqual([typeof company, rest], ['string', { email, role: 'Atendente' }])
    const unknown = await client().post('/panel/api/invitation', { token: 'x' })
    assert.deepEqual(unknown.body, { invitation: null })
    assert.equal((await accept('curta')).status, 400)
    assert.equal((await accept(PASSWORD)).status, 204)
    assert.equal((await accept(PASSWORD)).status, 400)
    assert.equal((await read()).body.invitation, null, 'used')
    assert.equal((await login(email)).status, 200)
    const { items, invitations } = (await dono.get('/panel/api/members')).body
    assert.deepEqual(
      items.map(({ role }: { role: string }) => role),
      ['Dono', 'Atendente'],
    )
    assert.deepEqual(invitations, [])
  })

  it('members share the account, each with the permissions of their role', async () => {
    const dono = await owner()
    const created = await dono.post('/v1/keys', { name: 'do dono' })
    assert.equal(created.status, 201)
    const developer = await join(dono, 'Desenvolvedor')
    assert.equal((await developer.user.get('/v1/keys')).body.items.length, 1)
    assert.equal((await developer.user.post('/v1/keys', { name: 'x' })).status, 201)
    for (const role of ['Atendente', 'Financeiro']) {
      const { user } = await join(dono, role)
      const refused = await user.post('/v1/keys', { name: 'x' })
      assert.equal(refused.status, 403)
      assert.equal(refused.body.error.message, 'seu papel não permite esta ação')
      assert.equal((await invite(user, 'Atendente')).status, 403)
    }
  })

  it('changing the role of a member or removing them takes effect immediately, including open sessions', async () => {
    const dono = await owner()
    const { id, user, email } = await join(dono, 'Desenvolvedor')
    const path = `/panel/api/members/${id}`
    assert.equal((await dono.patch(path, { role: 'Atendente' })).body.role, 'Atendente')
    assert.equal((await user.post('/v1/keys', { name: 'x' })).status, 403)
    assert.equal((await dono.delete(path)).status, 204)
    assert.equal((await user.get('/v1/keys')).status, 401)
    assert.equal((await login(email)).status, 401)
    assert.equal((await user.get('/panel/api/members')).status, 401)
    assert.equal((await dono.delete(path)).status, 404)
    // The email address can be used in other accounts again.
    const elsewhere = await invite(await owner(), 'Atendente', email)
    assert.equal(elsewhere.status, 201)
    // A member who rejoins sets a new password.
    const again = await invite(dono, 'Admin', email)
    const body = { token: again.token, password: 'uma senha nova e longa' }
    assert.equal((await client().post('/panel/api/accept-invitation', body)).status, 204)
    assert.equal((await login(email)).status, 401)
    assert.equal((await login(email, body.password)).status, 200)
  })

  it('an account always has an owner, and only owners can appoint, change or remove owners', async () => {
    const dono = await owner()
    const [self] = (await dono.get('/panel/api/members')).body.items
    const own = `/panel/api/members/${self.id}`
    for (const answer of [await dono.delete(own), await dono.patch(own, { role: 'Admin' })]) {
      assert.equal(answer.status, 409)
      assert.equal(answer.body.error.message, 'a conta precisa de ao menos um Dono')
    }
    const admin = await join(dono, 'Admin')
    assert.equal((await invite(admin.user, 'Dono')).status, 403)
    assert.equal((await admin.user.delete(own)).status, 403)
    const itself = `/panel/api/members/${admin.id}`
    assert.equal((await admin.user.patch(itself, { role: 'Dono' })).status, 403)
    const heir = await invite(dono, 'Dono')
    assert.equal((await invite(admin.user, 'Admin', heir.email)).status, 403)
    const withdrawn = `/panel/api/members/invitations/${heir.body.id}`
    assert.equal((await admin.user.delete(withdrawn)).status, 403)
    const second = await join(dono, 'Dono')
    assert.equal((await second.user.delete(own)).status, 204)
    assert.equal((await second.user.delete(`/panel/api/members/${second.id}`)).status, 409)
  })

  it('the live stream of a member ends when they lose the role for it or the Project is suspended', async () => {
    const project = await kit.project()
    const dono = await kit.login(project)
    const open = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const stream = await openStream(kit.port, HOSTS.production, '/panel/api/test/live', headers)
      assert.equal((await stream.next()).event, 'ready')
      return stream
    }
    const bia = await join(dono, 'Atendente')
    const caio = await join(dono, 'Atendente')
    const [demoted, kept] = [await open(bia.body.accessToken), await open(caio.body.accessToken)]
    assert.equal(
      (await dono.patch(`/panel/api/members/${bia.id}`, { role: 'Financeiro' })).status,
      200,
    )
    await demoted.closed
    assert.equal((await kept.next()).event, 'changed')
    await kit.operator.projects.set(kit.db, project.projectId, 'project.suspend', {
      status: 'SUSPENDED',
    })
    await kit.jump(25_000)
    await kept.closed
  })

  it('members and invitations of another account return 404, and inviting reveals no other accounts', async () => {
    const [dono, stranger] = [await owner(), await owner()]
    const { id } = await join(dono, 'Atendente')
    const invited = await invite(dono, 'Atendente')
    for (const path of [id, `invitations/${invited.body.id}`]) {
      assert.equal((await stranger.delete(`/panel/api/members/${path}`)).status, 404)
    }
    const foreign = await stranger.patch(`/panel/api/members/${id}`, { role: 'Admin' })
    assert.equal(foreign.status, 404)
    // The inviting account must not learn whether the address has an account elsewhere.
    const { email } = await kit.project()
    const known = await invite(stranger, 'Atendente', email)
    const fresh = await invite(stranger, 'Atendente')
    assert.deepEqual([known.status, Object.keys(known.body)], [201, Object.keys(fresh.body)])
    assert.match(kit.mails.findLast(({ to }) => to === email)?.text ?? '', /outra conta/)
    const { items } = (await dono.get('/panel/api/members')).body
    const own = await invite(dono, 'Atendente', items[0].email)
    assert.deepEqual(
      [own.status, own.body.error.message],
      [409, 'esta pessoa já participa da conta'],
    )
    assert.equal((await client().get('/panel/api/members')).status, 401)
  })

  it('an invitation that was withdrawn, replaced or is older than a week cannot be accepted', async () => {
    const dono = await owner()
    const accept = (token: string) =>
      client().post('/panel/api/accept-invitation', { token, password: PASSWORD })
    const withdrawn = await invite(dono, 'Atendente')
    const path = `/panel/api/members/invitations/${withdrawn.body.id}`
    assert.equal((await dono.delete(path)).status, 204)
    assert.equal((await accept(withdrawn.token)).status, 400)
    const replaced = await invite(dono, 'Atendente')
    const next = await invite(dono, 'Admin', replaced.email)
    assert.equal((await accept(replaced.token)).status, 400)
    await kit.jump(7 * 24 * 3_600_000 + 1)
    assert.equal((await accept(next.token)).status, 400)
  })

  it('an invitation expires when its author leaves or may no longer grant its role', async () => {
    const dono = await owner()
    const accept = (token: string) =>
      client().post('/panel/api/accept-invitation', { token, password: PASSWORD })
    const admin = await join(dono, 'Admin')
    const [first, second] = [
      await invite(admin.user, 'Admin'),
      await invite(admin.user, 'Atendente'),
    ]
    await dono.patch(`/panel/api/members/${admin.id}`, { role: 'Desenvolvedor' })
    assert.equal((await accept(first.token)).status, 400)
    const asked = await client().post('/panel/api/invitation', { token: first.token })
    assert.equal(asked.body.invitation, null)
    await dono.patch(`/panel/api/members/${admin.id}`, { role: 'Admin' })
    assert.equal((await accept(first.token)).status, 204)
    assert.equal((await dono.delete(`/panel/api/members/${admin.id}`)).status, 204)
    assert.equal((await accept(second.token)).status, 400)
    const other = await join(dono, 'Dono')
    const third = await invite(other.user, 'Dono')
    await dono.patch(`/panel/api/members/${other.id}`, { role: 'Admin' })
    assert.equal((await accept(third.token)).status, 400, 'an Admin appoints no owner')
  })

  it('an address that someone signed up with and never confirmed can still be invited', async () => {
    const [email, taxId] = [newEmail(), '11.222.333/0001-81']
    const input = { company: 'Golpe', taxId, email, password: 'qualquer coisa aqui' }
    assert.equal((await client().post('/panel/api/signup', input)).status, 202)
    await kit.settle()
    const confirmation = kit.mails.findLast(({ to }) => to === email)?.text ?? ''
    const { token } = await invite(await owner(), 'Atendente', email)
    const body = { token, password: PASSWORD }
    assert.equal((await client().post('/panel/api/accept-invitation', body)).status, 204)
    assert.equal((await login(email)).status, 200)
    const late = /token=(\S+)/.exec(confirmation)?.[1]
    const confirmed = await client().post('/panel/api/confirm-email', { token: late })
    assert.equal(confirmed.status, 400)
  })

  it('only roles that may view the account see its credits, its usage and how its members sign in', async () => {
    const dono = await owner()
    const paths = ['/panel/api/members', '/panel/api/credits', '/panel/api/production/usage']
    for (const [role, status] of [
      ['Atendente', 403],
      ['Financeiro', 200],
    ] as const) {
      const { user } = await join(dono, role)
      for (const path of paths)
        assert.equal((await user.get(path)).status, status, `${role} ${path}`)
      const { body: plan } = await user.get('/panel/api/plan')
      assert.equal(plan.credits === null, status === 403, role)
    }
  })

  it('an address with a comment, which reaches the same mailbox as another, is rejected', async () => {
    for (const email of [
      'ana@vitima.com(1.a',
      '(2)ana@vitima.com',
      'ana@[127.0.0.1].com',
      'a\\b@vitima.com',
    ])
      assert.equal((await invite(await owner(), 'Atendente', email)).status, 400, email)
  })

  it('the member list shows the last sign-in of each member', async () => {
    const project = await kit.project()
    const dono = await kit.login(project)
    const signedIn = new Date(kit.clock.now()).toISOString()
    const { id } = await join(dono, 'Atendente')
    await kit.db
      .system`delete from session_token where session_id in (select id from session where user_id = ${id})`
    await kit.db.system`delete from session where user_id = ${id}`
    const { items } = (await dono.get('/panel/api/members')).body
    assert.deepEqual(
      items.map(({ role, lastSignInAt }: Record<string, unknown>) => [role, lastSignInAt]),
      [
        ['Dono', signedIn],
        ['Atendente', null],
      ],
    )
  })

  it('changes of members are recorded in the audit log with their actor', async () => {
    const project = await kit.project()
    const dono = await kit.login(project)
    const { id, email } = await join(dono, 'Atendente')
    await dono.patch(`/panel/api/members/${id}`, { role: 'Admin' })
    const self = await kit.operator.accounts.getByEmail(kit.db, project.email)
    const entries = await kit.operator.audit.list(kit.db, id, 10)
    assert.deepEqual(
      entries.map(({ actor, action, before, after }) => [actor, action, before, after]),
      [
        [self.id, 'member.role', { role: 'Atendente' }, { role: 'Admin' }],
        [id, 'session.open', null, null],
        [id, 'member.join', null, { email, role: 'Atendente' }],
      ],
    )
  })
})
