// No attempt takes longer than 15 seconds, whatever the peer does. The sockets and the
// name server are real, the clock is manual.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { delivery, targetOf } from '../../../test/kit/delivery.ts'
import { startNameServer, type NameServer } from '../../../test/kit/dns.ts'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { createAddressPolicy, parseCidr } from '../../kernel/address-policy.ts'
import { createResolver } from '../../platform/egress/resolver.ts'
import { createEgress, type Egress } from '../../platform/egress/safe-fetch.ts'
import { attemptDelivery } from './attempt.ts'

/** Represents the public internet: the only address that the policy permits. */
const PUBLIC = '127.0.0.2'
const policy = createAddressPolicy({
  allow: [parseCidr(`${PUBLIC}/32`)].filter((cidr) => cidr !== null),
  deny: [],
})
const clock = createManualClock()
const servers: Server[] = []
const sockets: Socket[] = []
let names: NameServer
let egress: Egress

const portOf = (server: Server) => (server.address() as AddressInfo).port
async function listen(server: Server, host: string, port = 0): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  servers.push(server)
  return portOf(server)
}

before(async () => {
  names = await startNameServer()
  const resolver = createResolver({ clock, servers: [names.address] })
  egress = createEgress({ clock, policy, resolver, proxy: null, maxSockets: 1000 })
})
after(async () => {
  for (const socket of sockets) socket.destroy()
  await egress.close()
  names.close()
  for (const server of servers) server.close()
})

function attempt(url: string) {
  const inboxes = { listenerFor: async () => null }
  return attemptDelivery({ clock, policy, egress, inboxes }, delivery, targetOf(url, policy))
}

/** Behavior of a hostile peer on one connection; it calls `engaged` when the attempt has reached the hostile state. */
type Hostile = (socket: Socket, engaged: () => void) => void
const onRequest =
  (act: (socket: Socket) => void): Hostile =>
  (socket, engaged) => {
    socket.once('data', () => {
      act(socket)
      engaged()
    })
  }
const drip = (socket: Socket, what: string) => {
  const timer = setInterval(() => socket.write(what), 5)
  socket.once('close', () => clearInterval(timer))
}
const HEAD = 'HTTP/1.1 200 OK\r\n'

/** Peers with which an attempt never ends by itself. */
const ENDLESS: Record<string, Hostile> = {
  'sends no response': onRequest(() => {}),
  'sends its headers byte by byte': onRequest((socket) => {
    socket.write(HEAD)
    drip(socket, 'x-a: b\r\n'.slice(0, 1))
  }),
  'sends informational responses without end': onRequest((socket) =>
    drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
  ),
  'never reads': (socket, engaged) => {
    socket.pause()
    setImmediate(engaged)
  },
}

async function startHostile(act: Hostile) {
  const engaged = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('close', () => left.resolve())
    // A peer that never reads notices a reset, but not an end of stream.
    act(socket, () => engaged.resolve())
  })
  return { port: await listen(server, PUBLIC), engaged: engaged.promise, left: left.promise }
}

