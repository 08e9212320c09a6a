import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { request } from 'undici'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { limitRequests } from './fair-requests.ts'
import { watchHandlers } from './handled.ts'

const PER_PROJECT = 4
/** Much more than the operating system buffers for a client that does not read. */
const LARGE = 'x'.repeat(16 * 1024 * 1024)

async function startServer() {
  const server = Fastify()
  server.decorateRequest('principal', null)
  server.addHook('onRequest', async (incoming) => {
    incoming.principal = { projectId: String(incoming.headers['project']) } as never
  })
  // As in the server: a reply that has not passed its hooks yet settles only once its client has received it.
  for (let hook = 0; hook < 3; hook++)
    server.addHook('onSend', async (_request, _reply, payload) => payload)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const share = { max: 3 * PER_PROJECT, maxPerKey: PER_PROJECT }
  const releaseSlot = limitRequests(server, createManualClock(), watchHandlers(server), {
    reads: share,
    changes: share,
  })
  server.setErrorHandler(async (error, request) => {
    releaseSlot(request)
    await released
    throw error
  })
  server.addContentTypeParser('text/csv', (_request, _payload, done) => done(null, ''))
  let held = 0
  server.get('/large', async () => LARGE)
  server.get('/rejected', async () => {
    held++
    throw new Error('rejected')
  })
  server.get('/held', async () => {
    held++
    await released
    return 'released'
  })
  server.get('/small', async () => 'small')
  server.post('/held', async () => {
    held++
    await released
    return 'released'
  })
  server.post('/small', async () => 'small')
  server.post('/reply', async (_request, reply) => {
    held++
    return reply.code(204).send(null)
  })
  server.post('/nested', { config: { nested: true } }, async ({ headers }) => {
    const inner = { url: '/small', headers: { project: String(headers['project']) } }
    const answers = await Promise.all([
      server.inject({ method: 'GET', ...inner }),
      server.inject({ method: 'POST', ...inner }),
    ])
    return answers.map(({ payload }) => payload).join()
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  const get = async (path: string, project: string) => {
    const { body } = await request(`http://127.0.0.1:${port}${path}`, { headers: { project } })
    return body.text()
  }
  const post = async (path: string, project: string, more: Record<string, string> = {}) => {
    const options = { method: 'POST' as const, headers: { project, ...more } }
    const { body } = await request(`http://127.0.0.1:${port}${path}`, options)
    return body.text()
  }
  return { server, port, get, post, release, held: () => held }
}

/** Checks what works while ten slow requests of Project `a` hold its slots, or wait for them. */
async function whileHeld(
  { server, release, held }: Awaited<ReturnType<typeof startServer>>,
  call: () => Promise<unknown>,
  check: () => Promise<void>,
): Promise<void> {
  const slow = Array.from({ length: 10 }, call)
  while (held() < PER_PROJECT) await new Promise((resolve) => setImmediate(resolve))
  await check()
  assert.equal(held(), PER_PROJECT)
  release()
  await Promise.all(slow)
  await server.close()
}

describe('limitRequests', () => {
  it('slow reads of one Project leave room for reads of other Projects', async () => {
    const started = await startServer()
    const { get } = started
    await whileHeld(
      started,
      () => get('/held', 'a'),
      async () => assert.equal(await get('/small', 'b'), 'small'),
    )
  })

  it('slow changes of one Project leave room for changes of other Projects, and for its own reads', async () => {
    const started = await startServer()
    const { get, post } = started
    await whileHeld(
      started,
      () => post('/held', 'a'),
      async () => {
        assert.equal(await post('/small', 'b'), 'small')
        assert.equal(await get('/small', 'a'), 'small')
      },
    )
  })

  it('headers that a route ignores do not spare a change its slot', async () => {
    for (const header of [{ 'idempotency-key': 'x' }, { 'content-type': 'text/csv' }]) {
      const started = await startServer()
      const { post } = started
      await whileHeld(
        started,
        () => post('/held', 'a', header),
        async () => assert.equal(await post('/small', 'b'), 'small'),
      )
    }
  })

  it('a request holds its slot until its handler ends, and none that waits begins, if their clients disconnect', async () => {
    const started = await startServer()
    const { port, get, held } = started
    const sockets = Array.from({ length: 10 }, () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write('GET /held HTTP/1.1\r\nhost: x\r\nproject: a\r\n\r\n')
      return socket
    })
    await whileHeld(
      started,
      async () => {},
      async () => {
        for (const socket of sockets) socket.destroy()
        for (const socket of sockets) if (!socket.closed) await once(socket, 'close')
        assert.equal(await get('/small', 'b'), 'small')
      },
    )
    assert.equal(held(), PER_PROJECT)
  })

  it('requests that make others leave them their slots, however many there are', async () => {
    const { server, post } = await startServer()
    const calls = Array.from({ length: 40 }, () => post('/nested', 'a'))
    assert.deepEqual(new Set(await Promise.all(calls)), new Set(['small,small']))
    await server.close()
  })

  it('HEAD takes a slot like the GET whose handler it runs', async () => {
    const started = await startServer()
    const { port, get } = started
    await whileHeld(
      started,
      () => request(`http://127.0.0.1:${port}/held`, { method: 'HEAD', headers: { project: 'a' } }),
      async () => assert.equal(await get('/small', 'b'), 'small'),
    )
  })

  it('rejections that are delayed leave room for other reads of their Project', async () => {
    const { server, get, release, held } = await startServer()
    const rejected = Array.from({ length: PER_PROJECT }, () => get('/rejected', 'a'))
    while (held() < PER_PROJECT) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(await get('/small', 'a'), 'small')
    release()
    await Promise.all(rejected)
    await server.close()
  })

  it('responses that wait behind one which its client does not read release their slots', async () => {
    const { server, port, post, held } = await startServer()
    const head = (method: string, path: string) =>
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nproject: a\r\ncontent-length: 0\r\n\r\n`
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(head('GET', '/large') + head('POST', '/reply').repeat(3 * PER_PROJECT))
    while (held() < 3 * PER_PROJECT) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(await post('/small', 'a'), 'small')
    socket.destroy()
    await server.close()
  })

  it('a client that does not read its response does not delay other reads', async () => {
    const { server, port, get } = await startServer()
    const sockets = await Promise.all(
      ['a', 'b', 'c', 'd'].flatMap((project) =>
        Array.from({ length: PER_PROJECT }, async () => {
          const socket = connect(port, '127.0.0.1')
          socket.on('error', () => {})
          await once(socket, 'connect')
          socket.write(`GET /large HTTP/1.1\r\nhost: x\r\nproject: ${project}\r\n\r\n`)
          await once(socket, 'readable')
          return socket
        }),
      ),
    )
    assert.equal(await get('/small', 'a'), 'small')
    assert.equal(await get('/small', 'e'), 'small')
    for (const socket of sockets) socket.destroy()
    await server.close()
  })
})
