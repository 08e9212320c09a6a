// Alert emails: each production problem is reported once, and only to users whose role covers it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { updateAlerts } from '../../src/operations/alerts/alerts.sql.ts'
import { startTestApp, type Project, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const MINUTE = 60_000
const ALERTS = '/panel/api/alerts'
const ALL = ['instance_down', 'webhook_failing', 'credits_low', 'payment_due']

/** The subjects of the alert emails sent to this address. */
const alertSubjects = (email: string): string[] =>
  kit.mails
    .filter(({ to, text }) => to === email && /aba=notificacoes/.test(text))
    .map((mail) => mail.subject)

/** Advances the clock one minute at a time, so that every periodic task runs at its usual interval. */
async function jumpMinutes(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) await kit.jump(MINUTE)
}

const setRole = (project: Project, role: string) =>
  kit.db.system`update app_user set role = ${role} where email = ${project.email}`

/** Gives an instance to a node that cannot reach the network. */
async function disconnect(id: string, epoch: number): Promise<void> {
  const node = `unreachable-${epoch}`
  await kit.db.system`
    insert into node (id, epoch, heartbeat_at)
    values (${node}, ${epoch}, ${new Date(kit.clock.now() + 24 * 3600_000)})`
  await kit.db.system`
    update instance set status = 'DISCONNECTED', owner_node = ${node}, owner_epoch = ${epoch},
      disconnected_at = ${new Date(kit.clock.now())}
    where id = ${id}`
}

