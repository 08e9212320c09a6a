import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../test/kit/manual-clock.ts'
import { createPendingWork } from '../kernel/pending-work.ts'
import { createMetrics } from '../platform/metrics/metrics.ts'
import { startMaintenance, type MaintenanceTask } from './maintenance.ts'

const task = (name: string, run: MaintenanceTask['run'], everyMs = 600_000) => ({
  name,
  everyMs,
  run,
})
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('maintenance', () => {
  it('maintenance runs every task although one before it fails, and names the failed one', async () => {
    const clock = createManualClock()
    const metrics = createMetrics()
    const ran: string[] = []
    const failed: string[] = []
    const loop = startMaintenance({
      clock,
      activity: createPendingWork(),
      db: null as never,
      metrics,
      tasks: [
        task('files', async () => Promise.reject(new Error('S3 is down'))),
        task('payments', async () => void ran.push('payments')),
      ],
      onError: (_, task) => void failed.push(task),
    })
    clock.jump(600_000)
    await turn()
    assert.deepEqual([ran, failed], [['payments'], ['files']])
    const text = await metrics.registry.metrics()
    assert.match(text, /maintenance_task_seconds_count\{task="files",outcome="failed"\} 1/)
    assert.match(text, /maintenance_task_seconds_count\{task="payments",outcome="succeeded"\} 1/)
    await loop.stop()
  })

  it('a hanging maintenance task delays the others by a minute, and is not started again meanwhile', async () => {
    const clock = createManualClock()
    let started = 0
    const ran: string[] = []
    const loop = startMaintenance({
      clock,
      activity: createPendingWork(),
      db: null as never,
      onError: () => {},
      metrics: createMetrics(),
      tasks: [
        task('files', () => new Promise(() => void started++)),
        task('payments', async () => void ran.push('payments')),
      ],
    })
    clock.jump(600_000)
    await turn()
    assert.deepEqual(ran, [])
    clock.jump(60_000)
    await turn()
    assert.deepEqual(ran, ['payments'])
    clock.jump(600_000)
    await turn()
    assert.deepEqual([ran, started], [['payments', 'payments'], 1])
    await loop.stop()
  })

  it('maintenance runs each task at its own interval', async () => {
    const clock = createManualClock()
    const ran: string[] = []
    const loop = startMaintenance({
      clock,
      activity: createPendingWork(),
      db: null as never,
      metrics: createMetrics(),
      onError: () => {},
      tasks: [
        task('seldom', async () => void ran.push('seldom'), 120_000),
        task('often', async () => void ran.push('often'), 60_000),
      ],
    })
    for (let minute = 0; minute < 4; minute++) {
      clock.jump(60_000)
      await turn()
    }
    assert.deepEqual(ran, ['often', 'seldom', 'often', 'often', 'seldom', 'often'])
    await loop.stop()
  })
})
