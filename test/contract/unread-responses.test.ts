// Clients that do not read their responses.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { limitUnreadResponses } from '../../src/platform/http/unread-responses.ts'
import { Failure } from '../../src/kernel/phrases/fail.ts'

const LARGE = 8 * 1024 * 1024
let server: FastifyInstance
const closed: Promise<unknown>[] = []
before(async () => {
  server = Fastify()
  server.decorateRequest('principal', null)
  server.addHook('onRequest', async (request) => {
    const projectId = request.headers['x-project']
    Object.assign(request, { principal: projectId ? { projectId } : null })
  })
  server.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof Failure && error.kind === 'unavailable' ? 503 : 500).send({}),
  )
  limitUnreadResponses(server, { perProject: 3 * LARGE, total: 10 * LARGE, stallMs: 3000 })
  server.get('/large', () => 'x'.repeat(LARGE))
  server.get('/small', () => 'x')
  server.post('/large', () => 'x'.repeat(LARGE))
  server.get('/encoded', (_request, reply) =>
    reply
      .header('content-encoding', 'br')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('etag', '"a"')
      .send('x'.repeat(LARGE)),
  )
  server.server.on('connection', (socket) =>
    closed.push(new Promise((resolve) => socket.once('close', resolve))),
  )
  await server.listen({ host: '127.0.0.1', port: 0 })
})
after(() => server.close())

const port = () => (server.server.address() as AddressInfo).port
const ask = (path: string, project: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Project: ${project}\r\n\r\n`

/** Requests a large response and reads only its first bytes. */
async function holdResponse(project: string): Promise<Socket> {
  const socket = connect(port(), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(ask('/large', project))
  await once(socket, 'readable')
  return socket
}
const statusOf = async (path: string, project: string, method = 'GET') => {
  const answer = await fetch(`http://127.0.0.1:${port()}${path}`, {
    method,
    headers: { 'x-project': project },
  })
  await answer.arrayBuffer()
  return answer.status
}

describe('responses that are not read', () => {
  it('a Project whose clients do not read gets no further large responses, until they do; others do', async () => {
    const held = await Promise.all([1, 2, 3].map(() => holdResponse('greedy')))
    assert.equal(await statusOf('/large', 'greedy'), 503)
    assert.equal(await statusOf('/small', 'greedy'), 200)
    // The response of a change, which is done, and those without a credential, which cost nothing of their own.
    assert.equal(await statusOf('/large', 'greedy', 'POST'), 200)
    assert.equal(await statusOf('/large', ''), 200)
    const refused = await fetch(`http://127.0.0.1:${port()}/encoded`, {
      headers: { 'x-project': 'greedy' },
    })
    assert.deepEqual(
      ['content-encoding', 'etag', 'cache-control'].map((name) => refused.headers.get(name)),
      [null, null, 'no-store'],
    )
    assert.equal(await statusOf('/large', 'other'), 200)
    for (const socket of held) socket.destroy()
    for (let tries = 0; tries < 100; tries++) {
      if ((await statusOf('/large', 'greedy')) === 200) return
    }
    assert.fail('the space of closed connections is not returned')
  })

  it('a client that takes nothing of its response is disconnected', async () => {
    const before = closed.length
    const socket = await holdResponse('stalled')
    await closed[before]
    socket.destroy()
  })
})
