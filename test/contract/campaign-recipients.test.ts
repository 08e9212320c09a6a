// Campaign recipients in JSON and CSV with problems reported by line, and validation of the campaign body.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { importRecipients } from '../../src/campaigns/import-recipients.ts'
import { campaignWorld, people, to } from '../kit/campaign.ts'
import type { Client } from '../kit/client.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
let world: Awaited<ReturnType<typeof campaignWorld>>
before(async () => {
  kit = await startTestApp()
  world = await campaignWorld(kit)
})
after(() => kit.close())

const csv = (api: Client, path: string, body: string | Buffer, more: Record<string, string> = {}) =>
  api.call('POST', `${path}/recipients`, { body, headers: { 'content-type': 'text/csv', ...more } })
const problemsOf = (report: { problems: { line: number; reason: string }[] }) =>
  report.problems.map(({ line, reason }) => [line, reason])

describe('JSON recipients', () => {
  it('a list whose lines are all rejected is reported, however long it takes', async () => {
    let [read, lastStatement, longestPause] = [0, 0, 0]
    function* lines() {
      for (; read < 30_000; read++)
        yield { line: read + 1, to: 'nada', variables: {}, clientReference: null }
    }
    const { report } = await kit.db.transaction((tx) => {
      // PostgreSQL ends a transaction that sends no statement for a while.
      const system = (...statement: Parameters<typeof tx.system>) => {
        longestPause = Math.max(longestPause, read - lastStatement)
        lastStatement = read
        return tx.system(...statement)
      }
      const campaign = {
        id: 'cmp_x',
        message: { type: 'text', text: 'Oi' } as const,
        lastPosition: 0,
      }
      const scope = { projectId: 'prj_x', mode: 'test' as const, keyId: null }
      const watched = { ...tx, system: Object.assign(system, tx.system) }
      return importRecipients(watched, scope, campaign, (text) => text, lines())
    })
    assert.ok(longestPause <= 100 && read - lastStatement <= 100, `${longestPause} lines`)
    assert.equal(report.invalid, 30_000)
  })

  it('invalid JSON recipients are reported by position and valid ones are added', async () => {
    const { draft, show, results } = world
    const recipients = [
      ...people(1),
      { to: 'ninguém', variables: { name: 'x' } },
      { to: `+${to(0)}`, variables: { name: 'x' } },
      { to: to(1), variables: { nome: 'x' } },
      { to: to(2), variables: { name: 'Zé', other: 'unused' } },
    ]
    const { path, import: report } = await draft({ recipients })
    assert.deepEqual([report.lines, report.added, report.duplicates, report.invalid], [5, 2, 1, 2])
    assert.deepEqual(problemsOf(report), [
      [2, 'invalid_number'],
      [3, 'duplicate'],
      [4, 'missing_variable'],
    ])
    assert.deepEqual(
      report.problems.map(({ message }: { message: string }) => message),
      [
        'número inválido: use um telefone com DDI e DDD',
        'destinatário repetido nesta campanha',
        'falta o valor da variável name',
      ],
    )
    assert.equal((await show(path)).import, null)
    assert.deepEqual((await results(path))[1].variables, { name: 'Zé' })
  })

  it('a Brazilian mobile number with and without the ninth digit counts as one recipient, within and across calls', async () => {
    const { draft, api } = world
    const { path, import: report } = await draft({
      recipients: [
        { to: '+55 (11) 98888-7777', variables: { name: 'a' } },
        { to: '551188887777', variables: { name: 'b' } },
        // A landline: landline numbers have no ninth digit.
        { to: '551133334444', variables: { name: 'c' } },
      ],
    })
    assert.deepEqual([report.added, report.duplicates], [2, 1])
    const again = await api.post(`${path}/recipients`, {
      recipients: [{ to: '5511988887777', variables: { name: 'd' } }, ...people(1)],
    })
    assert.deepEqual([again.status, again.body.added, again.body.duplicates], [200, 1, 1])
  })

  it('recipients added to a running campaign are sent to', async () => {
    const { begin, api, show } = world
    const { path } = await begin({
      pacing: { minDelayMs: 6e4 },
      recipients: people(2),
    })
    await api.post(`${path}/recipients`, { recipients: people(3) })
    for (let turn = 0; turn < 3; turn++) await kit.jump(60_000)
    const { status, counts } = await show(path)
    assert.deepEqual([status, counts.delivered], ['COMPLETED', 3])
  })
})

