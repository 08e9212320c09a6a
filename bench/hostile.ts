// Duration and memory cost of delivery attempts to hostile peers.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { attemptDelivery } from '../src/events/deliveries/attempt.ts'
import { createAddressPolicy, parseCidr } from '../src/kernel/address-policy.ts'
import { createSystemClock } from '../src/kernel/clock.ts'
import { createResolver } from '../src/platform/egress/resolver.ts'
import { createEgress } from '../src/platform/egress/safe-fetch.ts'
import { delivery, targetOf } from '../test/kit/delivery.ts'
import { startNameServer } from '../test/kit/dns.ts'
import { print } from './load.ts'

const AT_ONCE = 200
const HEAD = 'HTTP/1.1 200 OK\r\n'
const drip = (socket: Socket, what: string) => {
  const timer = setInterval(() => socket.write(what), 200)
  socket.once('close', () => clearInterval(timer))
}

/** Behavior of each peer after it has received a request. */
const PEERS: Record<string, (socket: Socket) => void> = {
  'sends nothing': () => {},
  'drips its headers': (socket) => {
    socket.write(HEAD)
    drip(socket, 'x')
  },
  'never ends its body': (socket) => {
    socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`)
    drip(socket, `1000\r\n${'x'.repeat(4096)}\r\n`)
  },
  'sends a gzip bomb': (socket) => {
    socket.write(`${HEAD}content-encoding: gzip\r\ncontent-length: 100000000\r\n\r\n`)
    socket.write(Buffer.alloc(1_000_000, 0x1f))
  },
  'sends a megabyte of headers': (socket) => {
    socket.write(HEAD)
    for (let count = 0; count < 1000; count++) socket.write(`x-${count}: ${'x'.repeat(1000)}\r\n`)
  },
  'redirects forever, 2 s per hop': (socket) => {
    setTimeout(() => socket.end('HTTP/1.1 307 x\r\nlocation: /\r\nconnection: close\r\n\r\n'), 2000)
  },
}

const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024

/** `npm run bench -- hostile`: takes a minute and a half. */
export async function benchHostile(): Promise<void> {
  print(`hostile: ${AT_ONCE} concurrent attempts to each peer`)
  const clock = createSystemClock()
  const allow = [parseCidr('127.0.0.1/32')].filter((cidr) => cidr !== null)
  const policy = createAddressPolicy({ allow, deny: [] })
  const names = await startNameServer()
  names.names.set('mudo.test', 'silence')
  const resolver = createResolver({ clock, servers: [names.address] })
  const egress = createEgress({ clock, policy, resolver, proxy: null, maxSockets: 4096 })
  const inboxes = { listenerFor: async () => null }
  const attempt = (url: string) =>
    attemptDelivery({ clock, policy, egress, inboxes }, delivery, targetOf(url, policy))
  const measure = async (name: string, url: string) => {
    const before = residentMb()
    const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, () => attempt(url)))
    const durations = outcomes.map(({ durationMs }) => durationMs)
    const reasons = [...new Set(outcomes.map(({ reason }) => reason ?? 'success'))]
    print(
      `${name.padEnd(32)} ${(Math.min(...durations) / 1000).toFixed(2)} to ` +
        `${(Math.max(...durations) / 1000).toFixed(2)} s, memory ${before.toFixed(0)} → ` +
        `${residentMb().toFixed(0)} MB, ${reasons.join(', ')}`,
    )
  }
  for (const [name, act] of Object.entries(PEERS)) {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => act(socket))
    })
    server.listen(0, '127.0.0.1', 4096)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await measure(name, `http://127.0.0.1:${port}/`)
    if (name === 'sends nothing') await measure('never starts TLS', `https://127.0.0.1:${port}/`)
    server.close()
  }
  await measure('name server never responds', 'http://mudo.test/')
  await egress.close()
  names.close()
}
