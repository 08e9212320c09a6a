// A campaign survives a crash of its server.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openStorage } from '../../src/platform/db/storage.ts'
import { createOperator } from '../../src/operations/operator.ts'
import type { Body } from '../kit/client.ts'
import { startCompanyServer } from '../kit/company-server.ts'

const RECIPIENTS = 3000
/** Those recipients that are virtual phones, which can report what they received. */
const PHONES = 30
const KILLS = [100, 900, 2000]

describe('a server killed during a campaign', () => {
  it('a campaign continues at the exact recipient after kill -9: none is skipped, none gets two messages', async () => {
    await using server = await startCompanyServer({ PRODUCTION_NETWORK: 'simulator' })
    const { call, until, config } = server
    {
      await using storage = await openStorage(config, 'operator')
      const { projects } = createOperator(config, storage.database)
      const [project] = await projects.list(storage.database)
      const addons = { addons: ['mass_sending'] }
      await projects.set(storage.database, project?.id ?? '', 'addon.grant', addons)
    }
    const { id: instanceId } = await call('POST', '/v1/instances', { name: 'Loja' })
    const base = `/v1/instances/${instanceId}`
    const own = await call('POST', '/v1/simulator/phones', { name: 'Loja' })
    await until(async () => {
      const { code } = await call('GET', `${base}/qr/poll`)
      const scanned = await call('POST', `/v1/simulator/phones/${own.id}/scan`, { code })
      return scanned.id === own.id
    }, 'a code')
    await until(async () => (await call('GET', base)).status === 'CONNECTED', 'to connect')
    const phones: Body[] = []
    for (let n = 0; n < PHONES; n++) {
      phones.push(await call('POST', '/v1/simulator/phones', { name: `Ana ${n}` }))
    }

    const recipients = Array.from({ length: RECIPIENTS }, (_, n) => {
      const phone = n % (RECIPIENTS / PHONES) === 0 ? phones[n / (RECIPIENTS / PHONES)] : null
      return { to: phone?.phone ?? `5511${900_000_000 + n * 10 + 9}` }
    })
    const message = { text: 'Oi' }
    const made = await call('POST', '/v1/campaigns', {
      name: 'x',
      instanceIds: [instanceId],
      message,
      recipients,
    })
    assert.equal(made.import.added, RECIPIENTS)
    const path = `/v1/campaigns/${made.id}`
    await call('POST', `${path}/start`)
    const passed = async () => {
      const { counts } = await call('GET', path)
      return counts.total - counts.pending
    }
    for (const count of KILLS) {
      await until(async () => (await passed()) >= count, `${count} sent`)
      await server.kill()
    }
    await until(
      async () => (await call('GET', path)).counts.delivered === RECIPIENTS,
      'all of them delivered',
    )
    await until(async () => (await call('GET', path)).status === 'COMPLETED', 'the end')
    const pages = Array.from({ length: RECIPIENTS / 200 }, (_, page) => page * 200)
    const items = await Promise.all(
      pages.map((offset) => call('GET', `${path}/recipients?limit=200&offset=${offset}`)),
    )
    const sent = items.flatMap((page) => page.items as Body[])
    assert.deepEqual(
      sent.map(({ to }) => to),
      recipients.map(({ to }) => to),
    )
    assert.equal(new Set(sent.map((one) => one.message.waMessageId)).size, RECIPIENTS)
    const all = await Promise.all(
      pages.map((offset) => call('GET', `${base}/messages?limit=200&offset=${offset}`)),
    )
    assert.equal(all.flatMap((page) => page.items as Body[]).length, RECIPIENTS)
    assert.equal(all.at(-1)?.hasMore, false)
    for (const phone of phones) {
      const inbox = await call('GET', `/v1/simulator/phones/${phone.id}/inbox`)
      assert.equal(inbox.items.length, 1, phone.phone)
    }
    {
      await using storage = await openStorage(config, 'operator')
      const { billing } = createOperator(config, storage.database)
      assert.deepEqual([...(await billing.drift(storage.database))], [])
    }
  })
})
