// Requests that are crafted to be misunderstood, to be answered at length, or to cost more than they should.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Client } from '../kit/client.ts'
import { HOSTS, startTestApp, type Paired, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
let api: Client & { key: string }
let instance: Paired
let port: number
before(async () => {
  kit = await startTestApp()
  api = await kit.key(await kit.project())
  instance = await kit.pair(api)
  port = kit.port
})
after(() => kit.close())

/** Sends raw bytes; returns everything received until the server closes the connection, or until `enough`. */
async function talk(text: string, enough = /$^/): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('error', () => {})
  socket.on('data', (data) => {
    received += data.toString('latin1')
    if (enough.test(received)) socket.destroy()
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(text)
  await closed
  return received
}

describe('requests', () => {
  it('an empty filter is rejected and named, instead of returning everything', async () => {
    const { base } = instance
    for (const [path, name] of [
      [`${base}/messages?conversationId=`, 'conversationId'],
      [`${base}/messages?clientReference=`, 'clientReference'],
      [`${base}/messages?since=`, 'since'],
      ['/v1/conversations?labelId=', 'labelId'],
      ['/v1/conversations?assigneeId=', 'assigneeId'],
      ['/v1/response-times?instanceId=', 'instanceId'],
      ['/v1/requests?keyId=', 'keyId'],
      ['/v1/opt-outs?phone=', 'phone'],
      [`${base}/groups?community=`, 'community'],
    ] as const) {
      const answer = await api.get(path)
      assert.equal(answer.status, 400, path)
      assert.match(answer.body.error.message, new RegExp(`parâmetro vazio: ${name}`), path)
      assert.equal(answer.body.error.field, name)
    }
    assert.equal((await api.get(`${base}/messages?q=`)).status, 200)
  })

  it('an id of any length is 404 after authentication', async () => {
    const long = 'x'.repeat(3000)
    for (const path of [`contacts/${long}`, `messages/${long}`, `groups/${long}`])
      assert.equal((await api.get(`${instance.base}/${path}`)).status, 404, path.slice(0, 20))
    assert.equal((await api.delete(`/v1/opt-outs/${long}`)).status, 404)
    assert.equal((await kit.client('test').get(`${instance.base}/contacts/${long}`)).status, 401)
  })

  it('OPTIONS returns 204 with Allow on every path of the server', async () => {
    for (const path of [
      '/docs',
      '/openapi.json',
      '/asyncapi.json',
      '/healthz',
      '/readyz',
      '/metrics',
      '/parear',
      '/v1/me',
      '/mcp',
    ]) {
      const answer = await api.call('OPTIONS', path, {})
      assert.equal(answer.status, 204, path)
      assert.match(String(answer.headers['allow']), /OPTIONS/, path)
    }
  })

  it('only the event stream is upgraded to a WebSocket', async () => {
    const upgrade = (path: string) =>
      [
        `GET ${path} HTTP/1.1`,
        `Host: ${HOSTS.production}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        '',
        '',
      ].join('\r\n')
    for (const path of ['/openapi.json', '/docs', '/healthz', '/parear?token=segredo'])
      assert.doesNotMatch(await talk(upgrade(path), /\r\n\r\n/), /^HTTP\/1\.1 101/, path)
    assert.match(await talk(upgrade('/v1/events'), /\r\n\r\n/), /^HTTP\/1\.1 101/)
  })

  it('a body in chunks of a byte each ends its connection, whether or not its sender has a key', async () => {
    const start = (path: string, key: string) =>
      [
        `POST ${path} HTTP/1.1`,
        `Host: ${HOSTS.test}`,
        ...(key ? [`Authorization: Bearer ${key}`] : []),
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        '',
        '',
      ].join('\r\n')
    for (const [path, key] of [
      [`${instance.base}/messages`, api.key],
      ['/v1/auth/login', ''],
    ] as const) {
      const answer = await talk(start(path, key) + '1\r\n \r\n'.repeat(20_000))
      assert.doesNotMatch(answer, /^HTTP\/1\.1 2/, path)
    }
    // A client that writes as it goes sends more at once.
    const body = JSON.stringify({ to: '5511988887777', text: 'x'.repeat(40_000) })
    const chunks = body.match(/.{1,64}/g) ?? []
    const text = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
    const request = `${start(`${instance.base}/messages/text`, api.key)}${text}0\r\n\r\n`
    assert.match(await talk(request, /\r\n\r\n/), /^HTTP\/1\.1 201/)
  })
})
