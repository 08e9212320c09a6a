import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { createAddressPolicy } from '../../kernel/address-policy.ts'
import { startBudget } from '../../kernel/budget.ts'
import { createSystemClock } from '../../kernel/clock.ts'
import { createEgress } from './safe-fetch.ts'

describe('the client for outgoing requests', () => {
  it('the lookup of a host that several companies use counts against the company whose request needs it', async () => {
    const clock = createSystemClock()
    const server = createServer((request, response) => {
      if (request.url !== '/hangs') response.end('ok')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const asked: (string | null | undefined)[] = []
    const egress = createEgress({
      clock,
      policy: createAddressPolicy({
        allow: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4', text: '127.0.0.1/32' }],
        deny: [],
      }),
      resolver: {
        async resolve(_name, tenant) {
          asked.push(tenant)
          return [{ address: '127.0.0.1', family: 4 }]
        },
      },
      proxy: null,
      maxSockets: 100,
    })
    const post = (tenant: string, path: string) =>
      egress.exchange({
        url: new URL(`http://hooks.shared.test:${port}${path}`),
        method: 'POST',
        headers: {},
        body: Buffer.from('x'),
        budget: startBudget(clock, 5000),
        tenant,
      })
    const hangs = post('one', '/hangs').catch(() => {})
    await new Promise<void>((resolve) => server.once('request', () => resolve()))
    await Promise.all([post('two', '/'), post('three', '/')])
    assert.deepEqual(asked, ['one', 'two', 'three'])
    server.closeAllConnections()
    server.close()
    await hangs
    await egress.close()
  })
})
