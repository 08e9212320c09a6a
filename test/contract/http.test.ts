// HTTP edge: error envelope, mode by host, malformed bodies, paths, query parameters and headers.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { after, before, describe, it } from 'node:test'
import type { Client } from '../kit/client.ts'
import { HOSTS, startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
let api: Client & { key: string }
before(async () => {
  kit = await startTestApp()
  api = await kit.key(await kit.project())
})
after(() => kit.close())
const json = { 'content-type': 'application/json' }

/** Sends `text` verbatim over a TCP socket and resolves with everything received until the server closes it. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(kit.port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

describe('HTTP responses', () => {
  it('every response carries X-Request-Id and every error response the error envelope', async () => {
    for (const answer of [
      await api.get('/v1/instances'),
      await api.get('/v1/nada'),
      await kit.client('test').get('/v1/instances'),
      await api.post('/v1/instances', {}),
    ]) {
      assert.match(String(answer.headers['x-request-id']), /^req_/)
      if (answer.status < 400) continue
      assert.deepEqual(Object.keys(answer.body), ['error'])
      assert.equal(typeof answer.body.error.code, 'string')
      assert.equal(typeof answer.body.error.message, 'string')
    }
  })

  it('every error status has its own error code', async () => {
    const codes: [number, string][] = []
    const note = ({ status, body }: { status: number; body: { error: { code: string } } }) =>
      codes.push([status, body.error.code])
    note(await api.post('/v1/instances', { name: 5 }))
    note(await kit.client('test').get('/v1/instances'))
    note(await api.get('/v1/keys'))
    note(await api.get('/v1/instances/ins_x'))
    note(await api.put('/v1/instances', {}))
    note(
      await api.call('POST', '/v1/instances', {
        body: 'x',
        headers: { 'content-type': 'text/plain' },
      }),
    )
    note(await api.post('/v1/instances', { name: 'x'.repeat(1024 * 1024) }))
    assert.deepEqual(codes, [
      [400, 'BAD_REQUEST'],
      [401, 'UNAUTHORIZED'],
      [403, 'FORBIDDEN'],
      [404, 'NOT_FOUND'],
      [405, 'METHOD_NOT_ALLOWED'],
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
      [413, 'PAYLOAD_TOO_LARGE'],
    ])
  })

  it('a 405 response names the allowed methods in Allow and in the message', async () => {
    const answer = await api.put('/v1/instances', {})
    assert.match(String(answer.headers['allow']), /POST/)
    assert.match(answer.body.error.message, /POST/)
  })

  it('OPTIONS returns 204 with the allowed methods of the path and no CORS headers', async () => {
    const { status, headers, text } = await api.call('OPTIONS', '/v1/instances', {})
    assert.deepEqual([status, text], [204, ''])
    assert.equal(headers['allow'], 'POST, GET, HEAD, OPTIONS')
    assert.equal(headers['access-control-allow-origin'], undefined)
  })
})

describe('mode selection by host', () => {
  it('a host whose first label starts with sandbox selects test mode and every other host production mode', async () => {
    const project = await kit.project()
    const { key: test } = await kit.key(project)
    const { key: live } = await kit.key(project, 'production')
    const status = async (host: string, key: string) => {
      const headers = { host, authorization: `Bearer ${key}` }
      return (await kit.client('test').get('/v1/instances', undefined, headers)).status
    }
    for (const host of [
      'sandbox.localhost:3000',
      'SANDBOX.recado.com',
      'sandbox',
      'sandbox-2.x.com',
    ]) {
      assert.deepEqual([await status(host, test), await status(host, live)], [200, 401], host)
    }
    for (const host of ['localhost:3000', 'api.sandbox.com', '127.0.0.1', '[::1]:80']) {
      assert.deepEqual([await status(host, test), await status(host, live)], [401, 200], host)
    }
  })
})

describe('request bodies', () => {
  const post = (body: string | Buffer, headers: Record<string, string> = json) =>
    api.call('POST', '/v1/instances', { body, headers })

  for (const [what, body] of [
    ['broken JSON', '{"name": '],
    ['two values', '{} {}'],
    ['a comment', '{/* */}'],
    ['NaN', '{"name": NaN}'],
    ['a raw control character', '{"name": "a\nb"}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])],
  ] as const) {
    it(`a request body with ${what} is rejected with 400 JSON inválido`, async () => {
      const answer = await post(body)
      assert.equal(answer.status, 400)
      assert.match(answer.body.error.message, /^JSON inválido: .+/)
    })
  }

  it('the reason for invalid JSON is in the language of the caller and says where the error is', async () => {
    const reasonOf = async (body: string, language = 'pt-BR') =>
      (await post(body, { ...json, 'accept-language': language })).body.error.message
    assert.equal(await reasonOf('{"name": '), 'JSON inválido: o texto termina antes do fim')
    assert.match(await reasonOf('{"name":"a"} x'), /erro de sintaxe na linha 1, coluna 14$/)
    assert.match(await reasonOf('{\n"name": }'), /^JSON inválido: (erro de sintaxe|caractere)/)
    assert.match(await reasonOf('{} {}', 'en'), /^invalid JSON: syntax error on line 1, column 4$/)
  })

  for (const [what, body, field] of [
    ['an unknown field', '{"name":"x","cor":"azul"}', 'cor'],
    ['an unknown nested field', '{"name":"x","settings":{"cor":1}}', 'settings.cor'],
    ['a __proto__ key', '{"name":"x","__proto__":{"admin":true}}', '__proto__'],
    ['a wrong type', '{"name":{"$gt":""}}', 'name'],
    ['an array instead of an object', '[]', 'corpo'],
    ['a NUL escape', '{"name":"a\\u0000"}', 'name'],
    ['a lone surrogate', '{"name":"\\ud800"}', 'name'],
    ['no content', '', 'corpo'],
  ] as const) {
    it(`a request body with ${what} is rejected with 400 and a message that names the field`, async () => {
      const answer = await post(body)
      assert.equal(answer.status, 400)
      assert.ok(answer.body.error.message.includes(field), answer.body.error.message)
    })
  }

  it('a byte order mark before a JSON body is ignored', async () => {
    const marked = Buffer.from('\ufeff{"name":"x"}')
    assert.equal((await post(marked)).status, 201)
    assert.equal((await post(Buffer.concat([marked.subarray(0, 3), marked]))).status, 400)
  })

  it('a compressed body is rejected with 415 and a sentence that names the encoding', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    const answer = await post(gzipSync('{"name":"x"}'), headers)
    assert.equal(answer.status, 415)
    assert.equal(answer.headers['accept-encoding'], 'identity')
    assert.match(answer.body.error.message, /gzip/)
    assert.equal(
      (await post('{"name":"x"}', { ...json, 'content-encoding': 'identity' })).status,
      201,
    )
  })

  it('an optional body field may be omitted or null', async () => {
    assert.equal((await post('{"name":"x","externalId":null,"settings":null}')).status, 201)
  })

  it('a body over 1 MiB is rejected with 413, except on /messages, where the limit is 16 MiB', async () => {
    const big = JSON.stringify({ name: 'x'.repeat(1024 * 1024) })
    assert.equal((await post(big)).status, 413)
    const { base } = await kit.pair(api)
    const text = { to: '5511988887777', text: 'x'.repeat(2 * 1024 * 1024) }
    assert.equal((await api.post(`${base}/messages`, text)).status, 400)
    assert.equal((await api.post(`${base}/messages/text`, text)).status, 413)
    const huge = { to: '5511988887777', text: 'x'.repeat(16 * 1024 * 1024) }
    assert.equal((await api.post(`${base}/messages`, huge)).status, 413)
  })
})

