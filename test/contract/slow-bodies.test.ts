// Bodies that arrive slowly, or never.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Client } from '../kit/client.ts'
import { HOSTS, PASSWORD, startTestApp, type TestApp } from '../kit/test-app.ts'

const MIB = 1024 * 1024
const MINUTE_MS = 60_000
let kit: TestApp
let api: Client & { key: string }
before(async () => {
  kit = await startTestApp()
  api = await kit.key(await kit.project())
})
after(() => kit.close())

/** Opens a connection; `closed` resolves with what the client has received, once both sides have closed. */
async function open() {
  const accepted = once(kit.app.server.server, 'connection') as Promise<[Socket]>
  const client = connect({ port: kit.port, host: '127.0.0.1', allowHalfOpen: true })
  const [serverSide] = await accepted
  const state = { text: '', closed: false }
  client.setEncoding('latin1').on('data', (data: string) => (state.text += data))
  client.on('error', () => {})
  serverSide.on('close', () => (state.closed = true))
  return { client, serverSide, state }
}

const head = (path: string, fields: string) =>
  `POST ${path} HTTP/1.1\r\nHost: ${HOSTS.test}\r\nAuthorization: Bearer ${api.key}\r\n${fields}\r\n\r\n`

describe('slow bodies', () => {
  it('a body that stops arriving ends after a minute with 408, even if the client keeps the connection', async () => {
    for (const length of [
      'Content-Length: 40',
      'Transfer-Encoding: chunked',
      `Content-Length: ${MIB}`,
    ]) {
      const { client, state } = await open()
      client.write(head('/v1/webhooks', `Content-Type: application/json\r\n${length}`))
      while (!state.closed) {
        await turn()
        kit.clock.jump(MINUTE_MS)
      }
      assert.match(state.text, /^HTTP\/1\.1 408 /, length)
      assert.match(state.text, /"code":"BAD_REQUEST"/)
    }
  })

  it('the rest of a rejected body is received for a minute, and then the connection ends', async () => {
    const { client, state } = await open()
    client.write(head('/v1/webhooks', 'Content-Type: text/plain\r\nContent-Length: 40'))
    while (state.text === '') await turn()
    kit.clock.jump(MINUTE_MS - 1)
    await turn()
    assert.equal(state.closed, false)
    kit.clock.jump(1)
    while (!state.closed) await turn()
    assert.match(state.text, /^HTTP\/1\.1 415 /)
    assert.equal(state.text.match(/HTTP\/1\.1/g)?.length, 1)
  })

  it('a user who is signed out while their body arrives changes nothing', async () => {
    const project = await kit.project()
    const signIn = async () => {
      const given = { email: project.email, password: PASSWORD }
      const { body: tokens } = await kit
        .client('test')
        .post('/v1/auth/login', given, { 'x-token-response': 'body' })
      return String(tokens.accessToken)
    }
    const token = await signIn()
    const { client, state } = await open()
    const body = JSON.stringify({ name: 'x' })
    const start = [
      'POST /v1/keys HTTP/1.1',
      `Host: ${HOSTS.test}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ].join('\r\n')
    client.write(`${start}\r\n\r\n${body.slice(0, 4)}`)
    // A later sign-in ends the session.
    const later = await signIn()
    client.write(body.slice(4))
    while (!state.closed) await turn()
    assert.match(state.text, /^HTTP\/1\.1 401 /)
    assert.match(state.text, /SESSION_SUPERSEDED/)
    const keys = await kit.client('test', later).get('/v1/keys')
    assert.deepEqual(keys.body.items ?? keys.body, [])
  })

  it('a file that comes over a slow line is stored, however many minutes it takes', async () => {
    const file = Buffer.alloc(13 * MIB, 'a')
    const start = `--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n`
    const end = '\r\n--x--\r\n'
    const length = start.length + file.length + end.length
    const text = head(
      '/v1/media',
      `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\nConnection: close`,
    )
    const { client, serverSide, state } = await open()
    client.write(text + start)
    for (const sent of [5, 10]) {
      client.write(file.subarray((sent - 5) * MIB, sent * MIB))
      while (serverSide.bytesRead < text.length + start.length + sent * MIB) await turn()
      kit.clock.jump(MINUTE_MS)
    }
    client.write(file.subarray(10 * MIB))
    client.write(end)
    await once(client, 'end')
    assert.match(state.text, /^HTTP\/1\.1 201 /)
    assert.match(state.text, new RegExp(`"sizeBytes":${file.length}`))
  })
})
