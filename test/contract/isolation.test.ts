// Walks every operation of both OpenAPI documents with ids that the caller must not reach.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { parametersOf } from '../../src/platform/http/openapi-components.ts'
import { renderOpenapi, renderPanelDocument } from '../../src/platform/http/openapi.ts'
import type { Answer, Client } from '../kit/client.ts'
import { PASSWORD, startTestApp, type HOSTS, type Project, type TestApp } from '../kit/test-app.ts'

type Mode = keyof typeof HOSTS
type Operation = { method: string; path: string; query: string[] }
/** The value of each path parameter, by the segment before it. */
type Ids = Record<string, string>

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const ROLE_FORBIDS = 'seu papel não permite esta ação'
const MULTIPART = 'multipart/form-data; boundary=x'
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const base64 = PNG.toString('base64')
const to = '5511988887777'
const CHAT = `${to}@s.whatsapp.net`
/** A valid body of each operation that needs one: validation comes before the lookup of the resource. */
const BODIES: Record<string, object> = {
  'patch /v1/instances/{id}': { name: 'x' },
  'post /v1/instances/{id}/pairing-code': { phone: to },
  'post /v1/instances/{id}/messages': { to, text: 'x' },
  'post /v1/instances/{id}/messages/text': { to, text: 'x' },
  'post /v1/instances/{id}/messages/media': { to, type: 'image', media: { base64 } },
  'post /v1/instances/{id}/messages/sticker': { to, media: { base64 } },
  'post /v1/instances/{id}/messages/location': { to, latitude: 1, longitude: 1 },
  'post /v1/instances/{id}/messages/contact': {
    to,
    contacts: [{ name: 'A', phones: [{ phone: to }] }],
  },
  'post /v1/instances/{id}/messages/reaction': { waMessageId: 'x', emoji: '👍' },
  'post /v1/instances/{id}/messages/template': { to, template: { name: 'x' } },
  'put /v1/instances/{id}/cloud-account': {
    phoneNumberId: '106540352242922',
    businessAccountId: '102290129340398',
    accessToken: 'EAAGm0PX4ZCpsBAKZCqWlmZ',
    appSecret: '0123456789abcdef0123456789abcdef',
  },
  'post /v1/instances/{id}/templates': { name: 'x', category: 'UTILITY', body: 'x' },
  'post /v1/instances/{id}/messages/poll': { to, question: 'a?', options: ['a', 'b'] },
  'patch /v1/instances/{id}/messages/{messageId}': { text: 'x' },
  'post /v1/instances/{id}/messages/read': { waMessageIds: ['x'] },
  'post /v1/instances/{id}/scheduled-messages': {
    sendAt: '2026-12-01T12:00:00Z',
    message: { to, text: 'oi' },
  },
  'patch /v1/instances/{id}/conversations/{conversationId}': { pinned: true },
  'post /v1/instances/{id}/groups/join': { invite: 'Dk3mX9pQ7rTabc' },
  'post /v1/instances/{id}/messages/album': {
    to: '5511988887777',
    items: [
      { type: 'image', media: { mediaId: 'med_nada' } },
      { type: 'image', media: { mediaId: 'med_nada' } },
    ],
  },
  'post /v1/instances/{id}/messages/{messageId}/forward': { to: '5511988887777' },
  'post /v1/instances/{id}/conversations/{conversationId}/presence': { state: 'typing' },
  'post /v1/instances/{id}/conversations/{conversationId}/history': {},
  'post /v1/instances/{id}/conversations/{conversationId}/notes': { text: 'x' },
  'patch /v1/quick-replies/{id}': { text: 'x' },
  'post /v1/instances/{id}/contacts/check': { phones: [to] },
  'post /v1/instances/{id}/contacts/import': { contacts: [{ phone: to }] },
  'patch /v1/instances/{id}/contacts/{contactId}': { name: 'x' },
  'post /v1/instances/{id}/contacts/{contactId}/merge': { with: '123456789@lid' },
  'patch /v1/instances/{id}/profile': { about: 'x' },
  'put /v1/instances/{id}/messages/{messageId}/pin': { seconds: 86_400 },
  'put /v1/simulator/phones/{id}/messages/{waMessageId}/pin': { seconds: 86_400 },
  'put /v1/instances/{id}/profile/picture': { base64 },
  'put /v1/instances/{id}/groups/{groupId}/picture': { base64 },
  'post /v1/instances/{id}/groups': { subject: 'x', participants: [to] },
  'patch /v1/instances/{id}/groups/{groupId}': { subject: 'x' },
  'post /v1/instances/{id}/groups/{groupId}/join-requests': {
    action: 'approve',
    participants: [to],
  },
  'post /v1/simulator/phones/{id}/groups/join': { invite: 'Dk3mX9pQ7rTabc' },
  'post /v1/simulator/phones/{id}/communities': {
    subject: 'x',
    groups: ['120363000000000009@g.us'],
  },
  'put /v1/simulator/phones/{id}/groups/{groupId}/community': {
    communityId: '120363000000000009@g.us',
  },
  'post /v1/instances/{id}/groups/{groupId}/participants': { action: 'add', participants: [to] },
  'post /v1/instances/{id}/labels': { name: 'x' },
  'patch /v1/instances/{id}/labels/{labelId}': { name: 'x' },
  'post /v1/campaigns/{id}/recipients': { recipients: [{ to }] },
  'patch /v1/campaigns/{id}': { name: 'x' },
  'patch /v1/webhooks/{id}': { enabled: false },
  'post /v1/webhooks/{id}/rotate-secret': { overlapHours: 1 },
  'patch /v1/simulator/phones/{id}': { name: 'x' },
  'post /v1/simulator/phones/{id}/scan': { code: '2@x' },
  'post /v1/simulator/phones/{id}/messages': { to, text: 'x' },
  'patch /v1/simulator/phones/{id}/messages/{waMessageId}': { text: 'x' },
  'post /v1/simulator/phones/{id}/read': { waMessageIds: ['x'] },
  'post /v1/simulator/phones/{id}/calls': { to },
  'post /v1/simulator/phones/{id}/groups': { subject: 'x', participants: [to] },
  'patch /v1/simulator/phones/{id}/groups/{groupId}': { subject: 'x' },
  'post /v1/simulator/phones/{id}/groups/{groupId}/participants': {
    action: 'add',
    participants: [to],
  },
  'post /v1/simulator/phones/{id}/labels': { name: 'x' },
  'patch /v1/simulator/phones/{id}/labels/{labelId}': { name: 'x' },
  'put /v1/simulator/inboxes/{id}/answer': { status: 500 },
  'patch /panel/api/members/{id}': { role: 'Admin' },
  'post /panel/api/account/delete': { password: PASSWORD, company: 'Padaria' },
}
/** A required query. */
const QUERIES: Record<string, string> = {
  'get /panel/api/{mode}/instances/{id}/events': '?kind=call',
}
/** Routes of the panel that every role may use, or that are used before signing in. */
const FOR_EVERY_ROLE = [
  /^\/panel\/api\/(signup|confirm-email|forgot-password|reset-password|invitation|accept-invitation|pair)/,
  /^\/panel\/api\/(second-factor|change-email|confirm-email-change|mails|me|sessions|alerts)/,
  /^\/v1\/auth\//,
]
/** Routes for those who run the installation, whatever their role; test/contract/operators.test.ts covers them. */
const FOR_OPERATORS = /^\/panel\/api\/operation\//
/** Routes for roles that may not do anything in a mode: the plan, its invoices and what was used. */
const FOR_FINANCE = /^\/panel\/api\/(plan|credits|test\/cap|\{mode\}\/usage|members$)/