describe('CSV recipients', () => {
  it('CSV recipients are parsed with the separators, quotes, byte order marks and encodings that spreadsheets write', async () => {
    const { draft, api, results } = world
    const files = [
      'to,name,clientReference\n5511999990001,"Ana, a primeira",p-1\n5511999990002,"Zé ""Zezinho""",\n',
      '\ufeffnome;Telefone;name\r\nx;5511999990001;"Ana, a primeira"\r\n\r\ny;5511999990002;Zé "Zezinho"\r\n'.replace(
        'Zé "Zezinho"',
        '"Zé ""Zezinho"""',
      ),
      Buffer.from(
        'telefone\tname\n5511999990001\tAna, a primeira\n5511999990002\t"Zé ""Zezinho"""\n',
        'latin1',
      ),
      Buffer.from(
        '\ufefftelefone\tname\r\n5511999990001\tAna, a primeira\r\n5511999990002\t"Zé ""Zezinho"""\r\n',
        'utf16le',
      ),
      Buffer.from(
        '\ufefftelefone;name\n5511999990001;Ana, a primeira\n5511999990002;"Zé ""Zezinho"""\n',
        'utf16le',
      ).swap16(),
    ]
    for (const file of files) {
      const { path } = await draft()
      const { status, body } = await csv(api, path, file)
      assert.deepEqual([status, body.added, body.problems], [200, 2, []], String(file))
      assert.deepEqual(
        (await results(path)).map(({ variables }) => variables.name),
        ['Ana, a primeira', 'Zé "Zezinho"'],
      )
    }
  })

  it('invalid CSV recipients are reported by line number of the file', async () => {
    const { draft, api } = world
    const { path } = await draft()
    const file = 'to,name\n5511999990001,Ana\nabc,Bia\n\n5511999990001,Ana\n5511999990002\n'
    const { body } = await csv(api, path, file)
    assert.deepEqual(problemsOf(body), [
      [3, 'invalid_number'],
      [5, 'duplicate'],
      [6, 'missing_variable'],
    ])
    assert.deepEqual(body.problems[0].to, 'abc')
  })

  it('a CSV file of 100,000 lines is accepted and a longer one is rejected with 413', async () => {
    const { draft, api, show } = world
    const { path } = await draft()
    const lines = Array.from({ length: 100_000 }, (_, n) => `5511${900_000_000 + n},Ana ${n}`)
    const { status, body } = await csv(api, path, `to,name\n${lines.join('\n')}\n`)
    assert.deepEqual([status, body.lines, body.added, body.problems], [200, 100_000, 100_000, []])
    assert.equal((await show(path)).counts.total, 100_000)
    const other = await draft()
    const assertRejected = await csv(
      api,
      other.path,
      `to,name\n${lines.join('\n')}\n5511800000000,x\n`,
    )
    assert.equal(assertRejected.status, 413)
    assert.equal(
      assertRejected.body.error.message,
      'o arquivo tem mais de 100.000 linhas: divida-o',
    )
    assert.equal((await show(other.path)).counts.total, 0)
  })

  it('a CSV upload repeated with the same Idempotency-Key is replayed, and with another body returns 409', async () => {
    const { draft, api } = world
    const { path } = await draft()
    const key = { 'idempotency-key': 'lista-1' }
    const file = 'to,name\n5511999990001,Ana\n'
    assert.equal((await csv(api, path, file, key)).body.added, 1)
    const again = await csv(api, path, file, key)
    assert.deepEqual([again.body.added, again.headers['idempotent-replayed']], [1, 'true'])
    const other = await csv(api, path, `${file}5511999990002,Bia\n`, key)
    assert.deepEqual([other.status, other.body.error.reason], [409, 'IDEMPOTENCY_MISMATCH'])
  })

  it('a file that is not valid CSV is rejected with an error message', async () => {
    const { draft, api } = world
    const { path } = await draft()
    const broken = await csv(api, path, 'to,name\n5511999990001,"Ana\n')
    assert.equal(broken.status, 400)
    assert.match(broken.body.error.message, /^CSV malformado na linha \d+$/)
    assert.equal((await csv(api, path, '')).status, 400)
    for (const start of ['PK\x03\x04', '\xd0\xcf\x11\xe0\xa1\xb1', '%PDF-1.7\n']) {
      const { status, body } = await csv(api, path, Buffer.from(`${start}to,name\n1,2\n`, 'latin1'))
      assert.equal(status, 400)
      assert.match(body.error.message, /salve-o como CSV/)
    }
    const twice = await csv(api, path, 'to,name,name\n5511999990001,Ana,Bia\n')
    assert.equal(twice.body.error.message, 'o CSV tem duas colunas com o nome name')
    const other = await api.call('POST', `${path}/recipients`, {
      body: '<x/>',
      headers: { 'content-type': 'application/xml' },
    })
    assert.equal(other.status, 415)
    assert.equal((await csv(api, '/v1/campaigns/cmp_x', 'to\n5511999990001\n')).status, 404)
    assert.equal((await csv(kit.client('production'), path, 'to\n')).status, 401)
    const nul = await csv(api, path, 'to,name\n5511999990001,A\0na\n')
    assert.deepEqual(problemsOf(nul.body), [[2, 'invalid']])
  })

  it('a CSV file needs a header line, in which the phone column may have any of its usual names', async () => {
    const { draft, api } = world
    const { path } = await draft()
    const nameless = await csv(api, path, '5511999990001,Ana\n5511999990002,Bia\n')
    assert.equal(nameless.status, 400)
    assert.equal(
      nameless.body.error.message,
      'a primeira linha do CSV deve dar nome às colunas, como to,nome',
    )
    const excel = 'sep=;\r\nname;Número do WhatsApp\r\nAna;5511999990001\r\n'
    assert.deepEqual((await csv(api, path, excel)).body.problems, [])
    const wide = `to,${Array.from({ length: 100 }, (_, n) => `c${n}`).join(',')}\n`
    assert.equal((await csv(api, path, wide)).status, 400)
  })

  it('variables may have any name, including properties of Object.prototype', async () => {
    const { api, instance, results } = world
    const message = { text: '{{__proto__}} {{ primeiro nome }} {{código}} {{constructor}}' }
    const made = await api.post('/v1/campaigns', { name: 'x', instanceIds: [instance.id], message })
    const path = `/v1/campaigns/${made.body.id}`
    const { body } = await csv(api, path, 'to,__proto__,código,constructor\n5511999990001,a,b,c\n')
    assert.deepEqual(body.problems, [])
    await api.post(`${path}/start`)
    await kit.settle()
    assert.equal((await results(path))[0].message.text, 'a {{ primeiro nome }} b c')
  })
})

