// Edits, receipts, unusual and undecryptable messages from other devices, on the protocol server.
import assert from 'node:assert/strict'
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { proto } from 'baileys'
import { startWhatsAppApp, type OnWhatsApp, type WhatsAppApp } from '../kit/whatsapp-app.ts'
import { spoiltOnce } from '../kit/whatsapp-server/faults.ts'
import { element, seconds } from '../kit/whatsapp-server/stanza.ts'

let kit: WhatsAppApp
before(async () => {
  kit = await startWhatsAppApp()
})
after(() => kit.close())

const PIN = proto.Message.PinInChatMessage.Type.PIN_FOR_ALL
const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type

const edit = (jid: string, id: string, text: string) => ({
  protocolMessage: {
    type: MESSAGE_EDIT,
    key: {
      remoteJid: jid,
      fromMe: true,
      id,
    },
    editedMessage: { conversation: text },
  },
})
const revoke = (jid: string, id: string) => ({
  protocolMessage: { type: REVOKE, key: { remoteJid: jid, fromMe: true, id } },
})

async function send({ api, base }: OnWhatsApp, to: string, text = 'original'): Promise<string> {
  const { body } = await api.post(`${base}/messages/text`, { to, text })
  return body.waMessageId
}
const read = async ({ api, base }: OnWhatsApp, id: string) =>
  (await api.get(`${base}/messages/${id}`)).body

/** Resolves once everything sent before has been processed: sends a marker and awaits its event. */
async function waitUntilProcessed(one: OnWhatsApp): Promise<void> {
  const id = await kit.server.messages.write(one.ana, one.own, { conversation: 'fim' })
  await kit.until(
    () => kit.told(one, 'message.received').some((told) => told.waMessageId === id),
    'the event of the last message',
  )
}