let kit: TestApp
let api: Operation[]
let panel: Operation[]
before(async () => {
  kit = await startTestApp()
  api = operationsOf(renderOpenapi(kit.app.server))
  panel = operationsOf(renderPanelDocument(kit.app.server)).filter(
    ({ path }) => !FOR_OPERATORS.test(path),
  )
})
after(() => kit.close())

function operationsOf(document: string): Operation[] {
  const parsed = JSON.parse(document) as { paths: Record<string, Record<string, object>> }
  return Object.entries(parsed.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods[method]
      if (!operation) return []
      const query = parametersOf(parsed, { ...operation })
        .filter((parameter) => parameter['in'] === 'query')
        .map(({ name }) => String(name))
        .filter((name) => name.endsWith('Id'))
      return [{ method, path, query }]
    }),
  )
}

/** Creates one of everything that has an id. */
async function populate(project: Project, mode: Mode): Promise<Ids> {
  const client = await kit.key(project, mode)
  const owner = await kit.login(project, mode)
  const { id, phone, phoneId, base, phoneBase } = await kit.pair(client, 'Loja', { business: true })
  const ana = await kit.phone(client)
  const post = async (path: string, body: object) => {
    const answer = await client.post(path, body)
    assert.ok(answer.status < 300, `${path}: ${answer.text}`)
    await kit.settle()
    return answer.body as Record<string, string>
  }
  const said = await post(`${ana.base}/messages`, { to: phone, text: 'oi' })
  const group = await post(`${phoneBase}/groups`, { subject: 'Obra', participants: [ana.phone] })
  const label = await post(`${phoneBase}/labels`, { name: 'VIP' })
  const call = await post(`${ana.base}/calls`, { to: phone })
  const webhook = await post('/v1/webhooks', { name: 'w', url: 'https://x.invalid' })
  const inbox = await post('/v1/simulator/inboxes', { name: 'i' })
  const message = { type: 'text', text: 'oi' }
  const campaign = await post('/v1/campaigns', {
    name: 'c',
    instanceIds: [id],
    message,
    recipients: [{ to }],
  })
  const schedule = await post(`${base}/scheduled-messages`, {
    sendAt: new Date(kit.clock.now() + 3600_000).toISOString(),
    message: { to, text: 'oi' },
  })
  const own = (await client.get(`${base}/labels`)).body.items[0] as { id: string }
  const events = await owner.get(`/panel/api/${mode}/instances/${id}/events?kind=group`)
  const [conversation] = (await client.get(`${base}/conversations?type=direct`)).body.items
  const note = await post(`${base}/conversations/${conversation.id}/notes`, { text: 'x' })
  const quickReply = await post('/v1/quick-replies', { shortcut: 'oi', text: 'x' })
  await post('/v1/opt-outs', { phones: [ana.phone] })
  const invitation = await owner.post('/panel/api/members/invitations', {
    email: `convite-${id}@empresa.com.br`,
    role: 'Admin',
  })
  const [member] = (await owner.get('/panel/api/members')).body.items
  return {
    keys: client.keyId,
    instances: id,
    messages: said['waMessageId'] ?? '',
    conversations: conversation.id,
    conversationId: conversation.id,
    contacts: conversation.contact.phone,
    'opt-outs': ana.phone,
    notes: note['id'] ?? '',
    'quick-replies': quickReply['id'] ?? '',
    groups: group['id'] ?? '',
    labels: own.id,
    labelId: own.id,
    'phones.labels': label['id'] ?? '',
    calls: call['id'] ?? '',
    'scheduled-messages': schedule['id'] ?? '',
    campaigns: campaign['id'] ?? '',
    webhooks: webhook['id'] ?? '',
    events: events.body.items[0].data.eventId,
    phones: phoneId,
    inboxes: inbox['id'] ?? '',
    invitations: invitation.body.id,
    members: member.id,
  }
}

