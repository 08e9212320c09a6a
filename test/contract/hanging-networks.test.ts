// A network that does not respond for one company delays only that company.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import type { NetworkSession } from '../../src/networks/network.port.ts'
import { inboundMessage } from '../kit/inbound-message.ts'
import { startScripted, type Scripted } from '../kit/scripted-network.ts'

/** Resolves at the end of the tests, so that nothing hangs when the server stops. */
const over = Promise.withResolvers<void>()
const hang = async (): Promise<never> => {
  await over.promise
  throw new Error('the network did not respond')
}
/** Numbers of this area belong to the company whose network hangs. */
const HANGING = /^5521/
/** Files of one Project that are downloaded at once. */
const FILE_SHARE = 16
const FILE = { sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881' }

let kit: Awaited<ReturnType<typeof startScripted>>
let logoutHangs = false
/** Hanging calls in progress. */
let downloads = 0
let lookUps = 0
let groups = 0
let hanging: Scripted
let healthy: Scripted
/** More companies whose network hangs. */
const others: Scripted[] = []
/** Companies of one test each: what earlier tests left hanging may still hold the turns of theirs. */
let fetching: Scripted
let leaving: Scripted
before(async () => {
  const commands: Partial<NetworkSession> = {
    async lookUp({ phones }) {
      if (!phones.some((phone) => HANGING.test(phone)))
        return phones.map((input) => ({ input, exists: true, phone: input, lid: null }))
      lookUps++
      return hang()
    },
    async createGroup() {
      groups++
      return hang()
    },
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
  fetching = await kit.connect()
  leaving = await kit.connect()
  for (let count = 0; count < 3; count++) others.push(await kit.connect())
})
after(async () => {
  over.resolve()
  await kit.app.close()
})

const photo = (source: object) =>
  inboundMessage(kit.app.clock, {
    chatId: '5511980000001@s.whatsapp.net',
    sender: { phone: '5511980000001', lid: null, name: 'Ana' },
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
  })
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}
/** Lets the clock of the server run until the promises have settled. */
async function whileTimePasses<T>(work: Promise<T>, stepMs = 1000): Promise<T> {
  const ticking = setInterval(() => kit.app.clock.jump(stepMs), 5)
  try {
    return await work
  } finally {
    clearInterval(ticking)
  }
}

/** Starts a server on loopback that never responds. */
async function startServer(onRequest: () => void) {
  const server = createServer(onRequest).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

// The clock stands still: whatever waits for a deadline would wait forever.
describe('a network that hangs for one company', () => {
  it('a network that hangs for one company delays no lookup of a new number for another', async () => {
    const send = ({ api, base }: Scripted, to: string) =>
      api.post(`${base}/messages/text`, { to, text: 'x' })
    const stuck = Array.from({ length: 40 }, (_, index) =>
      send(hanging, `5521970${String(index).padStart(6, '0')}`),
    )
    await new Promise((resolve) => setImmediate(resolve))
    for (const to of ['5511970000001', '5511970000002'])
      assert.equal((await send(healthy, to)).status, 201)
    // The numbers are sent to as they were typed.
    for (const { status } of await whileTimePasses(Promise.all(stuck))) assert.equal(status, 201)
  })

  it('a network that hangs for one company delays no file that another receives', async () => {
    const all = hanging.listener.onMessages(
      Array.from({ length: 40 }, () => photo({ hangs: true })),
    )
    await until(() => downloads === FILE_SHARE)
    await healthy.listener.onMessages([photo({})])
    await whileTimePasses(all)
    // Every file has been asked for by now, and no more than the share of one Project has begun.
    assert.equal(downloads, FILE_SHARE)
  })

  it('a network that hangs for one company delays no request with an Idempotency-Key of another', async () => {
    const group = { subject: 'x', participants: ['5511988887778'] }
    const stuck = others.flatMap(({ api, base }) =>
      [1, 2, 3].map((key) => api.post(`${base}/groups`, group, { 'idempotency-key': `g${key}` })),
    )
    await until(() => groups === 9)
    const text = { to: '5511988887777', text: 'x' }
    const messages = `${healthy.base}/messages`
    const sent = await healthy.api.post(messages, text, { 'idempotency-key': 'a' })
    assert.equal(sent.status, 201)
    const numbers = { phones: ['5511970000009'] }
    const check = `${healthy.base}/contacts/check`
    const checked = await healthy.api.post(check, numbers, { 'idempotency-key': 'b' })
    assert.equal(checked.status, 200, JSON.stringify(checked.body))
    for (const answer of await whileTimePasses(Promise.all(stuck))) assert.ok(answer.status >= 400)
  })

  it('scheduled messages of a company whose network hangs hold no connection while they wait, and delay nothing', async () => {
    const sendAt = new Date(kit.app.clock.now() + 600_000).toISOString()
    const schedule = ({ api, base }: Scripted, to: string, text: string) =>
      api.post(`${base}/scheduled-messages`, { sendAt, message: { type: 'text', to, text } })
    const made = [hanging, ...others].flatMap((one, index) =>
      [1, 2, 3].map((count) => schedule(one, `55219600000${index}${count}`, 'x')),
    )
    // Slowly: those of one company take turns, for which they wait ten seconds at most.
    for (const { status } of await whileTimePasses(Promise.all(made), 100))
      assert.equal(status, 201)
    assert.equal((await schedule(healthy, '5511960000099', 'no horário')).status, 201)
    const { api, base } = healthy
    const isSent = async () =>
      (await api.get(`${base}/messages?q=${encodeURIComponent('no horário')}`)).body.items.length >
      0
    const sent = async () => {
      while (!(await isSent()));
    }
    await whileTimePasses(sent())
  })

  it('a scheduled message that waits for a hanging network delays none of another company that is due after it', async () => {
    const startAt = kit.app.clock.now()
    const schedule = ({ api, base }: Scripted, to: string, afterMs: number) =>
      api.post(`${base}/scheduled-messages`, {
        sendAt: new Date(startAt + afterMs).toISOString(),
        message: { type: 'text', to, text: 'logo depois' },
      })
    const waiting = schedule(hanging, '5521970009999', 60_000)
    assert.equal((await whileTimePasses(waiting, 100)).status, 201)
    assert.equal((await schedule(healthy, '5511960000098', 62_000)).status, 201)
    const { api, base } = healthy
    const isSent = async () => (await api.get(`${base}/messages?q=logo`)).body.items.length > 0
    const before = lookUps
    kit.app.clock.jump(startAt + 60_000 - kit.app.clock.now())
    await until(() => lookUps > before)
    // From here the clock stands still once the other one is due.
    kit.app.clock.jump(2000)
    while (!(await isSent()));
  })

  it('a campaign that waits for a hanging network delays none of another company that starts after it', async () => {
    const begin = async ({ api, id, project }: Scripted, to: string) => {
      const { projects } = kit.app.operator
      await projects.set(kit.app.db, project.projectId, 'addon.grant', {
        addons: ['mass_sending'],
      })
      const { body: campaign } = await api.post('/v1/campaigns', {
        name: 'Novembro',
        instanceIds: [id],
        message: { type: 'text', text: 'campanha' },
        recipients: [{ to }],
      })
      assert.equal((await api.post(`/v1/campaigns/${campaign.id}/start`)).status, 200)
    }
    const before = lookUps
    await begin(hanging, '5521970009998')
    await until(() => lookUps > before)
    // The clock stands still.
    await begin(healthy, '5511960000097')
    const { api, base } = healthy
    const isSent = async () => (await api.get(`${base}/messages?q=campanha`)).body.items.length > 0
    while (!(await isSent()));
  })

  it('a company whose file URLs hang delays no file that another company stores for later', async () => {
    const sendAt = new Date(kit.app.clock.now() + 600_000).toISOString()
    const schedule = ({ api, base }: Scripted, media: object) =>
      api.post(`${base}/scheduled-messages`, {
        sendAt,
        message: { type: 'document', to: '5511960000098', media: { fileName: 'a.txt', ...media } },
      })
    let requests = 0
    await using server = await startServer(() => void requests++)
    const stuck = Array.from({ length: 8 }, (_, count) =>
      schedule(fetching, { url: `${server.url}/${count}` }),
    )
    await until(() => requests === 2)
    const file = { base64: Buffer.from('x').toString('base64'), mimeType: 'text/plain' }
    assert.equal((await schedule(healthy, file)).status, 201)
    assert.equal(requests, 2, 'no request of the other company had to end before')
    for (const answer of await whileTimePasses(Promise.all(stuck))) assert.ok(answer.status >= 400)
  })

  it('a network that hangs for one company delays no session that another opens, while it logs out', async () => {
    logoutHangs = true
    assert.equal((await leaving.api.delete(leaving.base)).status, 204)
    const { body } = await healthy.api.post('/v1/instances', { name: 'Nova' })
    await healthy.api.post(`/v1/instances/${body.id}/connect`)
    const isOpen = () => {
      try {
        return Boolean(kit.listenerOf(body.id))
      } catch {
        return false
      }
    }
    await until(isOpen)
    kit.app.clock.jump(11_000)
  })
})
