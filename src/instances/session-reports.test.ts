// What an instance becomes when its session reports a status at an unusual time.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startScripted } from '../../test/kit/scripted-network.ts'

let kit: Awaited<ReturnType<typeof startScripted>>
before(async () => {
  kit = await startScripted()
})
after(() => kit.app.close())

/** An instance that shows a pairing code. */
async function showCode() {
  const { api } = await kit.connect()
  const { body } = await api.post('/v1/instances', { name: 'Nova' })
  const base = `/v1/instances/${body.id}`
  await api.post(`${base}/connect`)
  await kit.app.settle()
  const at = kit.app.clock.now()
  const listener = kit.listenerOf(body.id)
  await listener.onCode({ code: '2@x', at, expiresAt: at + 60_000 })
  const show = async () => (await api.get(base)).body
  assert.equal((await show()).status, 'QR')
  return { api, base, listener, show }
}

describe('reports of a session', () => {
  it('a session that connects although its pairing was never stored brings the number and the time of pairing', async () => {
    const { listener, show } = await showCode()
    const identity = { phone: '5511970001234', lid: '77@lid', profileName: 'Loja', business: true }
    await listener.onStatus({ status: 'CONNECTED', identity })
    const { status, phone, profileName, pairedAt } = await show()
    assert.deepEqual([status, phone, profileName], ['CONNECTED', identity.phone, 'Loja'])
    assert.notEqual(pairedAt, null)
    kit.app.clock.jump(60_000)
    await listener.onStatus({ status: 'DISCONNECTED', reason: 'network', willReconnect: true })
    await listener.onStatus({ status: 'CONNECTED', identity: { ...identity, profileName: '' } })
    const later = await show()
    assert.deepEqual([later.profileName, later.pairedAt], ['Loja', pairedAt])
  })

  it('an instance whose session ends for good while it shows a code can be connected again', async () => {
    const { api, base, listener, show } = await showCode()
    const reason = 'client_outdated'
    await listener.onStatus({ status: 'DISCONNECTED', reason, willReconnect: false })
    const ended = await show()
    assert.deepEqual([ended.status, ended.disconnect.reason], ['DISCONNECTED', reason])
    assert.equal((await api.post(`${base}/connect`)).body.status, 'CONNECTING')
    await kit.app.settle()
    assert.notEqual(kit.listenerOf(ended.id), listener, 'a new session is open')
  })
})