describe('request paths and query parameters', () => {
  for (const id of [
    "ins_x'%20or%20'1'='1",
    '%00',
    'ins_%00',
    '..%2f..%2fetc%2fpasswd',
    '%c3%28',
    '%',
    'x'.repeat(5000),
    '%F0%9F%98%80',
    '__proto__',
    'null',
  ]) {
    it(`a path with the id ${id.slice(0, 24)} is rejected with 400, 404 or 414 and an error message`, async () => {
      for (const path of [`/v1/instances/${id}`, `/v1/instances/${id}/messages/${id}`]) {
        const { status, body } = await api.get(path)
        assert.ok([400, 404, 414].includes(status), `${status}`)
        assert.ok(body.error.message)
      }
    })
  }

  it('a body is rejected with 400 by routes that take none, and its first field named', async () => {
    const { base } = await kit.pair(api)
    for (const [path, body, field] of [
      [`${base}/connect`, { foo: 1 }, 'foo'],
      [`${base}/disconnect`, [1], 'body'],
      [`${base}/connect`, 'já', 'body'],
      [`${base}/qr-token`, { ttl: 9999 }, 'ttl'],
      ['/v1/campaigns/cmp_x/start', { scheduledAt: '2030-01-01T00:00:00Z' }, 'scheduledAt'],
    ] as const) {
      const answer = await api.post(path, body)
      assert.equal(answer.status, 400, path)
      assert.equal(answer.body.error.field, field)
    }
    assert.equal((await api.post(`${base}/connect`, {})).status, 200)
    assert.equal((await api.post(`${base}/connect`)).status, 200)
  })

  it('an unknown query parameter is rejected with 400 and named, also on routes that accept none', async () => {
    const { base } = await kit.pair(api)
    for (const path of [
      `${base}/messages?conversationID=cnv_x`,
      '/v1/instances?cor=azul&limit=1',
      `${base}?cor=azul`,
      `${base}/messages?__proto__=x`,
    ]) {
      const { status, body } = await api.get(path)
      assert.equal(status, 400, path)
      assert.match(body.error.message, /^parâmetro desconhecido: (conversationID|cor|__proto__)$/)
    }
    const sent = await api.post(`${base}/messages/text?cor=azul`, {
      to: '5511988887777',
      text: 'a',
    })
    assert.equal(sent.status, 400)
    // Authentication comes first: an anonymous caller learns nothing about parameters.
    assert.equal((await kit.client('test').get('/v1/instances?cor=azul')).status, 401)
  })

  it('a numeric query parameter accepts plain ASCII decimal digits only', async () => {
    for (const limit of ['1e2', '0x10', '1.0', '+5', ' 5', '٣', '', '-1', '0', '201']) {
      const path = `/v1/instances?limit=${encodeURIComponent(limit)}`
      assert.equal((await api.get(path)).status, 400, limit)
    }
    assert.equal((await api.get('/v1/instances?limit=007')).status, 200)
  })

  it('an id of any length is looked up only after authentication and returns 404', async () => {
    const id = `ins_${'a'.repeat(5000)}`
    assert.equal((await kit.client('test').get(`/v1/instances/${id}`)).status, 401)
    const { status, body } = await api.get(`/v1/instances/${id}`)
    assert.deepEqual([status, body.error.message], [404, 'instância não encontrada'])
    assert.equal((await api.delete(`/v1/webhooks/${id}`)).status, 404)
  })

  it('a query parameter with one of several values names all of them in its error', async () => {
    const { message } = (await api.get('/v1/requests?result=x')).body.error
    assert.equal(message, 'result: use um destes valores: success, failed, 4xx, 5xx')
  })

  it('a cursor that no page returned is rejected with 400', async () => {
    for (const cursor of ['abc', 'evt_01jcqz3v8xf6k9m2n4p5r7s8t9', 'req_'])
      assert.equal((await api.get(`/v1/requests?before=${cursor}`)).status, 400, cursor)
    assert.equal((await api.get('/v1/requests?before=req_01jcqz3v8xf6k9m2n4p5r7s8t9')).status, 200)
  })

  it('a query parameter that is repeated or contains NUL is rejected with 400', async () => {
    for (const repeated of ['limit=1&limit=2', 'q=a&q=b', 'result=4xx&result=5xx']) {
      const { status, body } = await api.get(`/v1/requests?${repeated}`)
      assert.equal(status, 400)
      assert.match(body.error.message, /^(limit|q|result): informe um valor só$/)
    }
    const { base } = await kit.pair(api)
    assert.equal((await api.get(`${base}/messages?q=%00`)).status, 400)
    assert.equal((await api.get(`${base}/messages?q='%3B--`)).status, 200)
  })
})