/** Well-formed ids that do not exist: the letters of a real one in another order. */
function unknownIds(ids: Ids): Ids {
  const turn = (id: string) => {
    const [, prefix = '', middle = '', domain = ''] = /^(\w{3}_\w|)([^@]*)(@.*)?$/.exec(id) ?? []
    const turned = middle.split('').toReversed().join('')
    return `${prefix}${turned}${domain}`
  }
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, turn(id)]))
}

/** The number of ids in a path. Chats, phones and template names do not count, because anyone may use them. */
const idsIn = (path: string) => path.match(/\{(?!mode|chat\}|phone\}|name\})/g)?.length ?? 0

/** The path with its parameters; those of `parents` are taken from there. */
function fill(path: string, mode: Mode, ids: Ids, parents: Ids = ids): string {
  const count = idsIn(path)
  let seen = 0
  return path
    .replace('{chat}', CHAT)
    .replace('{phone}', to)
    .replace('{name}', 'pedido_enviado')
    .replace('{mode}', mode)
    .replace(/([\w-]+)\/\{(\w+)\}/g, (_, segment: string) => {
      seen += 1
      const from = seen < count ? parents : ids
      const name = path.includes('/phones/') && segment === 'labels' ? 'phones.labels' : segment
      const id = from[name]
      assert.ok(id, `no id for ${segment} of ${path}`)
      return `${segment}/${encodeURIComponent(id)}`
    })
}

