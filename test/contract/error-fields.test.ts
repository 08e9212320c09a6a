// `error.field`: the path of the field that an error is about.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Client } from '../kit/client.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
let api: Client & { key: string }
before(async () => {
  kit = await startTestApp()
  api = await kit.key(await kit.project())
})
after(() => kit.close())

it('an error about a field names its path in error.field, whatever the language of the message', async () => {
  const { base } = await kit.pair(api)
  const english = { 'accept-language': 'en' }
  const to = '+55 11 98888-7777'
  const sendAt = new Date(kit.clock.now() + 3600_000).toISOString()
  const poll = { type: 'poll', question: 'Sim?', options: ['a', 'a'] }
  const window = { from: '08:00', to: '18:00', timeZone: 'Lua' }
  const webhook = { name: 'ERP', url: 'https://x.invalid' }
  const recipients = [{ to }, {}]
  const campaign = { name: 'c', instanceIds: ['ins_x'], message: { type: 'text', text: 'Olá' } }
  for (const [path, body, field] of [
    ['/v1/instances', {}, 'name'],
    ['/v1/instances', { name: ' \t' }, 'name'],
    [`${base}/messages/text`, { to, text: '   ' }, 'text'],
    [`${base}/messages/poll`, { to, question: ' ', options: ['a', 'b'] }, 'question'],
    [`${base}/messages/poll`, { to, question: 'Sim?', options: ['a', ' '] }, 'options[1]'],
    [`${base}/groups`, { subject: ' ', participants: [to] }, 'subject'],
    [`${base}/groups`, { subject: 'Família', participants: ['abc'] }, 'participants'],
    [`${base}/labels`, { name: ' ' }, 'name'],
    ['/v1/quick-replies', { shortcut: 'oi', text: ' ' }, 'text'],
    ['/v1/instances', { name: 'Loja', shop: 1 }, 'shop'],
    ['/v1/instances', { name: 'Loja', settings: { autoRead: 1 } }, 'settings.autoRead'],
    ['/v1/webhooks', { ...webhook, url: 'http://10.0.0.1/' }, 'url'],
    ['/v1/webhooks', { ...webhook, headers: { host: 'x' } }, 'headers'],
    ['/v1/campaigns', { ...campaign, recipients }, 'recipients[1].to'],
    [`${base}/messages`, { to: 'abc', text: 'Olá' }, 'to'],
    [`${base}/messages/text`, { to }, 'text'],
    [`${base}/messages/media`, { to, type: 'image', media: { base64: '****' } }, 'media.base64'],
    [
      `${base}/messages/media`,
      { to, type: 'image', media: { url: 'http://10.0.0.1/' } },
      'media.url',
    ],
    [`${base}/scheduled-messages`, { sendAt: 'x', message: { to, text: 'x' } }, 'sendAt'],
    // The part of a body that has rules of its own, as when it is sent alone.
    [`${base}/scheduled-messages`, { sendAt, message: { to: 'abc', text: 'x' } }, 'message.to'],
    [
      `${base}/scheduled-messages`,
      { sendAt, message: { to, type: 'image', media: { base64: '****' } } },
      'message.media.base64',
    ],
    ['/v1/campaigns', { ...campaign, message: poll }, 'message.options'],
    ['/v1/campaigns', { ...campaign, pacing: { window } }, 'pacing.window.timeZone'],
    ['/v1/instances', { name: 'Loja', settings: { proxyUrl: 'x' } }, 'settings.proxyUrl'],
    [
      '/v1/instances',
      { name: 'Loja', settings: { proxyUrl: 'http://10.0.0.1:3128' } },
      'settings.proxyUrl',
    ],
    [
      '/v1/instances',
      { name: 'Loja', settings: { sendDelayMinMs: 9, sendDelayMaxMs: 8 } },
      'settings.sendDelayMaxMs',
    ],
    ['/v1/instances', { name: 'a\0' }, 'name'],
  ] as const) {
    const answer = await api.post(path, body, english)
    assert.deepEqual([answer.status, answer.body.error.field], [400, field], path)
  }
  const unknown = await api.get('/v1/instances?limt=1')
  assert.equal(unknown.body.error.field, 'limt')
  const missing = await api.get('/v1/instances/ins_x')
  assert.deepEqual(Object.keys(missing.body.error), ['code', 'message'])
})
