import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fastify from 'fastify'
import { createMetrics } from '../metrics/metrics.ts'
import { addMetricsRoute } from './metrics-route.ts'
import type { Server } from './server.ts'

describe('the metrics route', () => {
  it('collects once for callers at the same moment, and again for the next', async () => {
    let collections = 0
    const waiting: (() => void)[] = []
    const readMetrics = async () => {
      collections++
      await new Promise<void>((resolve) => waiting.push(resolve))
      return `recado_collections ${collections}`
    }
    const server = fastify() as unknown as Server
    const settings = { metricsToken: 'monitor', publicUrl: 'http://localhost' }
    addMetricsRoute(server, { metrics: createMetrics(), readMetrics }, settings)
    const get = () =>
      server.inject({ url: '/metrics', headers: { authorization: 'Bearer monitor' } })
    const finish = async () => {
      while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
      waiting.pop()?.()
    }

    const together = Array.from({ length: 200 }, get)
    await finish()
    const bodies = (await Promise.all(together)).map(({ body }) => body)
    assert.deepEqual(new Set(bodies), new Set(['recado_collections 1']))
    const next = get()
    await finish()
    assert.equal((await next).body, 'recado_collections 2')
    await server.close()
  })
})