describe('alerts', () => {
  it('a production instance that loses its pairing triggers one email with links to the panel', async () => {
    const project = await kit.project()
    const api = await kit.key(project, 'production')
    const { phoneBase } = await kit.pair(api, 'Loja')
    await jumpMinutes(2)
    assert.deepEqual(alertSubjects(project.email), [])
    await api.post(`${phoneBase}/unpair`)
    await jumpMinutes(10)
    assert.deepEqual(alertSubjects(project.email), [
      'Padaria: a instância “Loja” foi desconectada: leia o QR novamente',
    ])
    const { text } = kit.mails.findLast(({ to }) => to === project.email) ?? { text: '' }
    assert.match(text, /producao\/inicio/)
    assert.match(text, /configuracoes\?aba=notificacoes/)
  })

  it('an instance is reported only after five minutes without a connection, and not when a user logged it out', async () => {
    const project = await kit.project()
    const api = await kit.key(project, 'production')
    const { id, base } = await kit.pair(api, 'Loja')
    await kit.pair(api, 'Encerrada').then((own) => api.post(`${own.base}/logout`))
    await disconnect(id, 1)
    await jumpMinutes(4)
    assert.deepEqual(alertSubjects(project.email), [])
    await jumpMinutes(2)
    assert.deepEqual(alertSubjects(project.email), [
      'Padaria: a instância “Loja” está desconectada há mais de 5 minutos',
    ])
    // A recurrence within the hour belongs to the same alert.
    const set = (status: string) =>
      kit.db.system`update instance set status = ${status} where id = ${id}`
    await set('STOPPED')
    await jumpMinutes(30)
    await set('DISCONNECTED')
    await jumpMinutes(5)
    assert.equal(alertSubjects(project.email).length, 1)
    await set('STOPPED')
    await jumpMinutes(65)
    await set('DISCONNECTED')
    await jumpMinutes(2)
    assert.equal(alertSubjects(project.email).length, 2)
    await api.delete(base)
  })

  it('a number that is banned while the mail about its disconnection is being sent causes another mail', async () => {
    const project = await kit.project()
    const api = await kit.key(project, 'production')
    const { id } = await kit.pair(api, 'Loja')
    await disconnect(id, 3)
    await jumpMinutes(4)
    const release = kit.holdMails()
    kit.clock.jump(2 * MINUTE)
    const isClaimed = async () => {
      const rows = await kit.db.system`
        select from alert where object = ${id} and sending_until is not null`
      return rows.length > 0
    }
    while (!(await isClaimed())) await new Promise((resolve) => setImmediate(resolve))
    await kit.db.system`update instance set status = 'BANNED' where id = ${id}`
    // Another node finds out while this one waits for the mail server.
    const at = (ms: number) => new Date(kit.clock.now() + ms)
    await kit.db.transaction((tx) =>
      updateAlerts(tx, {
        now: at(1),
        downSince: at(-5 * MINUTE),
        failingSince: at(-15 * MINUTE),
        failedSince: at(-24 * 60 * MINUTE),
        quietSince: at(-60 * MINUTE),
        forgetBefore: at(-7 * 24 * 60 * MINUTE),
      }),
    )
    release()
    await jumpMinutes(5)
    assert.deepEqual(alertSubjects(project.email), [
      'Padaria: a instância “Loja” está desconectada há mais de 5 minutos',
      'Padaria: a instância “Loja” foi banida pelo WhatsApp',
    ])
  })

  it('an instance that another node took over but cannot connect is reported', async () => {
    const project = await kit.project()
    const api = await kit.key(project, 'production')
    const { id } = await kit.pair(api, 'Loja')
    await kit.db.system`
      insert into node (id, epoch, heartbeat_at)
      values ('unable', 2, ${new Date(kit.clock.now() + 24 * 3600_000)})`
    await kit.db.system`
      update instance set status = 'CONNECTING', resumes = true, owner_node = 'unable', owner_epoch = 2,
        disconnected_at = ${new Date(kit.clock.now())} where id = ${id}`
    await jumpMinutes(6)
    assert.deepEqual(alertSubjects(project.email), [
      'Padaria: a instância “Loja” está desconectada há mais de 5 minutos',
    ])
  })

  it('a webhook whose deliveries have all failed for fifteen minutes is reported', async () => {
    const project = await kit.project()
    const api = await kit.key(project, 'production')
    const receiver = await kit.receiver()
    receiver.answer = (response) => void response.writeHead(500).end()
    await api.post('/v1/webhooks', { name: 'ERP', url: receiver.url })
    const { phone } = await kit.pair(api, 'Loja')
    const ana = await kit.phone(api)
    await api.post(`${ana.base}/messages`, { to: phone, text: 'oi' })
    await jumpMinutes(13)
    assert.deepEqual(alertSubjects(project.email), [])
    await jumpMinutes(5)
    assert.deepEqual(alertSubjects(project.email), [
      'Padaria: o webhook “ERP” só falha há mais de 15 minutos (HTTP 500)',
    ])
  })

  it('simultaneous alerts are combined into one email per user with only the kinds that their role allows', async () => {
    const project = await kit.project({ credits: 50 })
    const api = await kit.key(project, 'production')
    for (const name of ['Loja', 'Filial']) {
      const { phoneBase } = await kit.pair(api, name)
      await api.post(`${phoneBase}/unpair`)
    }
    await jumpMinutes(2)
    assert.deepEqual(alertSubjects(project.email), ['Padaria: 3 avisos do Recado'])
    const { text } = kit.mails.findLast(({ to }) => to === project.email) ?? { text: '' }
    for (const line of ['a instância “Loja”', 'a instância “Filial”', 'restam 50 créditos']) {
      assert.ok(text.includes(`- ${line}`), text)
    }
    // The finance role receives billing alerts only.
    const other = await kit.project({ credits: 50 })
    await setRole(other, 'Financeiro')
    await kit.operator.projects.set(kit.db, other.projectId, 'subscription.set', {
      subscription: 'past_due',
    })
    await jumpMinutes(2)
    assert.deepEqual(alertSubjects(other.email), [
      'Padaria: o pagamento da assinatura está atrasado',
    ])
  })

  it('a ban is reported even if the lost connection was reported before', async () => {
    const project = await kit.project()
    const api = await kit.key(project, 'production')
    const { id, phoneBase } = await kit.pair(api, 'Loja')
    const away = new Date(kit.clock.now() - 6 * MINUTE)
    await kit.db.system`
      insert into alert (project_id, kind, object, detail, started_at, sent_at)
      values (${project.projectId}, 'instance_down', ${id}, 'DISCONNECTED', ${away}, ${away})`
    await api.post(`${phoneBase}/ban`)
    await jumpMinutes(3)
    assert.deepEqual(alertSubjects(project.email), [
      'Padaria: a instância “Loja” foi banida pelo WhatsApp',
    ])
  })

  it('an alert is sent once even if mail to another user fails, and line breaks in an instance name are removed', async () => {
    const project = await kit.project()
    const [{ accountId }] = (await kit.db.system`
      select account_id from project where id = ${project.projectId}`) as unknown as [
      { accountId: string },
    ]
    const gone = `gone-${project.projectId}@empresa.com.br`
    const last = `last-${project.projectId}@empresa.com.br`
    for (const email of [gone, last]) {
      await kit.db.system`
        insert into app_user (id, account_id, email, password_hash, role, confirmed_at, created_at)
        values (${`usr_${email}`}, ${accountId}, ${email}, '', 'Admin', now(), now())`
    }
    kit.refusedMails.add(gone)
    const api = await kit.key(project, 'production')
    const { phoneBase } = await kit.pair(api, 'Loja\r\n\r\nEntre em https://mau.example')
    await api.post(`${phoneBase}/unpair`)
    await jumpMinutes(20)
    kit.refusedMails.clear()
    assert.equal(alertSubjects(project.email).length, 1)
    assert.equal(alertSubjects(last).length, 1)
    const { text } = kit.mails.findLast(({ to }) => to === last) ?? { text: '' }
    assert.match(text, /- a instância “Loja Entre em https:\/\/mau.example” foi desconectada/)
  })

  it('an alert whose email is pending is not lost when another alert starts', async () => {
    const project = await kit.project({ credits: 5 })
    const api = await kit.key(project, 'production')
    const { phoneBase } = await kit.pair(api, 'Loja')
    kit.refusedMails.add(project.email)
    await jumpMinutes(1)
    kit.refusedMails.clear()
    await api.post(`${phoneBase}/unpair`)
    await jumpMinutes(4)
    const all = kit.mails
      .filter(({ to }) => to === project.email)
      .map(({ text }) => text)
      .join()
    assert.match(all, /restam 5 créditos/)
    assert.match(all, /foi desconectada/)
  })

  it('a failed alert email is retried without delaying other accounts', async () => {
    const unlucky = await kit.project({ credits: 5 })
    const lucky = await kit.project({ credits: 5 })
    kit.refusedMails.add(unlucky.email)
    await jumpMinutes(2)
    assert.deepEqual(
      [alertSubjects(unlucky.email), alertSubjects(lucky.email)],
      [[], ['Padaria: restam 5 créditos']],
    )
    kit.refusedMails.clear()
    await jumpMinutes(3)
    assert.deepEqual(alertSubjects(unlucky.email), ['Padaria: restam 5 créditos'])
  })
})