describe('campaign validation', () => {
  const refused = async (more: object, part: RegExp) => {
    const { status, body } = await world.api.post('/v1/campaigns', world.body(more))
    assert.equal(status, 400, JSON.stringify(body))
    assert.match(body.error.message, part)
  }

  it('an invalid campaign is rejected with 400 and a message that names the field', async () => {
    await refused({ name: ' ' }, /^name: /)
    await refused({ instanceIds: [] }, /^instanceIds: /)
    await refused({ message: { type: 'text' } }, /^message\.text: campo obrigatório$/)
    await refused(
      { message: { type: 'text', text: 'x', to: '5511' } },
      /campo desconhecido: message\.to/,
    )
    await refused({ message: { type: 'fax' } }, /^message\.type: /)
    await refused({ message: { type: 'poll', question: 'x', options: ['a', 'a'] } }, /opções/)
    await refused({ message: { type: 'image', media: {} } }, /media: /)
    await refused({ recipients: [{ variables: {} }] }, /^recipients\[0\]\.to: /)
    for (const scheduledAt of [
      'amanhã',
      '1',
      '0000-01-01T00:00:00Z',
      '+020000-01-01T00:00:00Z',
      '2127-02-30T00:00:00Z',
      '2127-02-01T00:00:00Z (hoje)',
      '2127-02-01T25:00:00Z',
      '2127-02-01',
      '2127-02-01T09:00:00',
      '2020-01-01T00:00:00Z',
    ]) {
      await refused({ scheduledAt }, /^scheduledAt: /)
    }
    await refused({ message: { text: '{{a}}'.repeat(51) } }, /50 variáveis/)
    await refused({ pacing: { minDelayMs: 10, maxDelayMs: 5 } }, /^pacing\.maxDelayMs: /)
    const window = { from: '09:00', to: '18:00' }
    await refused({ pacing: { window: { ...window, from: '25:00' } } }, /^pacing\.window\.from: /)
    await refused({ pacing: { window: { ...window, weekdays: [0] } } }, /^pacing\.window\.weekdays/)
    const nowhere = { ...window, timeZone: 'Lua/Cratera' }
    await refused({ pacing: { window: nowhere } }, /^pacing\.window\.timeZone: /)
    await refused({ other: 1 }, /campo desconhecido: other/)
  })

  it('a recipient whose rendered message would be too long is reported as invalid', async () => {
    const message = { type: 'poll', question: '{{name}}'.repeat(2), options: ['a', 'b'] }
    const recipients = [{ to: to(1), variables: { name: 'x'.repeat(900) } }]
    const { body } = await world.api.post('/v1/campaigns', world.body({ message, recipients }))
    assert.deepEqual(problemsOf(body.import), [[1, 'invalid']])
    assert.match(body.import.problems[0].message, /^message\.question: /)
  })

  it('a recipient whose other rendered fields would be too long is reported, whatever the text', async () => {
    const message = { type: 'text', text: 'Oi {{name}}', metadata: { pedido: 'P-{{obs}}' } }
    const variables = { name: 'Ana', obs: 'x'.repeat(999) }
    const recipients = [...people(1), { to: to(1), variables }].map((one) => ({
      ...one,
      variables: { obs: '1', ...one.variables },
    }))
    const { body } = await world.api.post('/v1/campaigns', world.body({ message, recipients }))
    assert.deepEqual([body.import.added, problemsOf(body.import)], [1, [[2, 'invalid']]])
  })

  it('a recipient for whom the message cannot be rendered is skipped, and the others get theirs', async () => {
    const message = { type: 'text', text: 'Oi {{name}} {{obs}}' }
    const recipients = people(3).map(({ to: number, variables }, index) => ({
      to: number,
      variables: { ...variables, obs: index === 1 ? 'x'.repeat(999) : '1' },
    }))
    const made = await world.draft({ message, recipients })
    const metadata = { pedido: 'P-{{obs}}', nome: '{{name}}' }
    // As imported by a version that checked only the text.
    await kit.db.system`
      update campaign set message = ${kit.db.sql.json({ ...message, metadata })} where id = ${made['id']}`
    assert.equal((await world.api.post(`${made.path}/start`)).status, 200)
    await kit.settle()
    const { status, counts } = await world.show(made.path)
    assert.deepEqual([status, counts.delivered, counts.skipped], ['COMPLETED', 2, 1])
    const skipped = (await world.results(made.path)).filter((one) => one.status === 'skipped')
    assert.deepEqual(
      skipped.map(({ reason }) => reason),
      ['INVALID_MESSAGE'],
    )
  })
})