describe('a contact on WhatsApp', () => {
  it('an edit that the author has sealed with the secret of the message changes it, and a forged one does not', async () => {
    const one = await kit.connect()
    const { ana, own } = one
    const bia = kit.server.person('5511977770001', 'Bia')
    const messageSecret = randomBytes(32)
    const id = await kit.server.messages.write(ana, own, {
      conversation: 'R$ 100',
      messageContextInfo: { messageSecret },
    })
    const sealed = (author: string, text: string) => {
      const info = `${id}${author}${author}Message Edit`
      const key = Buffer.from(hkdfSync('sha256', messageSecret, Buffer.alloc(0), info, 32))
      const encIv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, encIv)
      const bytes = proto.Message.encode(edit(own.jid, id, text)).finish()
      const encPayload = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
      const targetMessageKey = { remoteJid: own.jid, fromMe: true, id }
      const secretEncType = proto.Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT
      return { secretEncryptedMessage: { targetMessageKey, encIv, encPayload, secretEncType } }
    }
    await kit.server.messages.write(bia, own, sealed(`${bia.phone}@s.whatsapp.net`, 'R$ 1'))
    await kit.server.messages.write(ana, own, sealed(`${ana.phone}@s.whatsapp.net`, 'R$ 90'))
    await waitUntilProcessed(one)
    const { text, editedAt } = await read(one, id)
    assert.deepEqual([text, editedAt !== null], ['R$ 90', true])
    const { body } = await one.api.get(`${one.base}/messages`)
    assert.ok(body.items.every(({ type }: { type: string }) => type === 'text'))
  })

  it('a contact cannot edit or revoke messages of the account or of other contacts', async () => {
    const one = await kit.connect()
    const { ana, own, base, api } = one
    const bia = kit.server.person('5511977770001', 'Bia')
    const sent = await send(one, ana.phone)
    await kit.message(one, sent, 'delivered')
    const hers = await kit.server.messages.write(bia, own, { conversation: 'original' })
    for (const id of [sent, hers]) {
      await kit.server.messages.write(ana, own, edit(own.jid, id, 'forged'))
      await kit.server.messages.write(ana, own, revoke(own.jid, id))
    }
    await waitUntilProcessed(one)
    for (const id of [sent, hers]) {
      const { text, editedAt, deletedAt } = await read(one, id)
      assert.deepEqual([text, editedAt, deletedAt], ['original', null, null])
    }
    assert.equal(kit.told(one, 'message.deleted').length, 0)
    const { body } = await api.get(`${base}/messages?q=forged`)
    assert.deepEqual(body.items, [])
  })

  it('a contact cannot swallow a revocation by sending one with its id before', async () => {
    const one = await kit.connect()
    const { ana, own } = one
    const bia = kit.server.person('5511977770002', 'Bia')
    const hers = await kit.server.messages.write(ana, own, { conversation: 'senha 123' })
    await kit.message(one, hers, 'received')
    await kit.server.messages.write(bia, own, revoke(own.jid, 'NENHUMA'), { id: '3AFIRST' })
    await kit.server.messages.write(ana, own, revoke(own.jid, hers), { id: '3AFIRST' })
    await waitUntilProcessed(one)
    assert.notEqual((await read(one, hers)).deletedAt, null)
  })

  it('a contact cannot request a message of another chat, nor replace it with a poll that has its id', async () => {
    const one = await kit.connect()
    const { ana, own } = one
    const bia = kit.server.person('5511977770003', 'Bia')
    const caio = kit.server.person('5511977770005', 'Caio')
    const sent = await send(one, ana.phone, 'segredo para Ana')
    await kit.message(one, sent, 'delivered')
    const poll = {
      pollCreationMessageV3: {
        name: 'FORJADA',
        options: [{ optionName: 'a' }, { optionName: 'b' }],
        selectableOptionsCount: 1,
      },
      messageContextInfo: { messageSecret: randomBytes(32) },
    }
    await kit.server.messages.write(caio, own, poll, { id: sent })
    await waitUntilProcessed(one)
    ana.inbox.splice(0)
    kit.server.messages.askAgain(bia, own, sent)
    kit.server.messages.askAgain(ana, own, sent)
    await kit.until(() => ana.inbox.length === 1, 'the message that Ana requested again')
    await waitUntilProcessed(one)
    assert.deepEqual(
      bia.inbox.map(({ message }) => message),
      [],
    )
    const written = ana.inbox.map(
      ({ message }) => message.extendedTextMessage?.text ?? message.conversation,
    )
    assert.deepEqual(written, ['segredo para Ana'])
  })

  it('a caller cannot connect the number of another contact to their own LID', async () => {
    const one = await kit.connect()
    const { ana, own, api, base } = one
    const bia = kit.server.person('5511977770004', 'Bia')
    await kit.server.messages.write(ana, own, { conversation: 'oi, sou a Ana' })
    await waitUntilProcessed(one)
    const claim = { 'call-id': 'CALL1', 'call-creator': bia.lidJid, caller_pn: ana.jid }
    const call = element('call', { id: 'C1', from: bia.lidJid, t: seconds() }, [
      element('offer', claim, [element('audio', {})]),
    ])
    for (const device of own.companions.values()) device.push(call)
    await kit.until(() => kit.told(one, 'call.received').length === 1, 'the call')
    const { items } = (await api.get(`${base}/contacts`)).body
    const contact = items.find(({ phone }: { phone: string }) => phone === ana.phone)
    assert.notEqual(contact.lid, bia.lidJid)
    const called = kit.told(one, 'call.received')[0]
    assert.equal(called?.from.phone, null)
  })

  it('a group member can change only their own messages, and an admin revokes any', async () => {
    const one = await kit.connect()
    const { ana, own } = one
    const bia = kit.server.person('5511977770002', 'Bia')
    const cau = kit.server.person('5511977770003', 'Cau')
    const group = kit.server.groups.create(ana, 'Obras', [own, bia, cau])
    await kit.until(
      async () => (await one.api.get(`${one.base}/groups/${group}`)).status === 200,
      'the group',
    )
    const hers = await kit.server.messages.writeTo(bia, group, { conversation: 'original' })
    await kit.server.messages.writeTo(cau, group, edit(group, hers, 'forged'))
    await kit.server.messages.writeTo(cau, group, revoke(group, hers))
    await waitUntilProcessed(one)
    const before = await read(one, hers)
    assert.deepEqual([before.text, before.deletedAt], ['original', null])
    await kit.server.messages.writeTo(bia, group, edit(group, hers, 'correct'))
    await kit.until(async () => (await read(one, hers)).text === 'correct', 'the edit')
    await kit.server.messages.writeTo(ana, group, revoke(group, hers))
    await kit.until(async () => (await read(one, hers)).deletedAt !== null, 'the revocation')
  })

  it('a receipt counts only from a participant of the chat, by phone or by LID', async () => {
    const one = await kit.connect()
    const { ana, own } = one
    const bia = kit.server.person('5511977770004', 'Bia')
    const sent = await send(one, ana.phone)
    await kit.message(one, sent, 'delivered')
    kit.server.messages.read(bia, own, [sent])
    await waitUntilProcessed(one)
    assert.equal((await read(one, sent)).status, 'delivered')
    for (const device of own.companions.values()) {
      const attrs = { id: sent, from: ana.lidJid, type: 'read', t: seconds() }
      device.push(element('receipt', attrs))
    }
    await kit.message(one, sent, 'read')
  })
})