async function call(client: Client, { method, path }: Operation, url: string): Promise<Answer> {
  const headers: Record<string, string> = { 'x-recado-panel': '1' }
  const key = `${method} ${path.replace('/panel/api/{mode}/v1', '/v1')}`
  if (path.endsWith('/media-upload')) {
    const part = (head: string, data: string) =>
      `--x\r\ncontent-disposition: form-data; ${head}\r\n\r\n${data}\r\n`
    const body = `${part('name="to"', to)}${part('name="type"', 'document')}${part('name="file"; filename="a.txt"', 'oi')}--x--\r\n`
    return client.call('POST', url, { body, headers: { ...headers, 'content-type': MULTIPART } })
  }
  const body = BODIES[key]
  const query = QUERIES[key] ?? ''
  return client.call(method.toUpperCase(), `${url}${query}`, {
    headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
}

/** What a response reveals, without what differs between any two requests. */
const visible = ({ status, body, text }: Answer) => ({
  status,
  error: body?.error ?? body ?? text.replace(/"at":"[^"]*"/g, ''),
})

const hasIds = ({ path }: Operation) => idsIn(path) > 0

/** Asserts that each operation treats `foreign` ids exactly as ids that do not exist. */
async function assertUnreachable(
  client: Client,
  operations: Operation[],
  mode: Mode,
  { foreign, own }: { foreign: Ids; own: Ids },
): Promise<void> {
  const leaks: string[] = []
  const unknown = unknownIds(foreign)
  for (const operation of operations.filter(hasIds)) {
    const { method, path } = operation
    const pairs = [[fill(path, mode, foreign), fill(path, mode, unknown)] as const]
    if (idsIn(path) > 1) {
      pairs.push([fill(path, mode, foreign, own), fill(path, mode, unknown, own)])
    }
    for (const [reached, missing] of pairs) {
      const [there, nowhere] = [
        visible(await call(client, operation, reached)),
        visible(await call(client, operation, missing)),
      ]
      const same = JSON.stringify(there) === JSON.stringify(nowhere)
      if (!same || there.status !== 404) {
        leaks.push(`${method} ${reached}: ${JSON.stringify(there)} not ${JSON.stringify(nowhere)}`)
      }
    }
  }
  assert.deepEqual(leaks, [])
}

/** The operations of the API as the panel calls them. It has streams of its own, which name no id. */
const inPanel = () =>
  api
    .filter(({ path }) => !/^\/v1\/(auth\/|(events|me|requests|usage)$)|\/qr$/.test(path))
    .map((one) => ({ ...one, path: `/panel/api/{mode}${one.path}` }))

async function twoCompanies(mode: Mode) {
  const [mine, theirs] = [await company(), await company()]
  return { mine, own: await populate(mine, mode), foreign: await populate(theirs, mode) }
}
async function company(): Promise<Project> {
  const project = await kit.project()
  const addons = { addons: ['mass_sending'] }
  await kit.operator.projects.set(kit.db, project.projectId, 'addon.grant', addons)
  return project
}

/** Adds a person with a role to the account; returns their client. */
async function colleague(project: Project, role: string): Promise<Client> {
  const owner = await kit.login(project)
  const email = `${role.toLowerCase()}-${project.projectId}@empresa.com.br`
  await owner.post('/panel/api/members/invitations', { email, role })
  const mail = kit.mails.findLast((sent) => sent.to === email)
  const token = /\/convite\?token=(\S+)/.exec(mail?.text ?? '')?.[1]
  const accept = { token, password: PASSWORD }
  await kit.client('production').post('/panel/api/accept-invitation', accept)
  return kit.login({ ...project, email })
}

for (const mode of ['test', 'production'] as const) {
  describe(`isolation in ${mode} mode`, () => {
    it("returns the 404 of an unknown id for another Project's ids, on every route of the API", async () => {
      const { mine, own, foreign } = await twoCompanies(mode)
      const keys = api.filter(({ path }) => path.startsWith('/v1/keys'))
      const others = api.filter((one) => !keys.includes(one))
      await assertUnreachable(await kit.key(mine, mode), others, mode, { foreign, own })
      await assertUnreachable(await kit.login(mine, mode), keys, mode, { foreign, own })
    })

    it("returns the 404 of an unknown id for another Project's ids, on every route of the panel", async () => {
      const { mine, own, foreign } = await twoCompanies(mode)
      const owner = await kit.login(mine)
      await assertUnreachable(owner, [...inPanel(), ...panel], mode, { foreign, own })
    })

    it("returns the 404 of an unknown id for ids of the Project's other mode", async () => {
      const project = await company()
      const own = await populate(project, mode)
      const foreign = await populate(project, mode === 'test' ? 'production' : 'test')
      const keys = api.filter(({ path }) => path.startsWith('/v1/keys'))
      const others = api.filter((one) => !keys.includes(one))
      const ofMode = panel.filter(({ path }) => path.includes('{mode}'))
      await assertUnreachable(await kit.key(project, mode), others, mode, { foreign, own })
      await assertUnreachable(await kit.login(project, mode), keys, mode, { foreign, own })
      const owner = await kit.login(project)
      await assertUnreachable(owner, [...inPanel(), ...ofMode], mode, { foreign, own })
    })

    it("lists nothing for another Project's id in the query", async () => {
      const { mine, own, foreign } = await twoCompanies(mode)
      const key = await kit.key(mine, mode)
      const unknown = unknownIds(foreign)
      const queried = api.filter(({ query, path }) => query.length > 0 && path !== '/v1/events')
      assert.ok(queried.length >= 2)
      for (const operation of queried) {
        const [name = ''] = operation.query
        const url = fill(operation.path, mode, own)
        const [there, nowhere] = [
          await call(key, operation, `${url}?${name}=${foreign[name]}`),
          await call(key, operation, `${url}?${name}=${unknown[name]}`),
        ]
        assert.deepEqual(visible(there), visible(nowhere), operation.path)
        assert.deepEqual(there.body.items ?? [], [])
      }
    })

    it('refuses a role that may not, before it looks for the id, on every route of the panel', async () => {
      const project = await company()
      const own = await populate(project, mode)
      const user = await colleague(project, 'Financeiro')
      const leaks: string[] = []
      const operations = [...inPanel(), ...panel].filter(
        ({ path }) => ![...FOR_EVERY_ROLE, FOR_FINANCE].some((open) => open.test(path)),
      )
      assert.ok(operations.length > 80)
      for (const operation of operations) {
        for (const ids of [own, unknownIds(own)]) {
          const url = fill(operation.path, mode, ids)
          const { status, body } = await call(user, operation, url)
          if (status !== 403 || body?.error?.message !== ROLE_FORBIDS) {
            leaks.push(`${operation.method} ${url}: ${status} ${JSON.stringify(body)}`)
          }
        }
      }
      assert.deepEqual(leaks, [])
    })
  })
}
