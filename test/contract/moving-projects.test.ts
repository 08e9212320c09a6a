// What happens to a Project while `ops project move` works on it (G100). The move itself: test/process/move.test.ts.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setMovingProject, checksumTable } from '../../src/operations/move/move.sql.ts'
import { MOVED } from '../../src/operations/move/moved-tables.ts'
import { listTables } from '../../src/platform/db/backup.sql.ts'
import { campaignWorld, people } from '../kit/campaign.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const MINUTE = 60_000

/** Everything of a Project that may not change while it moves, as sums of its tables. */
const state = (projectId: string) =>
  kit.db.session(async (sql) => {
    await setMovingProject(sql, projectId)
    const tables = (await listTables(sql)).filter(({ name }) => name in MOVED)
    const sums = []
    for (const table of tables) sums.push(await checksumTable(sql, table, null, true))
    return sums
  })

const setMoving = (projectId: string, moving: boolean) =>
  kit.db.system`
    update project set moving_until = case when ${moving} then now() + interval '1 hour' end where id = ${projectId}`

describe('a Project that moves', () => {
  it('a Project that moves rejects every request with 503, does not change for ten minutes, and then resumes', async () => {
    const { api, draft, show, instance, ...project } = await campaignWorld(kit, {})
    const { projectId } = project
    const user = await kit.login(project)
    const receiver = await kit.receiver()
    receiver.answer = (response) => void response.writeHead(500).end()
    await api.post('/v1/webhooks', { name: 'loja', url: receiver.url })
    await api.post(`${instance.base}/messages`, { to: '5511987650001', text: 'antes' })
    const { path } = await draft({
      recipients: people(3),
      pacing: { minDelayMs: 8000, maxDelayMs: 9000 },
    })
    const soon = new Date(kit.clock.now() + MINUTE).toISOString()
    await api.post(`${instance.base}/scheduled-messages`, {
      sendAt: soon,
      message: { to: '5511987650001', text: 'agendada' },
    })
    await api.post(`${path}/start`)
    await kit.settle()
    const attempts = receiver.received.length
    assert.ok(attempts > 0)

    await setMoving(projectId, true)
    // Sessions are closed at the next poll.
    await kit.jump(2000)
    const before = await state(projectId)
    const heldUp = receiver.received.length
    for (let minute = 0; minute < 10; minute++) await kit.jump(MINUTE)
    assert.deepEqual(await state(projectId), before)
    assert.equal(receiver.received.length, heldUp)
    const [held] = await kit.db.system`select owner_node from instance where id = ${instance.id}`
    assert.equal(held?.['ownerNode'], null)
    const refused = [
      await api.get(instance.base),
      await api.post(`${instance.base}/messages`, { to: '5511987650001', text: 'durante' }),
      await user.get('/v1/keys'),
      await user.get('/panel/api/plan'),
    ]
    for (const { status, body, headers } of refused) {
      assert.deepEqual(
        [status, body.error.message, headers['retry-after']],
        [
          503,
          'o projeto está sendo transferido para outra instalação; tente de novo em alguns segundos',
          '5',
        ],
      )
    }

    receiver.answer = (response) => void response.writeHead(200).end()
    await setMoving(projectId, false)
    for (let minute = 0; minute < 10; minute++) await kit.jump(MINUTE)
    assert.equal((await show(path)).status, 'COMPLETED')
    const { body } = await api.get(`${instance.base}/messages`)
    const texts = body.items.map(({ text }: { text: string }) => text)
    assert.ok(texts.includes('agendada'), String(texts))
    assert.ok(receiver.received.length > heldUp)
  })
})