/** The newest stored message. */
async function newest({ api, base }: OnWhatsApp) {
  const { body } = await api.get(`${base}/messages?limit=1`)
  return body.items[0]
}

describe('message content', () => {
  const { NativeFlowResponseMessage } = proto.Message.InteractiveResponseMessage
  const flow = NativeFlowResponseMessage.fromObject({
    name: 'menu',
    paramsJson: JSON.stringify({
      id: 'a',
      title: 'Segunda via',
    }),
  })
  const cases: Record<string, [proto.IMessage, string, string]> = {
    'a reply to buttons': [
      { buttonsResponseMessage: { selectedButtonId: 'b1', selectedDisplayText: 'Sim' } },
      ...(['text', 'Sim'] as const),
    ],
    'a reply to a template': [
      { templateButtonReplyMessage: { selectedId: 't1', selectedDisplayText: 'Quero' } },
      ...(['text', 'Quero'] as const),
    ],
    'a reply to a list': [
      { listResponseMessage: { title: 'Boleto', description: 'vence hoje' } },
      ...(['text', 'Boleto\nvence hoje'] as const),
    ],
    'a reply to a native flow': [
      { interactiveResponseMessage: { nativeFlowResponseMessage: flow } },
      ...(['text', 'Segunda via'] as const),
    ],
    'a business template': [
      {
        templateMessage: {
          hydratedTemplate: {
            hydratedTitleText: 'Pedido',
            hydratedContentText: 'Saiu',
            templateId: '1',
          },
        },
      },
      ...(['text', 'Pedido\nSaiu'] as const),
    ],
    'business buttons': [
      { buttonsMessage: { contentText: 'Confirma?', footerText: 'Loja' } },
      ...(['text', 'Confirma?\nLoja'] as const),
    ],
    'a business list': [
      { listMessage: { title: 'Menu', sections: [{ rows: [{ title: 'Pizza', rowId: '1' }] }] } },
      ...(['text', 'Menu\n- Pizza'] as const),
    ],
    'an interactive message': [
      { interactiveMessage: { header: { title: 'Oi' }, body: { text: 'Escolha' } } },
      ...(['text', 'Oi\nEscolha'] as const),
    ],
    'a live location': [
      { liveLocationMessage: { degreesLatitude: -23, degreesLongitude: -46, caption: 'indo' } },
      ...(['location', 'indo'] as const),
    ],
    'a group invitation': [
      { groupInviteMessage: { groupName: 'Obras', caption: 'Entre' } },
      ...(['text', 'Obras\nEntre'] as const),
    ],
  }
  for (const [what, [message, type, text]] of Object.entries(cases)) {
    it(`a message is stored with its readable content: ${what}`, async () => {
      const one = await kit.connect()
      await kit.server.messages.write(one.ana, one.own, message)
      await kit.until(() => kit.told(one, 'message.received').length === 1, 'the message')
      const stored = await newest(one)
      assert.equal(stored.type, type)
      assert.equal(type === 'text' ? stored.text : stored.location.name, text)
    })
  }

  const MINUTE = 1_795_000_000
  const details: Record<string, [proto.IMessage, object]> = {
    buttons: [
      { buttonsResponseMessage: { selectedButtonId: 'b1', selectedDisplayText: 'Sim' } },
      { reply: { kind: 'button', id: 'b1', title: 'Sim' } },
    ],
    'a template': [
      { templateButtonReplyMessage: { selectedId: 't1', selectedDisplayText: 'Quero' } },
      { reply: { kind: 'template', id: 't1', title: 'Quero' } },
    ],
    'a list': [
      { listResponseMessage: { title: 'Boleto', singleSelectReply: { selectedRowId: 'r1' } } },
      { reply: { kind: 'list', id: 'r1', title: 'Boleto' } },
    ],
    'a native flow': [
      { interactiveResponseMessage: { nativeFlowResponseMessage: flow } },
      { reply: { kind: 'form', id: 'a', title: 'Segunda via' } },
    ],
    'a native flow with broken parameters': [
      {
        interactiveResponseMessage: {
          body: { text: 'Feito' },
          nativeFlowResponseMessage: NativeFlowResponseMessage.fromObject({
            name: 'menu',
            paramsJson: '{',
          }),
        },
      },
      { reply: { kind: 'form', id: 'menu', title: 'Feito' } },
    ],
    'an order': [
      {
        orderMessage: {
          orderId: 'o1',
          orderTitle: 'Padaria',
          message: 'sem cebola',
          itemCount: 2,
          totalAmount1000: 49_900,
          totalCurrencyCode: 'BRL',
        },
      },
      {
        order: {
          id: 'o1',
          title: 'Padaria',
          message: 'sem cebola',
          items: 2,
          total: { value: 49.9, currency: 'BRL' },
        },
      },
    ],
    'a product': [
      {
        productMessage: {
          product: {
            productId: 'p1',
            retailerId: 'SKU-7',
            title: 'Bolo',
            priceAmount1000: 80_000,
            currencyCode: 'BRL',
            url: 'javascript:alert(1)',
          },
        },
      },
      {
        product: {
          id: 'p1',
          retailerId: 'SKU-7',
          title: 'Bolo',
          description: null,
          price: { value: 80, currency: 'BRL' },
          url: null,
        },
      },
    ],
    'a group invitation': [
      {
        groupInviteMessage: {
          groupJid: '120363000000000001@g.us',
          groupName: 'Obras',
          inviteCode: 'AbC',
          inviteExpiration: MINUTE,
        },
      },
      {
        groupInvitation: {
          groupId: '120363000000000001@g.us',
          name: 'Obras',
          code: 'AbC',
          expiresAt: new Date(MINUTE * 1000).toISOString(),
        },
      },
    ],
    'an event': [
      {
        eventMessage: {
          name: 'Festa',
          startTime: MINUTE,
          location: { name: 'Praça' },
          joinLink: 'https://call.whatsapp.com/x',
        },
      },
      {
        event: {
          name: 'Festa',
          description: null,
          startsAt: new Date(MINUTE * 1000).toISOString(),
          endsAt: null,
          place: 'Praça',
          joinUrl: 'https://call.whatsapp.com/x',
          canceled: false,
        },
      },
    ],
  }
  for (const [what, [message, content]] of Object.entries(details)) {
    it(`what programs read of a message stands beside its text: ${what}`, async () => {
      const one = await kit.connect()
      await kit.server.messages.write(one.ana, one.own, message)
      await kit.until(() => kit.told(one, 'message.received').length === 1, 'the message')
      assert.deepEqual((await newest(one)).content, content)
      assert.deepEqual(kit.told(one, 'message.received')[0]?.message.content, content)
    })
  }

  it('hostile details of a message never break the published schema', async () => {
    const one = await kit.connect()
    const { ana, own, api, base } = one
    const write = (message: proto.IMessage) => kit.server.messages.write(ana, own, message)
    const nul = String.fromCharCode(0)
    await write({ buttonsResponseMessage: { selectedButtonId: nul, selectedDisplayText: 'a' } })
    await write({ orderMessage: { orderId: nul, orderTitle: 'b', totalCurrencyCode: nul } })
    await write({ groupInviteMessage: { groupJid: nul, groupName: 'c', inviteCode: nul } })
    for (const sourceUrl of [
      ' https://x.com',
      'https:foo.com',
      'HTTPS://x.com',
      'https://x\n.com',
      'data:x',
    ])
      await write({
        extendedTextMessage: {
          text: 'd',
          contextInfo: { externalAdReply: { sourceId: nul, sourceType: 'ad', sourceUrl } },
        },
      })
    await kit.until(() => kit.told(one, 'message.received').length === 8, 'all messages')
    // The client of the tests checks every response against the published document.
    const { body } = await api.get(`${base}/messages?limit=20`)
    const [button, order, group, ...ads] = body.items.toReversed()
    assert.deepEqual(button.content.reply, { kind: 'button', id: null, title: 'a' })
    assert.ok(!('content' in order) && !('content' in group))
    assert.equal(ads.length, 5)
    for (const { referral } of ads) {
      assert.equal(referral.sourceId, null)
      assert.ok(referral.sourceUrl === null || /^https:\/\/[a-z.]+\/$/.test(referral.sourceUrl))
    }
  })

  it('the advertisement that a chat was opened from is kept, with or without a text, and no link preview is one', async () => {
    const one = await kit.connect()
    const { ana, own } = one
    const write = (text: string, externalAdReply: proto.ContextInfo.IExternalAdReplyInfo) =>
      kit.server.messages.write(ana, own, {
        extendedTextMessage: {
          text,
          contextInfo: { externalAdReply, entryPointConversionSource: 'ctwa_ad' },
        },
      })
    await write('Olá', { title: 'Prévia', sourceUrl: 'https://example.com' })
    await write('', {
      title: 'Bolos',
      body: 'Encomende já',
      sourceType: 'ad',
      sourceId: '120208',
      sourceUrl: 'https://fb.me/x',
      mediaUrl: 'https://cdn.example.com/a.jpg',
      ctwaClid: 'ARAk',
    })
    await write('Outro', { sourceType: 'post', sourceId: '9' })
    await kit.until(() => kit.told(one, 'message.received').length === 3, 'all messages')
    const [preview, advertised, other] = kit
      .told(one, 'message.received')
      .map(({ message }) => message)
    assert.equal(preview?.referral, undefined)
    const referral = {
      sourceType: 'ad',
      sourceId: '120208',
      sourceUrl: 'https://fb.me/x',
      headline: 'Bolos',
      body: 'Encomende já',
      mediaUrl: 'https://cdn.example.com/a.jpg',
      ctwaClid: 'ARAk',
      entryPoint: 'ctwa_ad',
    }
    assert.deepEqual(advertised?.referral, referral)
    assert.deepEqual([advertised?.type, advertised?.text], ['text', ''])
    assert.equal(other?.referral.sourceType, 'post')
    const { body } = await one.api.get(`${one.base}/conversations/${advertised?.conversationId}`)
    assert.deepEqual(body.referral, referral)
  })

  it('a video note is received as a video, and an animated sticker as a sticker', async () => {
    const one = await kit.connect()
    const file = {
      url: 'https://mmg.whatsapp.net/x',
      mediaKey: Buffer.alloc(32),
      fileLength: 5,
      mimetype: 'video/mp4',
    }
    const inner = { stickerMessage: { ...file, mimetype: 'application/was' } }
    await kit.server.messages.write(one.ana, one.own, { ptvMessage: file })
    await kit.server.messages.write(one.ana, one.own, { lottieStickerMessage: { message: inner } })
    await kit.until(() => kit.told(one, 'message.received').length === 2, 'both messages')
    const types = kit.told(one, 'message.received').map(({ message }) => message.type)
    assert.deepEqual(types, ['video', 'sticker'])
  })

  it('a poll with an id that cannot be stored is dropped, and ends no connection', async () => {
    const one = await kit.connect()
    const { ana, own } = one
    const poll = {
      messageContextInfo: { messageSecret: randomBytes(32) },
      pollCreationMessageV3: { name: 'q', options: [{ optionName: 'a' }, { optionName: 'b' }] },
    }
    const statuses = kit.told(one, 'instance.status').length
    for (const id of [randomBytes(2000).toString('hex'), 'P\0'])
      void kit.server.messages.write(ana, own, poll, { id })
    await waitUntilProcessed(one)
    assert.equal(kit.told(one, 'instance.status').length, statuses)
  })

  it('album headers and pins emit no message event', async () => {
    const one = await kit.connect()
    const key = { remoteJid: one.own.jid, fromMe: true, id: '3A0' }
    await kit.server.messages.write(one.ana, one.own, { albumMessage: { expectedImageCount: 2 } })
    await kit.server.messages.write(one.ana, one.own, { pinInChatMessage: { key, type: PIN } })
    await waitUntilProcessed(one)
    assert.equal(kit.told(one, 'message.received').length, 1)
  })
})

