// Data export and erasure of an account on request of its owner, as the LGPD requires.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { lockIsAwaited } from '../kit/lock-is-awaited.ts'
import { campaignWorld, people } from '../kit/campaign.ts'
import { startStripe, type FakeStripe } from '../kit/stripe.ts'
import {
  eraseContacts,
  eraseConversations,
  eraseMessages,
  eraseRecipients,
  eraseRows,
  REST,
  WITHOUT_INDEX,
} from '../../src/operations/privacy/erase.sql.ts'
import { endInstances } from '../../src/operations/privacy/end-instances.ts'
import { fail } from '../../src/kernel/phrases/fail.ts'
import { OPERATOR } from '../../src/kernel/principal.ts'
import { HOSTS, PASSWORD, startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
let stripe: FakeStripe
before(async () => {
  stripe = await startStripe()
  kit = await startTestApp(stripe.env, { stripe: stripe.place })
})
after(async () => {
  await kit.close()
  await stripe.close()
})
const HOUR = 3600_000
const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

/** Creates an account with at least one row of every kind of data. */
async function createPopulatedAccount() {
  const world = await campaignWorld(kit)
  const { api, instance, begin } = world
  const receiver = await kit.receiver()
  await api.post('/v1/webhooks', { name: 'x', url: receiver.url })
  const ana = await kit.phone(api, { business: true })
  await begin({ recipients: people(3) })
  await api.post(`${instance.base}/messages`, {
    to: ana.phone,
    type: 'document',
    media: {
      base64: GIF,
      fileName: 'segredo.gif',
    },
  })
  const sent = await api.post(`${instance.base}/messages`, {
    to: ana.phone,
    type: 'poll',
    question: 'Que horas?',
    options: ['9h', '14h'],
  })
  await kit.settle()
  await api.post(`${ana.base}/messages`, { to: instance.phone, text: 'meu endereço é segredo' })
  await api.post(`${ana.base}/messages`, {
    to: instance.phone,
    type: 'pollVote',
    waMessageId: sent.body.waMessageId,
    options: ['9h'],
  })
  await api.post(`${ana.base}/calls`, { to: instance.phone, video: false })
  await api.post(`${ana.base}/groups`, { subject: 'Família', participants: [instance.phone] })
  await api.post('/v1/simulator/inboxes', { name: 'x' })
  await api.post('/v1/opt-outs', { phones: [ana.phone] })
  await api.patch(`${instance.base}/contacts/${ana.phone}`, { name: 'Ana Segredo' })
  await api.post('/v1/quick-replies', { shortcut: 'oi', text: 'Oi, segredo!' })
  const [conversation] = (await api.get(`${instance.base}/conversations`)).body.items
  await api.post(`${instance.base}/conversations/${conversation.id}/notes`, { text: 'segredo' })
  // Ends a wait, which is recorded.
  await kit.settle()
  await api.post(`${instance.base}/messages`, { to: ana.phone, text: 'anotado' })
  await kit.settle()
  const user = await kit.login(world)
  await user.post('/panel/api/members/invitations', { email: 'bia@empresa.com.br', role: 'Admin' })
  return { ...world, user, ana, receiver }
}

describe('account export', () => {
  it('the account export contains every kind of data, one JSON object per line, and no secret', async () => {
    const { user, api } = await createPopulatedAccount()
    const { status, headers, bytes } = await user.download('/panel/api/account/export')
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/x-ndjson; charset=utf-8')
    assert.match(headers['content-disposition'] ?? '', /attachment/)
    const text = bytes.toString()
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> })
    const kinds = new Set(lines.map(({ type }) => type))
    const expected = [
      'account',
      'user',
      'invitation',
      'project',
      'balance',
      'key',
      'webhook',
      'instance',
      'usage',
      'campaign',
      'recipient',
      'conversation',
      'contact',
      'note',
      'quick_reply',
      'message',
      'group',
      'call',
      'file',
      'credit',
      'audit',
      'transition',
      'inbox',
      'virtual_phone',
      'session',
    ]
    assert.deepEqual(
      expected.filter((kind) => !kinds.has(kind)),
      [],
    )
    const inboundMessage = lines.find(({ data }) => data['text'] === 'meu endereço é segredo')
    assert.deepEqual(
      [inboundMessage?.type, inboundMessage?.data['direction']],
      ['message', 'inbound'],
    )
    for (const secret of [api.key, 'password_hash', 'secret_hash', 'sealed', 'whsec_']) {
      assert.ok(!text.includes(secret), secret)
    }
  })

  it('the account export contains each of more than a thousand messages exactly once', async () => {
    const { user, instance, api, projectId } = await createPopulatedAccount()
    await api.post(`${instance.base}/messages`, { to: '5511988887777', text: 'o modelo' })
    await kit.settle()
    await kit.db.system`
      insert into message (id, project_id, mode, instance_id, conversation_id, wa_message_id, direction,
        origin, type, status, chat_id, chat_type, content, text, created_at)
      select 'msg_x' || n, project_id, mode, instance_id, conversation_id, 'x' || n, direction, origin,
        type, status, chat_id, chat_type, content, 'n' || n, created_at
      from message, generate_series(1, 1300) as n where text = 'o modelo' and project_id = ${projectId}`
    const { bytes } = await user.download('/panel/api/account/export')
    const texts = [...bytes.toString().matchAll(/"text":"n(\d+)"/g)].map(([, n]) => Number(n))
    assert.equal(texts.length, 1300)
    assert.equal(new Set(texts).size, 1300)
  })

  it('an export whose client leaves before the first line does not prevent the next one', async () => {
    const { email } = await kit.project()
    const header = { 'x-token-response': 'body' }
    const login = await kit
      .client('test')
      .post('/v1/auth/login', { email, password: PASSWORD }, header)
    const user = kit.client('test', login.body.accessToken)
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    // The export waits for its audit entry, and the client leaves meanwhile.
    const holder = kit.db.transaction(async (tx) => {
      await tx.system`lock table audit in exclusive mode`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const left = new Promise((resolve) =>
      kit.app.server.server.once('connection', (socket) => socket.once('end', resolve)),
    )
    const leaving = connect(kit.port, '127.0.0.1')
    leaving.write(
      `GET /panel/api/account/export HTTP/1.1\r\nhost: ${HOSTS.test}\r\n` +
        `authorization: Bearer ${login.body.accessToken}\r\n\r\n`,
    )
    for (let waiting = 0; waiting === 0;) {
      const [row] = await kit.db.system<{ count: number }[]>`
        select count(*)::int from pg_locks where not granted and relation = 'audit'::regclass`
      waiting = row?.count ?? 0
    }
    leaving.destroy()
    // The server notices before the export may go on.
    await left
    release.resolve()
    await holder
    await kit.settle()
    const { status } = await user.download('/panel/api/account/export')
    assert.equal(status, 200)
  })

  it('the account export contains only data of its own account, and only the owner may export or delete it', async () => {
    const one = await createPopulatedAccount()
    const other = await createPopulatedAccount()
    const { bytes } = await other.user.download('/panel/api/account/export')
    assert.ok(!bytes.toString().includes(one.projectId))
    await kit.db.system`
      update app_user set role = 'Admin' where account_id = ${one.accountId}`
    assert.equal((await one.user.get('/panel/api/account/export')).status, 403)
    const body = { password: PASSWORD, company: 'Padaria' }
    assert.equal((await one.user.post('/panel/api/account/delete', body)).status, 403)
    assert.equal((await kit.client('test').get('/panel/api/account/export')).status, 401)
  })
})

describe('account deletion', () => {
  it('deleting an account requires the password and the company name', async () => {
    const { user } = await createPopulatedAccount()
    const remove = (password: string, company: string) =>
      user.post('/panel/api/account/delete', { password, company })
    assert.equal((await remove('outra senha longa', 'Padaria')).status, 400)
    const refused = await remove(PASSWORD, 'padoca')
    assert.equal(
      refused.body.error.message,
      'company: digite o nome da empresa como está no cadastro',
    )
    assert.equal((await user.get('/panel/api/plan')).status, 200)
  })

  it('deleting an account immediately ends its sessions, keys, webhooks, campaigns, instances and subscriptions', async () => {
    const { user, api, email, begin, instance, receiver, projectId } =
      await createPopulatedAccount()
    const { path } = await begin({ pacing: { minDelayMs: 60_000 }, recipients: people(3, '7777') })
    await user.post('/panel/api/plan/checkout', { offer: 'recado_plan' })
    const [customer] = await kit.db.system<{ customerId: string }[]>`
      select customer_id from payment_customer where project_id = ${projectId}`
    const plan = { status: 'active', offer: 'recado_plan' }
    stripe.subscriptions.set(customer?.customerId ?? '', [plan])
    const ended = () =>
      stripe.asked.filter((line) => line.startsWith('DELETE /v1/subscriptions/sub_0')).length
    stripe.broken = true
    const body = { password: PASSWORD, company: 'Padaria' }
    assert.equal((await user.post('/panel/api/account/delete', body)).status, 204)
    await kit.settle()
    assert.equal(ended(), 0)
    stripe.broken = false
    assert.equal((await user.get('/panel/api/plan')).status, 401)
    assert.equal((await api.get(path)).status, 401)
    const mail = kit.mails.findLast(({ to }) => to === email)
    assert.equal(mail?.subject, 'Sua conta no Recado foi excluída')
    const again = { email, password: PASSWORD }
    assert.equal((await kit.client('test').post('/v1/auth/login', again)).status, 401)
    const told = receiver.received.length
    await kit.jump(60_000)
    await kit.jump(60_000)
    assert.equal(receiver.received.length, told)
    const [row] = await kit.db.system<{ status: string }[]>`
      select status from instance where id = ${instance.id}`
    assert.equal(row?.status, 'LOGGED_OUT')
    // A failed cancellation at the payment service is retried within a day; subscriptions created later end, too.
    await kit.jump(25 * HOUR)
    assert.equal(ended(), 1)
    const late = {
      type: 'customer.subscription.created',
      data: { object: { customer: customer?.customerId } },
    }
    const { body: event, headers } = stripe.sign(late, kit.clock.now())
    await kit
      .client('production')
      .call('POST', '/panel/api/payments/stripe', { body: event, headers })
    assert.equal(ended(), 2)
  })

  it('a deleted account leaves only its financial records, and its email address can sign up again', async () => {
    const { user, accountId, projectId, email, instance, ana } = await createPopulatedAccount()
    const bought = await user.post('/panel/api/plan/checkout', { offer: 'recado_plan' })
    assert.equal(bought.status, 200, bought.text)
    // An edit that waits for its message, which may never arrive.
    await kit.db.system`
      insert into pending_change (instance_id, wa_message_id, change, created_at)
      values (${instance.id}, '3AEARLY', '{"kind":"edited","text":"segredo"}', now())`
    const file =
      (
        await kit.db.system<{ id: string }[]>`
      select id from media where project_id = ${projectId}`
      )[0]?.id ?? 'none'
    const bytes = () =>
      readdirSync(join(kit.config.dataDir, 'media'), { recursive: true }).filter((name) =>
        String(name).includes(file),
      )
    assert.equal(bytes().length, 1)
    const body = { password: PASSWORD, company: 'Padaria' }
    assert.equal((await user.post('/panel/api/account/delete', body)).status, 204)
    await kit.settle()
    for (let turn = 0; turn < 4; turn++) await kit.jump(HOUR)
    assert.equal(bytes().length, 0)
    const tables = await kit.db.system<{ name: string; column: string }[]>`
      select c.table_name as name, c.column_name as column from information_schema.columns c
        join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
        and c.column_name in ('project_id', 'instance_id', 'account_id')`
    const left: string[] = []
    for (const { name, column } of tables) {
      const id = { project_id: projectId, instance_id: instance.id, account_id: accountId }[column]
      const [row] = await kit.db.system<{ count: number }[]>`
        select count(*) as count from ${kit.db.sql(name)} where ${kit.db.sql(column)} = ${id ?? ''}`
      if ((row?.count ?? 0) > 0) left.push(`${name}.${column}`)
    }
    // Events contain content, too, but are dropped with their daily partition.
    const kept = left.filter((name) => !name.startsWith('event'))
    assert.deepEqual(kept.toSorted(), [
      'app_user.account_id',
      'balance.project_id',
      'ledger.project_id',
      'payment_customer.project_id',
      'project.account_id',
    ])
    // No row may contain a personal datum of the owner or a contact; responses stored for Idempotency-Keys expire within a day.
    await kit.jump(24 * HOUR)
    const names = tables.map((table) => table.name).filter((name) => !name.startsWith('event_'))
    for (const name of new Set(names.concat('audit'))) {
      // Other accounts of this file have a contact of that name.
      for (const datum of [email, ana.phone, ...(name === 'audit' ? ['Ana Segredo'] : [])]) {
        const rows = await kit.db.system`
          select 1 from ${kit.db.sql(name)} as t where t::text like ${`%${datum}%`} limit 1`
        assert.equal(rows.length, 0, `${name}: ${datum}`)
      }
    }
    const [gone] = await kit.db.system`select company, tax_id from account where id = ${accountId}`
    assert.deepEqual({ ...gone }, { company: '', taxId: '' })
    const [person] = await kit.db.system<{ email: string; passwordHash: string }[]>`
      select email, password_hash from app_user where account_id = ${accountId}`
    assert.match(person?.email ?? '', /^removido:/)
    assert.equal(person?.passwordHash, '')
    assert.deepEqual([...(await kit.operator.billing.drift(kit.db))], [])
    const signUp = { company: 'Nova', taxId: '11222333000181', email, password: PASSWORD }
    assert.equal((await kit.client('test').post('/panel/api/signup', signUp)).status, 202)
    await kit.settle()
    assert.match(kit.mails.findLast(({ to }) => to === email)?.text ?? '', /confirmar-email/)
  })

  it('a sign-up whose address is not confirmed for 30 days is erased, and confirmed or paid accounts are not', async () => {
    const signUp = async (email: string) => {
      const body = { company: 'Sumida Ltda', taxId: '11222333000181', email, password: PASSWORD }
      assert.equal((await kit.client('test').post('/panel/api/signup', body)).status, 202)
      await kit.settle()
      const [row] = await kit.db.system<{ id: string; projectId: string }[]>`
        select u.account_id as id, p.id as project_id from app_user u join project p on p.account_id = u.account_id
        where u.email = ${email}`
      assert.ok(row)
      return row
    }
    const gone = await signUp('sumiu@empresa.com.br')
    const paid = await signUp('pagou@empresa.com.br')
    await kit.operator.billing.grant(kit.db, paid.projectId, 10)
    const confirmed = await kit.project()
    await kit.jump(29 * 24 * HOUR)
    await signUp('recente@empresa.com.br')
    const left = async () => {
      const rows = await kit.db.system<{ email: string }[]>`
        select email from app_user where removed_at is null and email in
          ('sumiu@empresa.com.br', 'pagou@empresa.com.br', 'recente@empresa.com.br', ${confirmed.email})`
      return rows.map(({ email }) => email).toSorted()
    }
    assert.equal((await left()).length, 4)
    for (let turn = 0; turn < 4; turn++) await kit.jump(9 * HOUR)
    const kept = ['pagou@empresa.com.br', 'recente@empresa.com.br', confirmed.email]
    assert.deepEqual(await left(), kept.toSorted())
    const [row] = await kit.db.system`
      select company, tax_id, erased_at is not null as erased from account where id = ${gone.id}`
    assert.deepEqual({ ...row }, { company: '', taxId: '', erased: true })
    await signUp('sumiu@empresa.com.br')
  })

  it('a deleted account is erased in small batches, after its numbers have been logged out', async () => {
    const { projectId, accountId, instance } = await createPopulatedAccount()
    for (const day of [0, 1, 2])
      await kit.db.system`
        insert into api_request (id, project_id, mode, key_id, method, path, status, ms, created_at)
        select 'req_' || n || '_' || ${day}::text || ${projectId}, ${projectId}, 'test', 'key_x', 'GET', '/', 200, 1,
          ${new Date(kit.clock.now())}::timestamptz - make_interval(days => ${day}::int)
        from generate_series(1, 30) n`
    // The process has died before it could log the numbers out.
    await kit.db.system`
      update account set deleted_at = ${new Date(kit.clock.now())}, erase_at = ${new Date(kit.clock.now())}
      where id = ${accountId}`
    for (let turn = 0; turn < 3; turn++) await kit.jump(600_000)
    const live = await kit.db.system`
      select 1 from instance where project_id = ${projectId} and deleted_at is null`
    assert.equal(live.length, 0)
    const messages = await kit.db.system`select 1 from message where instance_id = ${instance.id}`
    assert.ok(messages.length > 0, 'the number has an hour to be logged out')
    const batches: number[] = []
    for (const erase of [
      eraseMessages,
      eraseRecipients,
      eraseConversations,
      eraseContacts,
      eraseRows,
    ]) {
      for (let count = 1; count > 0;) {
        count = await kit.db.transaction((tx) => erase(tx, accountId, 20))
        batches.push(count)
      }
    }
    assert.ok(Math.max(...batches) === 20 && batches.length > 6, batches.join())
    const rows = await kit.db.system`select 1 from api_request where project_id = ${projectId}`
    assert.equal(rows.length, 0)
  })

  it('an instance that cannot be removed delays neither the others nor the erasure of content', async (t) => {
    const { accountId, instance, api } = await createPopulatedAccount()
    const other = await kit.pair(api)
    const { sql, system } = kit.db
    await system`
      create function refuse_removal() returns trigger language plpgsql as
        $$ begin raise exception 'this instance cannot be removed'; end $$`
    await system`
      create trigger refuse_removal before update of deleted_at on instance for each row
        when (new.id = ${sql.unsafe(`'${instance.id}'`)}) execute function refuse_removal()`
    t.after(() => system`drop function if exists refuse_removal() cascade`)
    await system`
      update account set deleted_at = ${new Date(kit.clock.now())}, erase_at = ${new Date(kit.clock.now())}
      where id = ${accountId}`
    const isRemoved = async (id: string) =>
      (await system`select 1 from instance where id = ${id} and deleted_at is not null`).length > 0
    for (let turn = 0; turn < 3; turn++) await kit.jump(600_000)
    assert.deepEqual([await isRemoved(instance.id), await isRemoved(other.id)], [false, true])
    for (let turn = 0; turn < 3; turn++) await kit.jump(HOUR)
    const texts = await system`
      select 1 from message where instance_id = ${instance.id}
      union all select 1 from contact where instance_id = ${instance.id}`
    assert.equal(texts.length, 0)
    const erased = async () =>
      (await system`select 1 from account where id = ${accountId} and erased_at is not null`).length
    assert.equal(await erased(), 0, 'the instance has not logged out')
    await system`drop function refuse_removal() cascade`
    for (let turn = 0; turn < 4; turn++) await kit.jump(HOUR)
    assert.equal(await erased(), 1)
  })

  it('an instance that another node removes at the same moment has its hour to log out, too', async () => {
    const project = await kit.project()
    const { id } = await kit.pair(await kit.key(project))
    const errors: unknown[] = []
    const ended = await endInstances(
      {
        db: kit.db,
        instances: {
          async remove(db) {
            await db.system`update instance set deleted_at = ${new Date(kit.clock.now())} where id = ${id}`
            throw fail('not_found', (say) => say.instances.notFound)
          },
        },
        onError: (error) => void errors.push(error),
      },
      OPERATOR,
      project.accountId,
    )
    assert.deepEqual([ended, errors], [1, []])
  })

  it('erasure continues if retention drops a partition while it deletes from it', async () => {
    const project = await kit.project()
    const { accountId } = project
    await kit.pair(await kit.key(project))
    const { sql, system, transaction } = kit.db
    await system`
      update account set deleted_at = ${new Date(kit.clock.now())}, erase_at = ${new Date(kit.clock.now())}
      where id = ${accountId}`
    for (let turn = 0; turn < 3; turn++) await kit.jump(600_000)
    const [oldest] = await system<{ name: string }[]>`
      select min(inhrelid::regclass::text) as name from pg_inherits where inhparent = 'event_history'::regclass`
    assert.ok(oldest)
    let erasing = Promise.resolve()
    await transaction(async (tx) => {
      await tx.system`drop table ${sql(oldest.name)}`
      erasing = kit.jump(HOUR)
      await lockIsAwaited(kit.db)
    })
    await erasing
    const [row] = await system`
      select erased_at is not null as erased from account where id = ${accountId}`
    assert.deepEqual({ ...row }, { erased: true })
  })

  it('every table that is erased row by row has an index on its owner, or is scanned once', async () => {
    const indexed = await kit.db.system<{ name: string; column: string }[]>`
      select t.relname as name, a.attname as column from pg_index i
        join pg_class t on t.oid = i.indrelid
        join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
      where i.indpred is null`
    const missing = (['instance', 'campaign', 'webhook'] as const).flatMap((owner) =>
      REST[owner].filter(
        (table) => !indexed.some(({ name, column }) => name === table && column === `${owner}_id`),
      ),
    )
    assert.deepEqual(new Set(missing), WITHOUT_INDEX)
  })

  it('erasure deletes from every table whose rows would keep what is erased from being deleted', async () => {
    const references = await kit.db.system<{ name: string; to: string }[]>`
      select distinct r.relname as name, f.relname as to from pg_constraint c
        join pg_class r on r.oid = c.conrelid join pg_class f on f.oid = c.confrelid
      where c.contype = 'f' and c.confdeltype in ('a', 'r') and r.relname <> f.relname
        and not r.relispartition`
    const source = readFileSync(
      new URL('../../src/operations/privacy/erase.sql.ts', import.meta.url),
      'utf8',
    )
    const isErased = (table: string) =>
      new RegExp(`(delete from ${table}\\b|'${table}'[,\\]])`).test(source)
    const missing = references.filter(({ name, to }) => isErased(to) && !isErased(name))
    assert.ok(references.length > 10)
    assert.deepEqual(missing, [])
  })
})
