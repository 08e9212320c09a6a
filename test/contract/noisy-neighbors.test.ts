// What one company may do to excess, beside another that must not notice.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

// The clock stands still: what waits for a poll would wait forever.
describe('a company that does more than its share', () => {
  it('delays no delivery of another, with a request that records a thousand events for many webhooks', async () => {
    const [many, one] = [await kit.key(await kit.project()), await kit.key(await kit.project())]
    const [crowded, calm] = [await kit.pair(many), await kit.pair(one)]
    const [silent, prompt] = [await kit.receiver(), await kit.receiver()]
    silent.answer = () => {}
    const events = ['contact.updated']
    for (let count = 0; count < 25; count++)
      await many.post('/v1/webhooks', { name: `w${count}`, url: `${silent.url}/${count}`, events })
    await one.post('/v1/webhooks', { name: 'w', url: prompt.url, events })
    const rename = (api: typeof one, base: string, name: string, people: number) =>
      api.post(`${base}/contacts/import`, {
        contacts: Array.from({ length: people }, (_, index) => ({
          phone: `55119${10_000_000 + index}`,
          name,
        })),
      })
    await rename(one, calm.base, 'Ana', 1)
    await rename(many, crowded.base, 'Ana', 1000)
    assert.equal((await rename(many, crowded.base, 'Bia', 1000)).status, 200)
    assert.equal((await rename(one, calm.base, 'Bia', 1)).status, 200)
    await until(() => prompt.events('contact.updated').length === 1)
    assert.ok(silent.received.length < 25_000)
    const [row] = await kit.db.system<{ leased: number; waiting: number }[]>`
      select count(*) filter (where lease_node is not null)::int as leased, count(*)::int as waiting
      from delivery`
    assert.ok((row?.waiting ?? 0) >= 24_000, 'the events of the first were recorded, too')
    assert.ok((row?.leased ?? 0) < 5000, 'and most of them wait in the database')
  })
})