describe('a message that cannot be decrypted', () => {
  /** Has Ana write a message that arrives unreadable, and then again in order; returns its placeholder in between. */
  async function writeUnreadable(one: OnWhatsApp, message: proto.IMessage) {
    const { ana, own, api, base } = one
    const seen = new Set<string>()
    let spoil = true
    kit.server.faults.onTheWay = (node, to) => {
      const { id = '' } = node.attrs
      if (node.tag !== 'message' || to !== own || (!spoil && seen.has(id))) return [node]
      seen.add(id)
      return spoiltOnce()(node, to)
    }
    const writing = kit.server.messages.write(ana, own, message)
    const placeholder = await kit.until(async () => {
      const { body } = await api.get(`${base}/messages`)
      return body.items.find((item: { type: string }) => item.type === 'undecryptable')
    }, 'the placeholder')
    const before = (await api.get(`${base}/conversations`)).body.items[0]
    spoil = false
    await writing
    kit.server.faults.onTheWay = (node) => [node]
    return { placeholder, before }
  }

  it('an undecryptable message is stored, counted, and replaced after a retry', async () => {
    const one = await kit.connect()
    const { api, base } = one
    const { placeholder } = await writeUnreadable(one, { conversation: 'enfim' })
    assert.equal(placeholder.text, null)
    assert.match(await kit.app.metrics(), /inbound_undecryptable_total [1-9]/)
    const [told, second] = await kit.until(() => {
      const all = kit.told(one, 'message.received')
      return all.length > 0 ? all : null
    }, 'the message')
    assert.equal(second, undefined)
    assert.equal(told?.message.id, placeholder.id)
    assert.deepEqual([told?.message.type, told?.message.text], ['text', 'enfim'])
    const { body } = await api.get(`${base}/conversations`)
    assert.equal(body.items[0].unreadCount, 1)
  })

  it('a reaction or an edit that could be read only after a retry counts as no message', async () => {
    const one = await kit.connect()
    const { ana, own, api, base } = one
    const id = await kit.server.messages.write(ana, own, { conversation: 'R$ 100' })
    await kit.until(() => kit.told(one, 'message.received').length === 1, 'the message')
    const key = { remoteJid: own.jid, fromMe: true, id }
    for (const change of [{ reactionMessage: { key, text: '👍' } }, edit(own.jid, id, 'R$ 90')]) {
      const { placeholder, before } = await writeUnreadable(one, change)
      assert.equal(before.unreadCount, 2, 'the placeholder may be a message')
      await kit.until(async () => {
        const { status, body } = await api.get(`${base}/messages/${placeholder.id}`)
        return status === 404 || body.type === 'reaction'
      }, 'what it was')
      const [conversation] = (await api.get(`${base}/conversations`)).body.items
      assert.equal(conversation.unreadCount, 1)
    }
    assert.equal((await read(one, id)).text, 'R$ 90')
    const { body } = await api.get(`${base}/messages`)
    assert.deepEqual(
      body.items.map(({ type }: { type: string }) => type),
      ['reaction', 'text'],
    )
  })
})

