// The audit log of an account, and the details a session receives about the sign-in that superseded it.
//
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Body, Client } from '../kit/client.ts'
import { PASSWORD, startTestApp, type Project, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp({ TRUST_PROXY: '127.0.0.1' })
})
after(() => kit.close())

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/** Signs in with these headers and returns calls that carry the session cookies. */
async function signIn(project: Project, headers: Record<string, string> = {}) {
  const anonymous = kit.client('production')
  const pair = { email: project.email, password: PASSWORD }
  const answer = await anonymous.post('/v1/auth/login', pair, headers)
  const cookie = (answer.headers['set-cookie'] as unknown as string[])
    .map((line) => line.split(';')[0])
    .join('; ')
  const own = { ...headers, cookie, 'x-recado-panel': '1' }
  return {
    get: (path: string) => anonymous.get(path, undefined, own),
    post: (path: string, body?: object) => anonymous.post(path, body, own),
    delete: (path: string) => anonymous.delete(path, undefined, own),
    patch: (path: string, body: object) => anonymous.patch(path, body, own),
  }
}
const entries = async (user: Pick<Client, 'get'>, query = ''): Promise<Body[]> =>
  (await user.get(`/panel/api/audit?limit=200${query}`)).body.items

describe('the audit log of an account', () => {
  it('the audit log lists actions in and on the account, newest first, to roles that manage it', async () => {
    const project = await kit.project()
    const owner = await kit.login(project)
    await owner.post('/panel/api/members/invitations', {
      email: `x-${project.projectId}@empresa.com.br`,
      role: 'Admin',
    })
    const all = await entries(owner)
    assert.deepEqual(
      [all[0].action, all[0].actorName, typeof all[0].after],
      ['member.invite', project.email, 'object'],
    )
    const actions = all.map(({ action }) => action)
    assert.ok(actions.includes('credits.grant') && actions.includes('account.create'))
    const stranger = await kit.login(await kit.project())
    assert.ok(!JSON.stringify(await entries(stranger)).includes(project.projectId))
    await kit.db.system`update app_user set role = 'Desenvolvedor' where email = ${project.email}`
    assert.equal((await owner.get('/panel/api/audit')).status, 403)
    assert.equal((await owner.get('/panel/api/audit.csv')).status, 403)
  })

  it('the audit log records sign-ins with their address and changes of keys, webhooks and instances with their mode', async () => {
    const project = await kit.project()
    const user = await signIn(project, { 'x-forwarded-for': '203.0.113.7' })
    const api = '/panel/api/production/v1'
    const { body: key } = await user.post(`${api}/keys`, { name: 'ERP' })
    await user.delete(`${api}/keys/${key.id}`)
    const target = { name: 'Loja', url: 'https://x.invalid' }
    const { body: webhook } = await user.post(`/panel/api/test/v1/webhooks`, target)
    // Calls without effect are not recorded.
    for (const enabled of [true, false, false]) {
      await user.patch(`/panel/api/test/v1/webhooks/${webhook.id}`, { enabled })
    }
    const { body: instance } = await user.post(`${api}/instances`, { name: 'Filial' })
    const changed = { settings: { rejectCalls: true } }
    await user.patch(`${api}/instances/${instance.id}`, changed)
    const [last] = await entries(user, '&q=instance.update')
    assert.deepEqual(last.after, { fields: ['rejectCalls'] })
    for (const act of ['connect', 'connect', 'disconnect', 'logout', 'logout']) {
      await user.post(`${api}/instances/${instance.id}/${act}`)
    }
    await user.delete(`${api}/instances/${instance.id}`)
    const ownEntries = (await entries(user)).filter(({ actorName }) => actorName === project.email)
    assert.deepEqual(
      ownEntries.map(({ action, objectName, mode, address }) => [
        action,
        objectName,
        mode,
        address,
      ]),
      [
        ['instance.delete', 'Filial', 'production', '203.0.113.7'],
        ['instance.logout', 'Filial', 'production', '203.0.113.7'],
        ['instance.disconnect', 'Filial', 'production', '203.0.113.7'],
        ['instance.connect', 'Filial', 'production', '203.0.113.7'],
        ['instance.update', 'Filial', 'production', '203.0.113.7'],
        ['instance.create', 'Filial', 'production', '203.0.113.7'],
        ['webhook.pause', 'Loja', 'test', '203.0.113.7'],
        ['webhook.create', 'Loja', 'test', '203.0.113.7'],
        ['key.revoke', 'ERP', 'production', '203.0.113.7'],
        ['key.create', 'ERP', 'production', '203.0.113.7'],
        ['session.open', project.email, null, '203.0.113.7'],
      ],
    )
    assert.deepEqual(ownEntries[9].after, { keyPrefix: key.keyPrefix })
  })

  it('the audit log records actions of an API key and omits rejected ones', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { body: made } = await api.post('/v1/webhooks', { name: 'x', url: 'https://x.invalid' })
    await api.delete(`/v1/webhooks/${made.id}`)
    await api.delete('/v1/webhooks/whk_nenhum')
    const user = await kit.login(project)
    const { body: keys } = await user.get('/panel/api/test/v1/keys')
    const told = (await entries(user)).filter(({ actor }) => actor === api.keyId)
    assert.deepEqual(
      told.map(({ action, object, actorName }) => [action, object, actorName]),
      ['delete', 'create'].map((act) => [`webhook.${act}`, made.id, keys.items[0].name]),
    )
  })

  it('the audit log says who created, started, paused and canceled a campaign, with its name and its people', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { id: instanceId } = await kit.pair(api)
    const { body: campaign } = await api.post('/v1/campaigns', {
      name: 'Black Friday',
      instanceIds: [instanceId],
      message: { text: 'Oi {{nome}}' },
      pacing: { minDelayMs: 60_000, maxDelayMs: 60_000 },
      recipients: [
        { to: '5511999990001', variables: { nome: 'Ana' } },
        { to: '5511999990002', variables: { nome: 'Bia' } },
      ],
    })
    await api.patch(`/v1/campaigns/${campaign.id}`, { name: 'Natal' })
    for (const way of ['start', 'pause', 'resume', 'cancel'])
      assert.equal((await api.post(`/v1/campaigns/${campaign.id}/${way}`)).status, 200, way)
    assert.equal((await api.post(`/v1/campaigns/${campaign.id}/start`)).status, 409)
    const owner = await kit.login(project)
    const { items } = (await owner.get('/panel/api/audit?q=campaign')).body
    assert.deepEqual(
      items.map(({ action, objectName, actorName }: Record<string, string>) => [
        action,
        objectName,
        actorName,
      ]),
      ['cancel', 'resume', 'pause', 'start', 'update', 'create'].map((way) => [
        `campaign.${way}`,
        'Natal',
        'Teste',
      ]),
    )
    assert.equal(items.at(-1).after.recipients, 2)
  })

  it('the audit log can be filtered by mode and text and exported as CSV with formulas escaped', async () => {
    const project = await kit.project()
    const user = await signIn(project, { 'x-forwarded-for': '203.0.113.9' })
    await user.post('/panel/api/test/v1/instances', { name: '=1+1;=2,@3' })
    await user.post('/panel/api/production/v1/instances', { name: 'Filial' })
    const actions = async (query: string) =>
      (await entries(user, query)).map(({ action }) => action)
    assert.deepEqual(await actions('&mode=test'), ['instance.create'])
    assert.deepEqual(await actions('&q=SESSION.'), ['session.open'])
    assert.equal((await actions('&q=203.0.113.9')).length, 3)
    // The words of an action are known only to the panel, which names those that match.
    assert.deepEqual(await actions('&q=filial'), ['instance.create'])
    assert.deepEqual(await actions('&q=entrou&actions=session.open,key.create'), ['session.open'])
    const { status, text, headers } = await user.get('/panel/api/audit.csv?mode=test')
    assert.equal(status, 200)
    assert.match(headers['content-type'] ?? '', /^text\/csv/)
    assert.match(headers['content-disposition'] ?? '', /auditoria\.csv/)
    const [row] = parse<Record<string, string>>(text, { bom: true, columns: true, delimiter: ';' })
    assert.equal(row?.['Em quê'], "'=1+1;'=2,'@3")
    assert.deepEqual(
      [row?.['Quem'], row?.['O quê'], row?.['Modo'], row?.['Endereço IP']],
      [project.email, 'instance.create', 'test', '203.0.113.9'],
    )
  })
})

