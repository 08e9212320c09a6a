// The server on its own database, killed with SIGKILL while it sends and receives on WhatsApp.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Body } from '../kit/client.ts'
import { startCompanyServer } from '../kit/company-server.ts'
import { root } from '../kit/whatsapp-server/certificate.ts'
import { WhatsAppServer } from '../kit/whatsapp-server/server.ts'

const EACH_WAY = 300
const KILLS = [60, 140, 220]

describe('a server killed during WhatsApp traffic', () => {
  it('a server killed three times loses and repeats none of 300 messages each way', async () => {
    const whatsapp = new WhatsAppServer()
    await whatsapp.listen()
    const own = whatsapp.person('5511970000001', 'Loja')
    const ana = whatsapp.person('5511980000001', 'Ana')
    await using server = await startCompanyServer({
      EGRESS_ALLOW: '127.0.0.1/32',
      WHATSAPP_URL: whatsapp.url,
      WHATSAPP_ROOT_KEY: Buffer.from(root.public).toString('base64'),
    })
    const { call, until } = server
    const base = `/v1/instances/${(await call('POST', '/v1/instances', { name: 'Loja' })).id}`
    let code = ''
    await until(async () => {
      code = (await call('GET', `${base}/qr/poll`)).code ?? ''
      return code !== ''
    }, 'a pairing code')
    whatsapp.pairing.scan(own, code)
    await until(async () => (await call('GET', base)).status === 'CONNECTED', 'connecting')

    /** Accepted messages by id. A request is retried with its Idempotency-Key until it succeeds. */
    const promised = new Map<string, string>()
    const sending = (async () => {
      for (let n = 0; n < EACH_WAY; n++) {
        const text = `para ana ${n}`
        const body = { to: ana.phone, text }
        for (;;) {
          const sent = await call('POST', `${base}/messages/text`, body, text).catch(() => null)
          if (sent?.waMessageId) {
            promised.set(sent.waMessageId, text)
            break
          }
          await pause(20)
        }
      }
    })()
    const written: string[] = []
    const writing = (async () => {
      for (let n = 0; n < EACH_WAY; n++) {
        const conversation = `de ana ${n}`
        written.push(conversation)
        await whatsapp.messages.write(ana, own, { conversation })
        await pause(10)
      }
    })()
    for (const count of KILLS) {
      await until(() => ana.inbox.length >= count, `${count} messages to be sent`)
      await server.kill()
    }
    await Promise.all([sending, writing])

    const texts = async (query: string) => {
      const all: Body[] = []
      for (let offset = 0; ; offset += 200) {
        const page = await call('GET', `${base}/messages?limit=200&offset=${offset}&${query}`)
        all.push(...page.items)
        if (!page.hasMore) return all
      }
    }
    const inbound = async () =>
      (await texts('direction=inbound')).map(({ text }) => text as string).toSorted()
    await until(async () => (await inbound()).length >= EACH_WAY, 'all messages from Ana')
    const outbound = () => texts('direction=outbound')
    await until(
      async () => (await outbound()).every(({ status }) => status === 'delivered'),
      'all messages to be delivered',
    )
    assert.deepEqual(await inbound(), written.toSorted())
    const received = ana.inbox.map(({ waMessageId, message }) => [
      waMessageId,
      message.extendedTextMessage?.text,
    ])
    assert.equal(received.length, EACH_WAY)
    assert.deepEqual(new Map(received as [string, string][]), promised)
    assert.equal(await server.stop(), 0)
    await whatsapp.close()
    // Lists, among other protocol errors, messages that a phone could not decrypt.
    assert.deepEqual(whatsapp.surprises, [])
  })
})
