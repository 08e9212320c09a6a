// No connection is opened to a forbidden address. Canary listeners count connections;
// the sockets and the name server are real.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { after, before, describe, it } from 'node:test'
import { delivery, targetOf } from '../../../test/kit/delivery.ts'
import { startNameServer, type NameServer } from '../../../test/kit/dns.ts'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { createAddressPolicy, parseCidr } from '../../kernel/address-policy.ts'
import { ownAddresses } from '../../platform/egress/own-addresses.ts'
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
let names: NameServer
let egress: Egress
let canary: { port: number; connections: () => number; count: (socket: Socket) => void }

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
  let connections = 0
  const count = (socket: Socket) => {
    connections++
    socket.destroy()
  }
  // Canaries on the other loopback addresses, IPv4 and IPv6, count any connection that gets through.
  const port = await listen(createServer(count), '127.0.0.1')
  for (const host of ['127.0.0.3', '::1']) {
    await listen(createServer(count), host, port).catch(() => {})
  }
  canary = { port, connections: () => connections, count }
})
after(async () => {
  await egress.close()
  names.close()
  for (const server of servers) server.close()
})

function attempt(url: string) {
  const inboxes = { listenerFor: async () => null }
  return attemptDelivery({ clock, policy, egress, inboxes }, delivery, targetOf(url, policy))
}

/** Hosts that are, or embed, 127.0.0.1 or another forbidden address. */
const DISGUISES = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0x7f.0x0.0x0.0x1',
  '127.0.0.1.',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '0',
  '0.0.0.0',
  '127.0.0.3',
  '127.255.255.254',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[2001::80ff:fffe]',
  '[::5efe:127.0.0.1]',
  '[fe80::5efe:7f00:1]',
  '[2001:db8::1]',
  '[fc00::1]',
  '[fe80::1]',
  '[fe80::1%25lo]',
  '[::1%25lo]',
  '1.1.1.1@127.0.0.1',
  '127.0.0.1:80@127.0.0.1',
  'localhost',
  'LOCALHOST',
  'a.localhost',
  'localhost.',
]

describe('a forbidden address', () => {
  for (const host of DISGUISES) {
    it(`a delivery to the host ${host} opens no connection`, async () => {
      const outcome = await attempt(`http://${host}:${canary.port}/`)
      assert.equal(outcome.success, false)
      assert.equal(canary.connections(), 0)
    })
  }

  it('a delivery to an own address of this machine, private or public, opens no connection', async (test) => {
    const own = Object.values(networkInterfaces())
      .flatMap((entries) => entries ?? [])
      .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
    if (own.length === 0) {
      test.skip('this machine has no addresses except loopback')
      return
    }
    const real = createAddressPolicy({ allow: [], deny: [], own: ownAddresses() })
    const before_ = canary.connections()
    for (const { address, family } of own) {
      await listen(createServer(canary.count), address, canary.port)
      const host = family === 'IPv6' ? `[${address}]` : address
      assert.equal(real.permits(address), false)
      const outcome = await attempt(`http://${host}:${canary.port}/`)
      assert.equal(outcome.reasonClass, 'forbidden_address')
    }
    assert.equal(canary.connections(), before_)
  })

  it('a URL with backslashes, tabs, missing slashes or another scheme does not reach a forbidden address', async () => {
    const { port } = canary
    for (const url of [
      `http:\\\\127.0.0.1:${port}\\`,
      `http://${PUBLIC}\\@127.0.0.1:${port}/`,
      `http:/127.0.0.1:${port}/`,
      `http:127.0.0.1:${port}/`,
      `ht\ttp://127.0.0.1:${port}/`,
      `http://127.0\n.0.1:${port}/`,
      ` http://127.0.0.1:${port}/ `,
      `HTTP://127.0.0.1:${port}/`,
      `gopher://127.0.0.1:${port}/`,
    ]) {
      const outcome = await attempt(url)
      assert.equal(outcome.success, false, url)
    }
    assert.equal(canary.connections(), 0)
  })

  it('a name that resolves to a forbidden address, alone or among others, IPv4 or IPv6, is rejected', async () => {
    for (const [name, answers] of [
      ['so.test', ['127.0.0.1']],
      ['misto.test', [PUBLIC, '127.0.0.1']],
      ['seis.test', ['::1']],
      ['ambos.test', [PUBLIC, '::1']],
      ['mapeado.test', ['::ffff:127.0.0.1']],
      ['nat64.test', ['64:ff9b::7f00:1']],
    ] as const) {
      names.names.set(name, [[...answers]])
      const outcome = await attempt(`http://${name}:${canary.port}/`)
      assert.equal(outcome.reasonClass, 'forbidden_address', name)
    }
    assert.equal(canary.connections(), 0)
  })

  it('a name that changes to a forbidden address after its lookup does not reach that address', async () => {
    names.names.set('muda.test', [[PUBLIC], ['127.0.0.1']])
    const server = createHttpServer((_, response) => void response.end())
    await listen(server, PUBLIC, canary.port)
    const first = await attempt(`http://muda.test:${canary.port}/`)
    assert.equal(first.success, true)
    assert.equal(names.queries.filter((query) => query === 'A muda.test').length, 1)
    // The name has changed: a pooled connection still leads to the old address, a new one is checked again.
    server.closeAllConnections()
    const second = await attempt(`http://muda.test:${canary.port}/`)
    assert.equal(second.success, false)
    const third = await attempt(`http://muda.test:${canary.port}/`)
    assert.equal(third.reasonClass, 'forbidden_address')
    assert.equal(canary.connections(), 0)
  })

  it('a redirect does not reach a forbidden address, however the address is written', async () => {
    for (const host of DISGUISES) {
      const location = `http://${host}:${canary.port}/`
      const server = createHttpServer((_, response) => {
        // Header values are ASCII: a browser would percent-encode the other characters.
        response.writeHead(302, { location: encodeURI(location).replaceAll('%25', '%') }).end()
      })
      const port = await listen(server, PUBLIC)
      const outcome = await attempt(`http://${PUBLIC}:${port}/`)
      assert.equal(outcome.success, false, host)
    }
    assert.equal(canary.connections(), 0)
  })
})
