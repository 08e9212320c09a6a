// Specification §4.6, 7.3; contract §2.4: campaigns, from the draft to each recipient's result.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const TEXT = { type: 'text', text: 'Oi {{name}}' }
const to = (n: number, tail = '8888') => `55119${String(n).padStart(4, '0')}${tail}`
const people = (count: number, tail?: string) =>
  Array.from({ length: count }, (_, n) => ({ to: to(n, tail), variables: { name: `Ana ${n}` } }))

async function world(
  options: { credits?: number; addon?: boolean; mode?: 'test' | 'production' } = {},
) {
  const { credits = 1000, addon = true, mode = 'production' } = options
  const project = await kit.project({ credits })
  const { projectId } = project
  if (addon) {
    await kit.operator.projects.set(kit.db, projectId, 'addon.grant', { addons: ['mass_sending'] })
  }
  const api = await kit.key(project, mode)
  const instance = await kit.pair(api)
  const draft = async (more: object = {}) => {
    const body = { name: 'Novembro', instanceIds: [instance.id], message: TEXT, ...more }
    const { status, body: campaign } = await api.post('/v1/campaigns', body)
    assert.equal(status, 201, JSON.stringify(campaign))
    return { ...campaign, path: `/v1/campaigns/${campaign.id}` }
  }
  const begin = async (more: object = {}) => {
    const made = await draft(more)
    const started = await api.post(`${made.path}/start`)
    assert.equal(started.status, 200, JSON.stringify(started.body))
    await kit.settle()
    return made
  }
  const show = async (path: string) => (await api.get(path)).body
  const results = async (path: string) =>
    (await api.get(`${path}/recipients?limit=200`)).body.items as Record<string, any>[]
  return { ...project, api, instance, draft, begin, show, results, mode }
}
const creditsOf = (projectId: string) => kit.operator.billing.credits(kit.db, projectId)

describe('a campaign', () => {
  it('is a draft until it is started, then sends to each recipient his own message, for a credit each', async () => {
    const { api, projectId, draft, show, results, instance } = await world({ credits: 10 })
    const { path, ...made } = await draft({ recipients: people(3) })
    assert.equal(made.status, 'DRAFT')
    assert.deepEqual(made.counts, {
      ...{
        total: 3,
        pending: 3,
        sent: 0,
        delivered: 0,
        read: 0,
        replied: 0,
        failed: 0,
        skipped: 0,
      },
    })
    assert.deepEqual([made.creditsEstimated, made.creditsUsed, made.pacing], [3, 0, null])
    assert.equal((await api.post(`${path}/start`)).body.status, 'RUNNING')
    await kit.settle()
    const done = await show(path)
    assert.equal(done.status, 'COMPLETED')
    assert.equal(done.counts.delivered, 3)
    assert.deepEqual([done.creditsEstimated, done.creditsUsed], [3, 3])
    assert.equal(await creditsOf(projectId), 7)
    const items = await results(path)
    assert.deepEqual(
      items.map(({ to: number, status, message }) => [number, status, message.text]),
      [0, 1, 2].map((n) => [to(n), 'delivered', `Oi Ana ${n}`]),
    )
    const [{ message }] = items as [any]
    assert.deepEqual(
      [message.origin, message.campaignId, message.instanceId],
      ['campaign', made.id, instance.id],
    )
    assert.deepEqual(
      (await api.get(`${instance.base}/messages/${message.id}`)).body.text,
      message.text,
    )
  })
})