describe('superseded sessions', () => {
  it('only a superseded session can read the time, browser and time zone of the sign-in that replaced it', async () => {
    const project = await kit.project()
    const first = await signIn(project)
    assert.equal((await first.get('/v1/auth/successor')).status, 204)
    await kit.jump(60_000)
    const second = await signIn(project, {
      'user-agent': CHROME,
      'x-time-zone': 'America/Sao_Paulo',
      'x-forwarded-for': '203.0.113.7',
    })
    assert.equal((await first.get('/panel/api/me')).body.error.code, 'SESSION_SUPERSEDED')
    const { body } = await first.get('/v1/auth/successor')
    const at = new Date(kit.clock.now()).toISOString()
    assert.deepEqual(body, { at, browser: 'Chrome, Windows', timeZone: 'America/Sao_Paulo' })
    assert.equal((await second.get('/v1/auth/successor')).status, 204)
    assert.equal((await kit.client('production').get('/v1/auth/successor')).status, 204)
    // The third session superseded the second one, not the first.
    await kit.jump(1000)
    await signIn(project, { 'x-time-zone': 'Marte/Olympus' })
    assert.equal((await first.get('/v1/auth/successor')).body.browser, 'Chrome, Windows')
    const { body: third } = await second.get('/v1/auth/successor')
    assert.deepEqual([third.browser, third.timeZone], [null, null])
  })
})