describe('the time budget of an attempt', () => {
  for (const [name, act] of Object.entries(ENDLESS)) {
    it(`an attempt ends after 15 seconds when the peer ${name}`, async () => {
      const { port, engaged, left } = await startHostile(act)
      const under = attempt(`http://${PUBLIC}:${port}/`)
      await engaged
      clock.jump(15_000)
      const outcome = await under
      assert.equal(outcome.reasonClass, 'timeout')
      assert.equal(outcome.durationMs, 15_000)
      if (name !== 'never reads') await left
    })
  }

  it('an attempt ends after 15 seconds when the peer accepts the connection and never starts TLS', async () => {
    const { port, engaged } = await startHostile(onRequest(() => {}))
    const under = attempt(`https://${PUBLIC}:${port}/`)
    await engaged
    clock.jump(15_000)
    assert.equal((await under).reasonClass, 'timeout')
  })

  it('an attempt ends after 15 seconds when the name server does not respond', async () => {
    names.names.set('mudo.test', 'silence')
    const under = attempt('http://mudo.test/')
    while (!names.queries.includes('A mudo.test')) await new Promise(setImmediate)
    clock.jump(15_000)
    const outcome = await under
    assert.equal(outcome.reasonClass, 'timeout')
  })

  it('all redirects of an attempt share one budget of 15 seconds', async () => {
    let hops = 0
    const server = createHttpServer((_, response) => {
      hops++
      // The fourth hop ends at 16 seconds, beyond the budget.
      clock.jump(4000)
      response.writeHead(302, { location: `/${hops}` }).end()
    })
    const port = await listen(server, PUBLIC)
    const outcome = await attempt(`http://${PUBLIC}:${port}/`)
    assert.equal(outcome.reasonClass, 'timeout')
    assert.ok(hops <= 4, String(hops))
  })

  it('an attempt ends after ten requests of an endless redirect chain', async () => {
    let hops = 0
    const server = createHttpServer((_, response) => {
      hops++
      response.writeHead(307, { location: '/' }).end()
    })
    const outcome = await attempt(`http://${PUBLIC}:${await listen(server, PUBLIC)}/`)
    assert.equal(outcome.statusCode, 307)
    assert.equal(hops, 10)
  })
})

describe('a response is read no further than its headers', () => {
  it('an attempt whose response body never ends succeeds by its status, and the connection is closed', async () => {
    const { port, left } = await startHostile(
      onRequest((socket) => {
        socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`)
        drip(socket, '1000\r\n' + 'x'.repeat(4096) + '\r\n')
      }),
    )
    const outcome = await attempt(`http://${PUBLIC}:${port}/`)
    assert.equal(outcome.success, true)
    await left
  })

  it('a connection whose response body stalls is closed after 250 ms', async () => {
    const { port, left } = await startHostile(
      onRequest((socket) => socket.write(`${HEAD}content-length: 1000\r\n\r\nx`)),
    )
    const outcome = await attempt(`http://${PUBLIC}:${port}/`)
    assert.equal(outcome.success, true)
    await new Promise(setImmediate)
    clock.jump(250)
    await left
  })

  for (const answer of [
    'nada\r\n\r\n',
    'HTTP/1.1 999999 X\r\n\r\n',
    'HTTP/1.1 200 OK\r\na\r\n\r\n',
  ]) {
    it(`a response of ${JSON.stringify(answer)} is reported as one that is not HTTP`, async () => {
      const { port } = await startHostile(onRequest((socket) => void socket.end(answer)))
      const { reason } = await attempt(`http://${PUBLIC}:${port}/`)
      assert.equal(reason, 'erro de rede: INVALID_HTTP (a resposta não é HTTP válido)')
    })
  }

  it('a compressed response body is not decompressed', async () => {
    const { port, left } = await startHostile(
      onRequest((socket) => {
        socket.write(`${HEAD}content-encoding: gzip\r\ncontent-length: 10000000\r\n\r\n`)
        socket.write(Buffer.alloc(1_000_000, 0x1f))
      }),
    )
    const before_ = process.memoryUsage().rss
    const outcome = await attempt(`http://${PUBLIC}:${port}/`)
    assert.equal(outcome.success, true)
    await left
    assert.ok(process.memoryUsage().rss - before_ < 50_000_000)
  })

  it('a response with a megabyte of headers is rejected', async () => {
    const { port, left } = await startHostile(
      onRequest((socket) => {
        socket.write(HEAD)
        for (let count = 0; count < 1000; count++)
          socket.write(`x-${count}: ${'x'.repeat(1000)}\r\n`)
      }),
    )
    const outcome = await attempt(`http://${PUBLIC}:${port}/`)
    assert.equal(outcome.success, false)
    assert.equal(outcome.reason, 'erro de rede: HEADERS_OVERFLOW')
    await left
  })
})