describe('a group that addresses its members by LID', () => {
  it('a LID group preserves quoted authors and kinds, and mentions both ways', async () => {
    const one = await kit.connect()
    const { ana, own, api, base } = one
    const bia = kit.server.person('5511977770009', 'Bia')
    const group = kit.server.groups.create(ana, 'Obras', [own, bia], 'lid')
    await kit.until(async () => (await api.get(`${base}/groups/${group}`)).status === 200, 'group')
    const place = { degreesLatitude: -23, degreesLongitude: -46, name: 'Sé' }
    const id = await kit.server.messages.writeTo(bia, group, { locationMessage: place })
    await kit.until(() => kit.told(one, 'message.received').length === 1, 'the location message')
    const mentions = [bia.phone]
    const text = `oi @${bia.phone}, e @5511900000000`
    const body = { to: group, text, quotedWaMessageId: id, mentions }
    const replied = await api.post(`${base}/messages/text`, body)
    assert.equal(replied.status, 201)
    await kit.until(() => bia.inbox.some(({ from }) => from === own), 'the reply')
    const said = bia.inbox.find(({ from }) => from === own)
    const { contextInfo } = said?.message.extendedTextMessage ?? {}
    assert.equal(contextInfo?.participant, bia.lidJid)
    assert.equal(contextInfo?.quotedMessage?.locationMessage?.name, 'Sé')
    assert.deepEqual(contextInfo?.mentionedJid, [bia.lidJid])
    const [bias = '', owns = ''] = [bia.lidJid, own.lidJid].map((jid) => jid.split('@')[0])
    assert.equal(said?.message.extendedTextMessage?.text, `oi @${bias}, e @5511900000000`)
    const path = `${base}/messages/${replied.body.id}`
    await kit.until(async () => (await api.get(path)).body.sentAt !== null, 'the confirmation')
    const sent = said?.message
    assert.equal((await api.patch(path, { text: `olá @${bia.phone}` })).status, 200)
    const edited = await kit.until(
      () => (said?.message === sent ? null : said?.message.extendedTextMessage),
      'the edit',
    )
    assert.equal(edited?.text, `olá @${bias}`)
    assert.deepEqual(edited?.contextInfo?.mentionedJid, [bia.lidJid])
    await kit.server.messages.writeTo(ana, group, {
      extendedTextMessage: {
        text: `@${owns} e @${bias}, oi`,
        contextInfo: { mentionedJid: [own.lidJid, bia.lidJid] },
      },
    })
    const [, told] = await kit.until(() => {
      const all = kit.told(one, 'message.received')
      return all.length === 2 ? all : null
    }, 'the mention')
    assert.deepEqual(told?.message.mentions, [own.phone, bia.phone])
    assert.equal(told?.message.text, `@${own.phone} e @${bia.phone}, oi`)
  })
})
