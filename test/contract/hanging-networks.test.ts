// A network that does not respond for one company: what it delays is that company's own.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import type { InboundMessage } from '../../src/networks/network-events.port.ts'
import type { NetworkSession } from '../../src/networks/network.port.ts'
import { startScripted, type Scripted } from '../kit/scripted-network.ts'

/** Resolves at the end of the tests, so that nothing hangs when the server stops. */
const over = Promise.withResolvers<void>()
const hang = async (): Promise<never> => {
  await over.promise
  throw new Error('the network did not respond')
}
/** Numbers of this area belong to the company whose network hangs. */
const HANGING = /^5521/
const FILE = { sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881' }

let kit: Awaited<ReturnType<typeof startScripted>>
let logoutHangs = false
let downloads = 0
let hanging: Scripted
let healthy: Scripted
/** More companies whose network hangs. */
const others: Scripted[] = []
before(async () => {
  const commands: Partial<NetworkSession> = {
    lookUp: async ({ phones }) =>
      phones.some((phone) => HANGING.test(phone))
        ? hang()
        : phones.map((input) => ({ input, exists: true, phone: input, lid: null })),
    createGroup: hang,
    logout: async () => (logoutHangs ? hang() : true),
    async download(source) {
      if (!('hangs' in source)) return Readable.from([Buffer.from('x')])
      downloads++
      return hang()
    },
  }
  kit = await startScripted({}, commands)
  hanging = await kit.connect()
  healthy = await kit.connect()
  for (let count = 0; count < 3; count++) others.push(await kit.connect())
})
after(async () => {
  over.resolve()
  await kit.app.close()
})

let made = 0
const photo = (source: object): InboundMessage => ({
  waMessageId: `3A${++made}`,
  chatId: '5511980000001@s.whatsapp.net',
  chatType: 'direct',
  chatName: null,
  sender: { phone: '5511980000001', lid: null, name: 'Ana' },
  fromMe: false,
  type: 'image',
  content: { type: 'image', caption: null, viewOnce: false },
  media: {
    mimeType: 'image/jpeg',
    fileName: null,
    sizeBytes: 1,
    ...FILE,
    durationSeconds: null,
    width: null,
    height: null,
    source,
  },
  quoted: null,
  mentions: [],
  alreadyCounted: false,
  at: kit.app.clock.now(),
})

// The clock stands still: whatever waits for a deadline would wait forever.
describe('a network that hangs for one company', () => {
  it('delays no lookup of a new number for another', async () => {
    const send = ({ api, base }: Scripted, to: string) =>
      api.post(`${base}/messages/text`, { to, text: 'x' })
    const stuck = Array.from({ length: 40 }, (_, index) =>
      send(hanging, `5521970${String(index).padStart(6, '0')}`),
    )
    await new Promise((resolve) => setImmediate(resolve))
    for (const to of ['5511970000001', '5511970000002'])
      assert.equal((await send(healthy, to)).status, 201)
    // The numbers are sent to as they were typed.
    const jumping = setInterval(() => kit.app.clock.jump(1000), 5)
    for (const { status } of await Promise.all(stuck)) assert.equal(status, 201)
    clearInterval(jumping)
  })

  it('delays no file that another receives', async () => {
    const all = hanging.listener.onMessages(
      Array.from({ length: 40 }, () => photo({ hangs: true })),
    )
    // As many as may at once have begun when no more begin.
    for (let before = -1; downloads === 0 || before < downloads;) {
      before = downloads
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await healthy.listener.onMessages([photo({})])
    kit.app.clock.jump(6000)
    await all
  })

  it('delays no request with an Idempotency-Key of another', async () => {
    const group = { subject: 'x', participants: ['5511988887778'] }
    const stuck = others.flatMap(({ api, base }) =>
      [1, 2, 3].map((key) => api.post(`${base}/groups`, group, { 'idempotency-key': `g${key}` })),
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    const text = { to: '5511988887777', text: 'x' }
    const { status } = await healthy.api.post(`${healthy.base}/messages`, text, {
      'idempotency-key': 'a',
    })
    assert.equal(status, 201)
    const jumping = setInterval(() => kit.app.clock.jump(5000), 5)
    for (const answer of await Promise.all(stuck)) assert.ok(answer.status >= 400)
    clearInterval(jumping)
  })

  it('delays nothing while its scheduled messages are due, which hold no connection while they wait', async () => {
    const sendAt = new Date(kit.app.clock.now() + 600_000).toISOString()
    const schedule = ({ api, base }: Scripted, to: string, text: string) =>
      api.post(`${base}/scheduled-messages`, { sendAt, message: { type: 'text', to, text } })
    const made = [hanging, ...others].flatMap((one, index) =>
      [1, 2, 3].map((count) => schedule(one, `55219600000${index}${count}`, 'x')),
    )
    const jumping = setInterval(() => kit.app.clock.jump(1000), 5)
    for (const { status } of await Promise.all(made)) assert.equal(status, 201)
    clearInterval(jumping)
    assert.equal((await schedule(healthy, '5511960000099', 'no horário')).status, 201)
    const { api, base } = healthy
    const isSent = async () =>
      (await api.get(`${base}/messages?q=${encodeURIComponent('no horário')}`)).body.items.length >
      0
    for (let turn = 0; turn < 200 && !(await isSent()); turn++) {
      kit.app.clock.jump(5000)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    assert.ok(await isSent())
  })

  it('delays no session that another opens, while it logs out', async () => {
    logoutHangs = true
    assert.equal((await hanging.api.delete(hanging.base)).status, 204)
    const { body } = await healthy.api.post('/v1/instances', { name: 'Nova' })
    await healthy.api.post(`/v1/instances/${body.id}/connect`)
    const isOpen = () => {
      try {
        return Boolean(kit.listenerOf(body.id))
      } catch {
        return false
      }
    }
    while (!isOpen()) await new Promise((resolve) => setTimeout(resolve, 5))
    kit.app.clock.jump(11_000)
  })
})