describe('alert preferences', () => {
  it('alert preferences default to the role of the user and cannot exceed it', async () => {
    const expected: Record<string, [string[], string[]]> = {
      Dono: [ALL, ALL],
      Admin: [ALL, ALL],
      Desenvolvedor: [ALL.slice(0, 2), ALL.slice(0, 2)],
      Atendente: [[], ['instance_down']],
      Financeiro: [ALL.slice(2), ALL.slice(2)],
    }
    const project = await kit.project()
    const user = await kit.login(project)
    for (const [role, [kinds, allowed]] of Object.entries(expected)) {
      await setRole(project, role)
      const { body } = await user.get(ALERTS)
      assert.deepEqual(body, { kinds, allowed, creditsBelow: 100 }, role)
    }
    await setRole(project, 'Desenvolvedor')
    assert.equal((await user.put(ALERTS, { kinds: ['credits_low', 'instance_down'] })).status, 204)
    assert.deepEqual((await user.get(ALERTS)).body.kinds, ['instance_down'])
    assert.equal((await user.put(ALERTS, { kinds: [], creditsBelow: 5 })).status, 403)
    assert.equal((await user.put(ALERTS, { kinds: ['tudo'] })).status, 400)
    assert.equal((await kit.client('test').get(ALERTS)).status, 401)
  })

  it('a user who disabled all alerts receives none, and the low-credit threshold is set per Project', async () => {
    const project = await kit.project({ credits: 300 })
    const user = await kit.login(project)
    await user.put(ALERTS, { kinds: [], creditsBelow: 1000 })
    await jumpMinutes(2)
    assert.deepEqual(alertSubjects(project.email), [])
    const [last] = (await user.get('/panel/api/audit')).body.items
    assert.deepEqual(
      [last.action, last.before, last.after],
      ['alerts.credits_below', { creditsBelow: 100 }, { creditsBelow: 1000 }],
    )
    const another = await kit.project({ credits: 300 })
    const boss = await kit.login(another)
    await boss.put(ALERTS, { kinds: ALL, creditsBelow: 301 })
    await jumpMinutes(2)
    assert.deepEqual(alertSubjects(another.email), ['Padaria: restam 300 créditos'])
  })
})
