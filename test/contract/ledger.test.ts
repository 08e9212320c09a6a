// Credit ledger: every credit movement is recorded permanently in the transaction that causes it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())
const drift = async () => [...(await kit.operator.billing.drift(kit.db))]
type Entry = { cause: string; amount: number; reference: string }
const ledgerEntries = (projectId: string) =>
  kit.db.system<Entry[]>`
    select cause, amount, reference from ledger where project_id = ${projectId} order by id`

async function productionSender(credits: number) {
  const project = await kit.project({ credits })
  const api = await kit.key(project, 'production')
  const { base } = await kit.pair(api)
  const send = (to: string) => api.post(`${base}/messages`, { to, text: 'x' })
  return { ...project, api, base, send }
}
const ANA = '5511988887777'
const UNREGISTERED = '5511988880003'

describe('the ledger', () => {
  it('the ledger records grants, sends and refunds, each with a reference to its cause', async () => {
    const { projectId, api, base, send } = await productionSender(10)
    const sent = await send(ANA)
    await kit.settle()
    const failed = await send(UNREGISTERED)
    await kit.settle()
    const delayed = await api.post(`${base}/messages`, { to: ANA, text: 'x', delayMs: 60_000 })
    await api.delete(`${base}/messages/${delayed.body.id}`)
    const [grant, ...others] = await ledgerEntries(projectId)
    assert.deepEqual([grant?.cause, grant?.amount], ['grant', 10])
    assert.match(grant?.reference ?? '', /^grt_/)
    assert.deepEqual(
      others.map(({ cause, amount, reference }) => [cause, amount, reference]),
      [
        ['send', -1, sent.body.id],
        ['send', -1, failed.body.id],
        ['refund', 1, failed.body.id],
        ['send', -1, delayed.body.id],
        ['refund', 1, delayed.body.id],
      ],
    )
    assert.equal(await kit.operator.billing.credits(kit.db, projectId), 9)
    assert.deepEqual(await drift(), [])
  })

  it('the ledger records nothing for test mode sends or rejected sends', async () => {
    const project = await kit.project({ credits: 5 })
    const test = await kit.key(project)
    const { base } = await kit.pair(test)
    await test.post(`${base}/messages`, { to: ANA, text: 'x' })
    await test.post(`${base}/messages`, { to: 'x', text: 'x' })
    assert.deepEqual(
      (await ledgerEntries(project.projectId)).map(({ cause }) => cause),
      ['grant'],
    )
    const { projectId, send } = await productionSender(1)
    const statuses = [await send('x'), await send(ANA), await send(ANA)].map(({ status }) => status)
    assert.deepEqual(statuses, [400, 201, 402])
    assert.deepEqual(
      (await ledgerEntries(projectId)).map(({ cause }) => cause),
      ['grant', 'send'],
    )
  })

  it('the ledger rejects updates, deletes, truncation and a second refund of the same message', async () => {
    const { projectId } = await productionSender(3)
    for (const statement of [
      kit.db.system`update ledger set amount = 100 where project_id = ${projectId}`,
      kit.db.system`delete from ledger where project_id = ${projectId}`,
      kit.db.system`truncate ledger`,
    ]) {
      await assert.rejects(statement, /append-only/)
    }
    await assert.rejects(
      kit.operator.billing.refund(kit.db, [
        { projectId, messageId: 'msg_x', amount: 1 },
        { projectId, messageId: 'msg_x', amount: 1 },
      ]),
    )
    assert.deepEqual(await drift(), [])
  })

  it('the ledger matches the balance, which never goes negative, after 64 or more concurrent sends, failures and grants', async () => {
    const { projectId, send } = await productionSender(1)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('send', 'fail', 'grant' as const), {
          minLength: 64,
          maxLength: 90,
        }),
        async (steps) => {
          const before = await kit.operator.billing.credits(kit.db, projectId)
          const answers = await Promise.all(
            steps.map(async (step) => {
              if (step === 'grant') return kit.operator.billing.grant(kit.db, projectId, 1)
              return (await send(step === 'send' ? ANA : UNREGISTERED)).status
            }),
          )
          await kit.settle()
          const taken = answers.filter((status, n) => steps[n] === 'send' && status === 201).length
          const granted = steps.filter((step) => step === 'grant').length
          const now = await kit.operator.billing.credits(kit.db, projectId)
          assert.equal(now, before + granted - taken)
          assert.ok(now >= 0)
          assert.deepEqual(await drift(), [])
        },
      ),
      { numRuns: 6 },
    )
  })
})