describe('request headers', () => {
  const head = (lines: string[]) => `GET /v1/instances HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`

  it('a request with a duplicate Authorization or Host header is rejected with 400', async () => {
    const auth = `Authorization: Bearer ${api.key}`
    const host = `Host: ${HOSTS.test}`
    for (const lines of [
      [host, auth, auth],
      [host, `Host: ${HOSTS.production}`, auth],
    ]) {
      const answer = await raw(head([...lines, 'Connection: close']))
      assert.match(answer, /^HTTP\/1\.1 400/)
      assert.equal(bodyOf(answer).error.code, 'BAD_REQUEST')
    }
  })

  it('an unknown expectation is ignored, and 100-continue is answered before the body', async () => {
    const body = '{"name":"x"}'
    const post = (expect: string) =>
      raw(
        `POST /v1/instances HTTP/1.1\r\nHost: ${HOSTS.test}\r\nAuthorization: Bearer ${api.key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: ${expect}\r\n` +
          `Connection: close\r\n\r\n${body}`,
      )
    assert.match(await post('coffee'), /^HTTP\/1\.1 201/)
    assert.match(await post('100-continue'), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201/)
  })

  it('a request with missing, oversized or malformed headers is rejected with the error envelope', async () => {
    for (const text of [
      head(['Connection: close']),
      head([`Host: x`, `X-Big: ${'x'.repeat(20_000)}`]),
      'NADA\r\n\r\n',
      'GET /v1/instances HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
      'POST /v1/instances HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      // A method that must have a body.
      'QUERY /v1/instances HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    ]) {
      const answer = await raw(text)
      assert.match(answer, /^HTTP\/1\.1 4\d\d/)
      assert.equal(bodyOf(answer).error.code, 'BAD_REQUEST')
    }
  })
})

describe('public endpoints', () => {
  it('all public endpoints are under /v1', async () => {
    const document = kit.app.server.swagger() as { paths: Record<string, unknown> }
    const paths = Object.keys(document.paths)
    assert.ok(paths.length > 30)
    assert.deepEqual(
      paths.filter((path) => !path.startsWith('/v1/')),
      [],
    )
  })
})
