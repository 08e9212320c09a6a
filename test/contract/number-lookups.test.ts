// Lookups of numbers, which use an account's own session: only for callers who may use it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startScripted, type Scripted } from '../kit/scripted-network.ts'

const looked: string[] = []
let kit: Awaited<ReturnType<typeof startScripted>>
before(async () => {
  kit = await startScripted(
    {},
    {
      async lookUp({ phones }) {
        looked.push(...phones)
        return phones.map((input) => ({ input, exists: true, phone: input, lid: null }))
      },
    },
  )
})
after(() => kit.app.close())

let made = 0
const number = () => `5521${970_000_000 + ++made}`
const send = (api: Scripted['api'], base: string, to: string, key?: string) =>
  api.post(
    `${base}/messages`,
    { to, text: 'oi' },
    key === undefined ? {} : { 'idempotency-key': key },
  )
const storedFor = async (phone: string) =>
  kit.app.db.system<{ projectId: string }[]>`
    select project_id from number_check where input = ${phone}`

describe('lookups of numbers', () => {
  it('a revoked key, and a key of another Project, look up no number, with and without Idempotency-Key', async () => {
    const [own, other] = [await kit.connect(), await kit.connect()]
    const user = await kit.app.login(own.project, 'production')
    const { body } = await user.post('/v1/keys', { name: 'revogada' })
    const revoked = kit.app.client('production', body.key)
    assert.equal((await user.delete(`/v1/keys/${body.id}`)).status, 204)
    for (const [api, status] of [
      [revoked, 401],
      [other.api, 404],
    ] as const) {
      for (const key of [undefined, `k${made}`]) {
        const to = number()
        assert.equal((await send(api, own.base, to, key)).status, status)
        await kit.app.settle()
        assert.ok(!looked.includes(to), `${status}: ${to} was looked up`)
        assert.deepEqual([...(await storedFor(to))], [])
      }
    }
    const to = number()
    assert.equal((await send(own.api, own.base, to)).status, 201)
    assert.ok(looked.includes(to))
  })

  it('numbers that two Projects look up at once are stored for the Project that asked', async () => {
    const [own, other] = [await kit.connect(), await kit.connect()]
    const mine = Array.from({ length: 8 }, number)
    const theirs = Array.from({ length: 8 }, number)
    await Promise.all(
      mine.flatMap((to, index) => [
        send(other.api, own.base, theirs[index] ?? '').then(({ status }) =>
          assert.equal(status, 404),
        ),
        send(own.api, own.base, to).then(({ status }) => assert.equal(status, 201)),
      ]),
    )
    for (const to of theirs) assert.deepEqual([...(await storedFor(to))], [])
    for (const to of mine)
      assert.deepEqual(
        (await storedFor(to)).map(({ projectId }) => projectId),
        [own.project.projectId],
      )
  })
})
