import assert from 'node:assert/strict'
import type { Body } from './client.ts'
import type { TestApp } from './test-app.ts'

/** The nth phone number of a campaign; the last four digits select the simulator's behavior. */
export const to = (n: number, tail = '8888') => `55119${String(n).padStart(4, '0')}${tail}`
/** Recipients of a campaign, with distinct numbers and names. */
export const people = (count: number, tail?: string) =>
  Array.from({ length: count }, (_, n) => ({ to: to(n, tail), variables: { name: `Ana ${n}` } }))

/** Creates a Project with the campaign add-on, a connected instance and a key, and helpers for its campaigns. */
export async function campaignWorld(
  kit: TestApp,
  options: { credits?: number; mode?: 'test' | 'production' } = {},
) {
  const { credits = 1000, mode = 'production' } = options
  const project = await kit.project({ credits })
  const { projectId } = project
  const set = (action: string, settings: Parameters<typeof kit.operator.projects.set>[3]) =>
    kit.operator.projects.set(kit.db, projectId, action, settings)
  await set('addon.grant', { addons: ['mass_sending'] })
  const api = await kit.key(project, mode)
  const instance = await kit.pair(api)
  const message = { type: 'text', text: 'Oi {{name}}' }

  const body = (more: object = {}) => ({
    name: 'Novembro',
    instanceIds: [instance.id],
    message,
    ...more,
  })
  async function draft(more: object = {}): Promise<Body> {
    const { status, body: campaign } = await api.post('/v1/campaigns', body(more))
    assert.equal(status, 201, JSON.stringify(campaign))
    return { ...campaign, path: `/v1/campaigns/${campaign.id}` }
  }
  async function begin(more: object = {}): Promise<Body> {
    const made = await draft(more)
    const started = await api.post(`${made.path}/start`)
    assert.equal(started.status, 200, JSON.stringify(started.body))
    await kit.settle()
    return made
  }
  const show = async (path: string): Promise<Body> => (await api.get(path)).body
  const results = async (path: string, query = 'limit=200'): Promise<Body[]> =>
    (await api.get(`${path}/recipients?${query}`)).body.items
  /** Counts recipients by status from the list, independently of the stored counts. */
  async function recount(path: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const { status } of await results(path)) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }
  return { ...project, set, api, instance, body, draft, begin, show, results, recount, mode }
}
