// The real server on its own database, killed with -9 while it sends and receives on WhatsApp.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import { parseConfig } from '../../src/config/config.ts'
import type { Body } from '../kit/client.ts'
import { foundCompany, OWNER } from '../kit/company.ts'
import { findPort, makeDataDir, run } from '../kit/process.ts'
import { root } from '../kit/whatsapp-server/certificate.ts'
import { WhatsAppServer } from '../kit/whatsapp-server/server.ts'

const EACH_WAY = 300
const KILLS = [60, 140, 220]
const LONGEST_MS = 60_000

describe('a server killed in the middle of WhatsApp', () => {
  it('loses nothing of three hundred messages each way, sends none twice, and the contact reads them all', async () => {
    const whatsapp = new WhatsAppServer()
    await whatsapp.listen()
    const own = whatsapp.person('5511970000001', 'Loja')
    const ana = whatsapp.person('5511980000001', 'Ana')
    const port = await findPort()
    const dataDir = makeDataDir()
    const env = {
      ...{ DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'error' },
      ...{ EGRESS_ALLOW: '127.0.0.1/32', WHATSAPP_URL: whatsapp.url },
      WHATSAPP_ROOT_KEY: Buffer.from(root.public).toString('base64'),
    }
    await foundCompany(parseConfig(env))
    let token = ''
    const call = async (method: 'GET' | 'POST', path: string, body?: object, key?: string) => {
      const answer = await request(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: {
          ...{ authorization: `Bearer ${token}`, 'x-token-response': 'body' },
          ...(key ? { 'idempotency-key': key } : {}),
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return (await answer.body.json()) as Body
    }
    const start = async () => {
      const started = run('src/main.ts', [], env)
      await started.says('Recado está no ar.')
      return started
    }
    const until = async (so: () => Promise<boolean> | boolean, what: string) => {
      const end = performance.now() + LONGEST_MS
      while (!(await Promise.resolve(so()).catch(() => false))) {
        if (performance.now() > end) throw new Error(`${what}\n${server.output().slice(-2000)}`)
        await pause(20)
      }
    }

    let server = await start()
    token = (await call('POST', '/v1/auth/login', OWNER)).accessToken
    token = (await call('POST', '/v1/keys', { name: 'x' })).key
    const base = `/v1/instances/${(await call('POST', '/v1/instances', { name: 'Loja' })).id}`
    let code = ''
    await until(async () => {
      code = (await call('GET', `${base}/qr/poll`)).code ?? ''
      return code !== ''
    }, 'a code')
    whatsapp.pairing.scan(own, code)
    await until(async () => (await call('GET', base)).status === 'CONNECTED', 'to connect')

    /** Asks again with the same key until it has an answer: a 201 is a promise. */
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
      await until(() => ana.inbox.length >= count, `${count} sent`)
      server.child.kill('SIGKILL')
      await server.ended
      server = await start()
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
    await until(async () => (await inbound()).length >= EACH_WAY, 'all that Ana wrote')
    const outbound = () => texts('direction=outbound')
    await until(
      async () => (await outbound()).every(({ status }) => status === 'delivered'),
      'deliveries',
    )
    assert.deepEqual(await inbound(), written.toSorted())
    const received = ana.inbox.map(({ waMessageId, message }) => [
      ...[waMessageId, message.extendedTextMessage?.text],
    ])
    assert.equal(received.length, EACH_WAY)
    assert.deepEqual(new Map(received as [string, string][]), promised)
    server.child.kill('SIGTERM')
    assert.equal((await server.ended).code, 0)
    await whatsapp.close()
    // What a telephone could not read would stand here.
    assert.deepEqual(whatsapp.surprises, [])
    rmSync(dataDir, { recursive: true, force: true })
  })
})
