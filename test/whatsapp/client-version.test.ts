// The version that sessions present to WhatsApp, on the protocol server.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startWhatsAppApp, type OnWhatsApp, type WhatsAppApp } from '../kit/whatsapp-app.ts'

const NEXT_REVISION = 2_000_000_000

async function disconnectOf({ api, base }: OnWhatsApp) {
  return (await api.get(base)).body.disconnect
}

/** WhatsApp refuses the version of clients older than `oldest`, and the connection is lost. */
async function loseConnection(kit: WhatsAppApp, all: OnWhatsApp[], oldest: number): Promise<void> {
  kit.server.oldestRevision = oldest
  for (const one of all) {
    kit.server.endStream(one.own, '503')
    await kit.reach(one, 'DISCONNECTED')
  }
  await kit.app.jump(1000)
}

describe("the client's version", () => {
  it('sessions whose version WhatsApp rejects keep their credentials, try again, and adopt its current version after one lookup for all', async (t) => {
    const kit = await startWhatsAppApp()
    t.after(() => kit.close())
    const all = [await kit.connect(), await kit.connect(), await kit.connect()]
    const reads = kit.server.pageReads
    await loseConnection(kit, all, NEXT_REVISION)
    for (const one of all) {
      await kit.until(async () => (await disconnectOf(one)).reason === 'client_outdated', 'reason')
      assert.equal((await disconnectOf(one)).willReconnect, true)
    }
    assert.equal(kit.server.pageReads, reads)
    kit.server.webRevision = NEXT_REVISION
    await kit.app.jump(240_000)
    for (const one of all) await kit.reach(one, 'CONNECTED')
    assert.equal(kit.server.pageReads, reads + 1)
    for (const one of all) {
      const { api, base, ana } = one
      const { body } = await api.post(`${base}/messages`, { to: ana.phone, text: 'oi' })
      await kit.message(one, body.waMessageId, 'delivered')
    }
    const metrics = await kit.app.metrics()
    assert.match(metrics, new RegExp(`whatsapp_client_revision ${NEXT_REVISION}\\b`))
    const [, rejected] = /whatsapp_version_rejected_total (\d+)/.exec(metrics) ?? []
    assert.equal(Number(rejected), 6)
  })

  it('a rejected session reconnects at once if the last lookup is more than a minute old', async (t) => {
    const kit = await startWhatsAppApp()
    t.after(() => kit.close())
    const first = await kit.connect()
    await first.api.post(`${first.base}/disconnect`)
    await kit.app.jump(61_000)
    kit.server.webRevision = NEXT_REVISION
    kit.server.oldestRevision = NEXT_REVISION
    const reads = kit.server.pageReads
    await kit.connect()
    assert.equal(kit.server.pageReads, reads + 1)
  })

  it('an instance that is not paired yet says that the version was rejected, and can begin again', async (t) => {
    const kit = await startWhatsAppApp()
    t.after(() => kit.close())
    kit.server.oldestRevision = NEXT_REVISION
    const one = await kit.create()
    await one.api.get(`${one.base}/qr/poll`)
    await kit.until(async () => (await disconnectOf(one))?.reason === 'client_outdated', 'reason')
    assert.equal((await disconnectOf(one)).willReconnect, false)
    await kit.app.jump(300_000)
    kit.server.oldestRevision = 0
    const again = await one.api.post(`${one.base}/connect`)
    assert.ok(again.status < 300, again.text)
    assert.ok(await kit.codeOf(one))
  })

  it("a page that names no version leaves the engine's, and the log says so", async (t) => {
    const kit = await startWhatsAppApp()
    t.after(() => kit.close())
    kit.server.webRevision = Number.NaN
    await kit.connect()
    const said = () => kit.app.logs.some((line) => line.includes('looking up the client version'))
    await kit.until(said, 'the log')
  })
})

describe('a pinned version', () => {
  it('a session rejected with the pinned version stays disconnected and keeps its credentials', async (t) => {
    const kit = await startWhatsAppApp({ WHATSAPP_VERSION: '2.3000.1030000000' })
    t.after(() => kit.close())
    const one = await kit.connect()
    kit.server.webRevision = NEXT_REVISION
    await loseConnection(kit, [one], NEXT_REVISION)
    await kit.until(async () => (await disconnectOf(one)).reason === 'client_outdated', 'reason')
    assert.equal((await disconnectOf(one)).willReconnect, false)
    assert.equal(kit.server.pageReads, 0)
    const rows = await kit.app.db.system`
      select 1 from instance_credential where instance_id = ${one.id} and kind = 'device'`
    assert.equal(rows.length, 1)
  })
})
