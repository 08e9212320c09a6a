// The API, events and instance states of the full product on WhatsApp, on the protocol server.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { proto } from 'baileys'
import { readCredits } from '../../src/company/billing/billing.sql.ts'
import { image } from '../kit/files.ts'
import { startHttpProxy, startSocksProxy } from '../kit/proxies.ts'
import { mute, outOfOrder, spoiltOnce, twice } from '../kit/whatsapp-server/faults.ts'
import { startWhatsAppApp, type OnWhatsApp, type WhatsAppApp } from '../kit/whatsapp-app.ts'

let kit: WhatsAppApp
before(async () => {
  kit = await startWhatsAppApp()
})
after(() => kit.close())

const send = async ({ api, base, ana }: OnWhatsApp, text = 'oi') => {
  const { status, body } = await api.post(`${base}/messages/text`, { to: ana.phone, text })
  assert.equal(status, 201)
  return body.waMessageId as string
}
const show = async ({ api, base }: OnWhatsApp) => (await api.get(base)).body

describe('an instance on WhatsApp', () => {
  it('an instance is paired by QR, sends, receives, and emits events to its webhook', async () => {
    const one = await kit.connect()
    const { ana, own } = one
    const { phone, profileName, status } = await show(one)
    assert.deepEqual([phone, status], [own.phone, 'CONNECTED'])
    assert.equal(typeof profileName, 'string')
    const id = await send(one, 'Olá *Ana*')
    await kit.message(one, id, 'delivered')
    assert.equal(ana.inbox[0]?.message.extendedTextMessage?.text, 'Olá *Ana*')
    kit.server.messages.read(ana, own, [id])
    await kit.message(one, id, 'read')
    const statuses = await kit.until(() => {
      const told = kit.told(one, 'message.status')
      return told.length === 2 ? told : null
    }, 'both status events')
    assert.deepEqual(
      statuses.map((told) => [told.status, told.waMessageIds, told.party.phone]),
      [
        ['delivered', [id], ana.phone],
        ['read', [id], ana.phone],
      ],
    )
    await kit.server.messages.write(ana, own, { conversation: 'tudo bem?' })
    const [received] = await kit.until(() => {
      const told = kit.told(one, 'message.received')
      return told.length === 1 ? told : null
    }, 'the message')
    assert.equal(received?.message.text, 'tudo bem?')
    assert.deepEqual(received?.message.from, { phone: ana.phone, lid: ana.lidJid, name: 'Ana' })
    assert.deepEqual(
      kit.told(one, 'instance.status').map((told) => told.status),
      ['CONNECTED'],
    )
  })

  it('an instance is paired by a code that is typed on the phone', async () => {
    const one = await kit.create()
    await kit.codeOf(one)
    const { own, api, base } = one
    const { status, body } = await api.post(`${base}/pairing-code`, { phone: own.phone })
    assert.equal(status, 201)
    await kit.until(() => kit.server.pairing.asked(own), 'the pairing request')
    assert.match(body.code, /^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    await kit.server.pairing.type(own, body.code)
    await kit.reach(one, 'CONNECTED')
    assert.equal((await show(one)).phone, own.phone)
  })

  it('an instance that needs a passkey reports it and explains what to do', async () => {
    const one = await kit.create()
    kit.server.pairing.demandPasskey(await kit.codeOf(one))
    await kit.reach(one, 'PASSKEY_REQUIRED')
    const { disconnect } = await show(one)
    assert.match(disconnect.message, /chave de acesso \(passkey\).*conecte outro número/)
    assert.equal(disconnect.willReconnect, false)
    const [told] = await kit.until(() => kit.told(one, 'instance.status'), 'the event')
    assert.equal(told?.status, 'PASSKEY_REQUIRED')
    // Another attempt gets a new code.
    await one.api.post(`${one.base}/connect`)
    assert.ok(await kit.codeOf(one))
  })

  it('files are sent and received with unchanged hashes', async () => {
    const one = await kit.connect()
    const { api, base, ana, own } = one
    const bytes = await image('png', 40, 30)
    const media = { base64: bytes.toString('base64') }
    const body = { to: ana.phone, type: 'image', media, caption: 'foto' }
    const sent = await api.post(`${base}/messages/media`, body)
    await kit.message(one, sent.body.waMessageId, 'delivered')
    const message = ana.inbox[0]?.message ?? {}
    const { imageMessage } = message
    const sha256 = (part: Uint8Array | null | undefined) => Buffer.from(part ?? []).toString('hex')
    assert.equal(sha256(imageMessage?.fileSha256), sent.body.media.sha256)
    // Ana sends back unchanged what she received.
    await kit.server.messages.write(ana, own, message)
    const [told] = await kit.until(() => {
      const all = kit.told(one, 'message.received')
      return all.length === 1 ? all : null
    }, 'the message with the file')
    const received = await kit.until(async () => {
      const answer = await api.get(`${base}/messages/${told?.waMessageId}`)
      return answer.body.media.status === 'available' && answer.body
    }, 'the file to be available')
    const back = await api.download(`${base}/messages/${received.id}/media`)
    assert.equal(createHash('sha256').update(back.bytes).digest('hex'), sent.body.media.sha256)
    assert.equal(received.text, 'foto')
  })
})

describe('a link in a text', () => {
  it('a link has a preview of its page, unless disabled or its address is forbidden', async () => {
    const one = await kit.connect()
    const { api, base, ana } = one
    const page = await kit.app.receiver()
    page.answer = (response, { path }) => {
      if (path === '/velha') return void response.writeHead(302, { location: '/loja' }).end()
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end(
        '<head><title>x</title><meta property="og:title" content="P&atilde;o &amp; Caf&#233;">' +
          '<meta name="description" content="Desde 1950"></head>',
      )
    }
    const link = `${page.url}/velha`
    const sends = [
      { text: `Veja ${link}.` },
      { text: `Sem ${link}`, linkPreview: false },
      { text: 'Veja http://10.0.0.1/x' },
    ]
    for (const body of sends) {
      const sent = await api.post(`${base}/messages/text`, { to: ana.phone, ...body })
      await kit.message(one, sent.body.waMessageId, 'delivered')
    }
    const shown = ana.inbox.map(({ message: { extendedTextMessage: text } }) => [
      text?.matchedText,
      text?.title,
      text?.description,
    ])
    assert.deepEqual(shown, [
      [link, 'Pão & Café', 'Desde 1950'],
      [null, null, null],
      [null, null, null],
    ])
  })
})

describe('failed sends', () => {
  it('a send to a number that is not on WhatsApp fails and is refunded', async () => {
    const one = await kit.connect()
    const { api, base, project } = one
    const credits = () => readCredits(kit.app.db, project.projectId)
    const before = await credits()
    const { body } = await api.post(`${base}/messages/text`, { to: '5511900009999', text: 'oi' })
    const failed = await kit.message(one, body.waMessageId, 'failed')
    assert.equal(failed.error.code, 'NUMBER_NOT_ON_NETWORK')
    assert.equal(await credits(), before)
  })

  it('a send that WhatsApp restricts fails, and the instance shows the restriction', async () => {
    const one = await kit.connect()
    const { faults } = kit.server
    const until = kit.app.clock.now() + 3_600_000
    faults.refuse = () => '463'
    faults.timeLock = until / 1000
    const [first, second] = [await send(one), await send(one)]
    assert.equal((await kit.message(one, first, 'failed')).error.code, 'RESTRICTED')
    await kit.message(one, second, 'failed')
    const restriction = { type: 'new_chats', until: new Date(until).toISOString() }
    await kit.until(async () => (await show(one)).restriction, 'the restriction')
    faults.refuse = () => null
    faults.timeLock = null
    assert.deepEqual((await show(one)).restriction, restriction)
    const events = () =>
      kit.told(one, 'instance.status').filter((told) => told.status === told.previousStatus)
    await kit.until(() => events().length === 1, 'the event of the restriction')
    await kit.app.jump(3_600_000)
    await kit.until(async () => (await show(one)).restriction === null, 'the end of it')
    await kit.until(() => events().length === 2, 'the event of its end')
  })

  it('a send rejected as malformed restricts the instance until one is accepted', async () => {
    const one = await kit.connect()
    kit.server.faults.refuse = () => '479'
    assert.equal((await kit.message(one, await send(one), 'failed')).error.code, 'RESTRICTED')
    kit.server.faults.refuse = () => null
    await kit.until(async () => (await show(one)).restriction, 'the restriction')
    assert.deepEqual((await show(one)).restriction, { type: 'sending', until: null })
    await kit.message(one, await send(one), 'delivered')
    await kit.until(async () => (await show(one)).restriction === null, 'the end of it')
  })
})

describe('an account whose login WhatsApp rejects', () => {
  it('a temporarily banned account reconnects after the ban with its credentials', async () => {
    const one = await kit.connect()
    kit.server.faults.refuseLogin = { reason: '402', expire: '3600' }
    kit.server.endStream(one.own, '503')
    await kit.reach(one, 'DISCONNECTED')
    const from = kit.app.clock.now()
    await kit.app.jump(1000)
    await kit.reach(one, 'BANNED')
    kit.server.faults.refuseLogin = null
    const { restriction, disconnect } = await show(one)
    assert.equal(restriction.type, 'ban')
    const until = Date.parse(restriction.until)
    assert.ok(until >= from + 3_600_000 && until <= from + 3_601_000)
    assert.equal(disconnect.reason, 'banned')
    await kit.app.jump(3_601_000)
    await kit.reach(one, 'CONNECTED')
    assert.equal((await show(one)).restriction, null)
    await kit.message(one, await send(one), 'delivered')
  })
})

describe('the proxy of an instance', () => {
  for (const [name, start] of [
    ['http', startHttpProxy],
    ['socks5', startSocksProxy],
  ] as const) {
    it(`all traffic of an instance uses its ${name} proxy, and none bypasses it`, async () => {
      const proxy = await start()
      const one = await kit.connect({ proxyUrl: proxy.url })
      const { api, base, ana, id } = one
      const media = { base64: (await image('png', 20, 20)).toString('base64') }
      const sent = await api.post(`${base}/messages/media`, { to: ana.phone, type: 'image', media })
      await kit.message(one, sent.body.waMessageId, 'delivered')
      const { host } = new URL(kit.server.url)
      assert.ok(proxy.targets.includes(host), 'the connection')
      assert.ok(proxy.targets.includes(kit.server.media.hostname), 'the file')
      const lines = () => kit.server.linesOf(one.own)
      assert.equal(lines(), 1)
      proxy.close()
      await kit.reach(one, 'DISCONNECTED')
      for (let turn = 0; turn < 5; turn++) await kit.app.jump(60_000)
      assert.equal(lines(), 0)
      assert.equal(await kit.statusOf(one), 'DISCONNECTED')
      // With another proxy it reconnects.
      const next = await start()
      await api.patch(`/v1/instances/${id}`, { settings: { proxyUrl: next.url } })
      await kit.app.jump(2000)
      await kit.reach(one, 'CONNECTED')
      assert.ok(next.targets.includes(host))
      await api.delete(base)
      await kit.app.settle()
      next.close()
    })
  }
})

describe('a connection to WhatsApp', () => {
  it('a connection on which no frames arrive is closed and replaced', async () => {
    const one = await kit.connect()
    kit.server.faults.onTheWay = mute(one.own)
    // The engine's pending queries get no response: `settle` would not resolve before the timeout.
    kit.app.clock.jump(45_000)
    await kit.reach(one, 'DISCONNECTED')
    kit.server.faults.onTheWay = (node) => [node]
    await kit.app.jump(1000)
    await kit.reach(one, 'CONNECTED')
  })

  it('a closed connection fails its pending queries', { timeout: 10_000 }, async () => {
    const one = await kit.connect()
    await kit.app.settle()
    const { promise: swallowed, resolve: swallow } = Promise.withResolvers<void>()
    kit.server.faults.onTheWay = (node, to) => {
      if (to !== one.own || node.tag !== 'iq') return [node]
      swallow()
      return []
    }
    const checked = one.api.post(`${one.base}/contacts/check`, { phones: [one.ana.phone] })
    await swallowed
    kit.server.endStream(one.own, '503')
    const { status } = await checked
    kit.server.faults.onTheWay = (node) => [node]
    assert.equal(status, 503)
  })

  it('a replaced instance reconnects once, and then stays disconnected', async () => {
    const one = await kit.connect()
    kit.server.endStream(one.own, '440')
    await kit.reach(one, 'DISCONNECTED')
    const { reason, willReconnect } = (await show(one)).disconnect
    assert.deepEqual([reason, willReconnect], ['replaced', true])
    await kit.app.jump(30_000)
    await kit.reach(one, 'CONNECTED')
    kit.server.endStream(one.own, '440')
    await kit.reach(one, 'DISCONNECTED')
    assert.equal((await show(one)).disconnect.willReconnect, false)
    await kit.app.jump(120_000)
    assert.equal(await kit.statusOf(one), 'DISCONNECTED')
    // The user reconnects it.
    await one.api.post(`${one.base}/connect`)
    await kit.reach(one, 'CONNECTED')
  })

  it('a connection on which every frame is delayed stays connected', async () => {
    const one = await kit.connect()
    kit.server.faults.delayMs = 40
    const id = await send(one)
    await kit.server.messages.write(one.ana, one.own, { conversation: 'oi' })
    await kit.message(one, id, 'delivered')
    await kit.until(() => kit.told(one, 'message.received').length === 1, 'the message')
    kit.server.faults.delayMs = 0
    assert.equal(await kit.statusOf(one), 'CONNECTED')
  })

  for (const [name, fault] of [
    ['twice', () => twice],
    ['out of order', () => outOfOrder(3)],
    ['corrupted at first', spoiltOnce],
  ] as const) {
    it(`each message that arrives ${name} is reported exactly once`, async () => {
      const one = await kit.connect()
      const { own, ana } = one
      kit.server.faults.onTheWay = fault()
      const said = Array.from({ length: 6 }, (_, n) => `mensagem ${n}`)
      for (const conversation of said) await kit.server.messages.write(ana, own, { conversation })
      const told = () =>
        kit.told(one, 'message.received').map(({ message }) => String(message.text))
      await kit.until(() => told().length >= said.length, 'all messages')
      await kit.until(() => kit.server.waiting() === 0, 'quiet')
      kit.server.faults.onTheWay = (node) => [node]
      await kit.app.settle()
      assert.deepEqual(told().toSorted(), said)
    })
  }
})

describe('changes on WhatsApp', () => {
  it('labels and contacts of the phone are reported, and labels of the API reach it', async () => {
    const one = await kit.connect({}, true)
    const { api, base, own, ana } = one
    const { appState, messages } = kit.server
    await messages.write(ana, own, { conversation: 'oi' })
    const label = (id: string, name: string, deleted = false) => ({
      collection: 'regular' as const,
      version: 3,
      index: ['label_edit', id],
      action: {
        labelEditAction: {
          name,
          color: 5,
          deleted,
        },
      },
    })
    await appState.change(own, label('3', 'Pago'))
    await appState.change(own, {
      collection: 'regular',
      version: 3,
      index: ['label_jid', '3', ana.jid],
      action: { labelAssociationAction: { labeled: true } },
    })
    await appState.change(own, {
      collection: 'critical_unblock_low',
      version: 2,
      index: ['contact', ana.jid],
      action: {
        contactAction: {
          fullName: 'Ana da Padaria',
          lidJid: ana.lidJid,
        },
      },
    })
    const [association] = await kit.until(() => {
      const told = kit.told(one, 'label.association')
      return told.length === 1 ? told : null
    }, 'the association')
    const [edited] = kit.told(one, 'label.updated')
    assert.deepEqual(
      [edited?.action, edited?.label.name, edited?.label.color],
      ['created', 'Pago', '#55ccb3'],
    )
    assert.deepEqual([association?.action, association?.chat.id], ['added', ana.jid])
    const [contact] = await kit.until(() => {
      const told = kit.told(one, 'contact.updated')
      return told.length === 1 ? told : null
    }, 'the name')
    assert.deepEqual(contact?.changes.name, { from: 'Ana', to: 'Ana da Padaria' })
    const made = await api.post(`${base}/labels`, { name: 'Novo', color: '#00a0f0' })
    assert.equal(made.status, 201)
    // WhatsApp has twenty colors: the nearest is used.
    assert.equal(made.body.color, '#00a0f2')
    const [conversation] = (await api.get(`${base}/conversations`)).body.items
    const on = `${base}/labels/${made.body.id}/conversations/${conversation.id}`
    assert.equal((await api.put(on)).status, 204)
    assert.equal((await api.delete(on)).status, 204)
    assert.equal((await api.delete(`${base}/labels/${made.body.id}`)).status, 204)
    const [saved, ...changes] = appState.changes.filter(({ person }) => person === own)
    const id = saved?.index[1]
    assert.equal(saved?.action.labelEditAction?.name, 'Novo')
    const gone = changes.pop()
    assert.deepEqual(
      changes.map(({ index, action }) => [index, action.labelAssociationAction?.labeled]),
      [true, false].flatMap((on) => [
        [['label_jid', id, ana.jid], on],
        [['label_jid', id, ana.lidJid], on],
      ]),
    )
    assert.equal(gone?.action.labelEditAction?.deleted, true)
    await appState.change(own, label('3', 'Pago', true))
    await kit.until(() => kit.told(one, 'label.updated').at(-1)?.label.name === 'Pago', 'deletion')
    assert.equal(kit.told(one, 'label.updated').at(-1)?.action, 'deleted')
  })

  it('labels and groups that existed before the pairing are imported', async () => {
    const one = await kit.create({}, true)
    const { own } = one
    await kit.server.appState.change(own, {
      collection: 'regular',
      version: 3,
      index: ['label_edit', '1'],
      action: {
        labelEditAction: {
          name: 'Antiga',
          color: 0,
        },
      },
    })
    const old = kit.server.person('5511988880001', 'Bia')
    const groupId = kit.server.groups.create(old, 'Antigos', [own])
    kit.server.pairing.scan(own, await kit.codeOf(one))
    await kit.reach(one, 'CONNECTED')
    const { api, base } = one
    const labels = await kit.until(async () => {
      const { items } = (await api.get(`${base}/labels`)).body
      return items.length > 0 ? items : null
    }, 'the label')
    assert.equal(labels[0].name, 'Antiga')
    const groups = await kit.until(async () => {
      const { items } = (await api.get(`${base}/groups`)).body
      return items.length > 0 ? items : null
    }, 'the group')
    assert.deepEqual([groups[0].id, groups[0].subject], [groupId, 'Antigos'])
  })

  it('an instance that is added to an existing group gets an event and its details', async () => {
    const one = await kit.connect()
    const { own, ana, api, base } = one
    const { groups } = kit.server
    const bia = kit.server.person('5511988880002', 'Bia')
    const groupId = groups.create(ana, 'Obras', [bia])
    const added = { tag: 'participant', attrs: { jid: own.jid } }
    groups.change(groupId, ana, { tag: 'add', attrs: {}, content: [added] })
    const [told] = await kit.until(() => {
      const all = kit.told(one, 'group.participants')
      return all.length === 1 ? all : null
    }, 'the event')
    assert.deepEqual([told?.groupId, told?.action, told?.actor.phone], [groupId, 'add', ana.phone])
    const shown = await kit.until(async () => {
      const { body } = await api.get(`${base}/groups/${groupId}`)
      return body.subject === 'Obras' ? body : null
    }, 'its subject')
    assert.equal(shown.participants.length, 3)
  })

  it('groups become known although WhatsApp did not answer at first', async () => {
    const { groups, faults } = kit.server
    const one = await kit.create({}, true)
    const { own, ana, api, base } = one
    const old = groups.create(ana, 'Antigos', [own])
    const refused: string[] = []
    faults.refuseQuery = (name) => {
      if (!/^w:g2 get (?:participating|query)$/.test(name)) return null
      refused.push(name)
      return '429'
    }
    kit.server.pairing.scan(own, await kit.codeOf(one))
    await kit.until(() => refused.includes('w:g2 get participating'), 'the query')
    const another = groups.create(ana, 'Obras', [])
    const added = { tag: 'participant', attrs: { jid: own.jid } }
    groups.change(another, ana, { tag: 'add', attrs: {}, content: [added] })
    await kit.until(() => refused.includes('w:g2 get query'), 'the other query')
    faults.refuseQuery = () => null
    await kit.app.jump(30_000)
    const subjects = await kit.until(async () => {
      const { items } = (await api.get(`${base}/groups`)).body
      const known = items.map(({ subject }: { subject: string }) => subject).sort()
      return known.length === 2 && !known.includes('') ? known : null
    }, 'both groups')
    assert.deepEqual(subjects, ['Antigos', 'Obras'])
    assert.equal((await api.get(`${base}/groups/${old}`)).status, 200)
  })

  it('calls, revocations and groups reach the webhook, each once', async () => {
    const one = await kit.connect()
    const { own, ana, receiver } = one
    const { messages, groups } = kit.server
    kit.server.faults.onTheWay = twice
    const id = await messages.write(ana, own, { conversation: 'oi' })
    await kit.until(() => receiver.events('message.received').length > 0, 'the message')
    const { REVOKE } = proto.Message.ProtocolMessage.Type
    const key = { remoteJid: own.jid, fromMe: true, id }
    await messages.write(ana, own, { protocolMessage: { type: REVOKE, key } })
    const groupId = groups.create(ana, 'Vendas', [own])
    groups.change(groupId, ana, { tag: 'subject', attrs: {}, content: 'Vendas 2' })
    messages.call(ana, own)
    const names = () => receiver.received.map(({ body }) => body.event as string).toSorted()
    await kit.until(() => names().includes('call.received'), 'the call')
    await kit.until(() => kit.server.waiting() === 0, 'quiet')
    kit.server.faults.onTheWay = (node) => [node]
    await kit.app.settle()
    assert.deepEqual(names(), [
      'call.received',
      'group.participants',
      'group.updated',
      'instance.status',
      'message.deleted',
      'message.received',
    ])
    const [call] = kit.told(one, 'call.received')
    assert.deepEqual([call?.from.phone, call?.status], [ana.phone, 'ringing'])
    const [deleted] = kit.told(one, 'message.deleted')
    assert.deepEqual([deleted?.waMessageId, deleted?.deletedBy.phone], [id, ana.phone])
    const [changed] = kit.told(one, 'group.updated')
    assert.deepEqual(changed?.changes.subject, { from: 'Vendas', to: 'Vendas 2' })
  })
})
