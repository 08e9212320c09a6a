import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../test/kit/manual-clock.ts'
import { createActivity } from '../kernel/activity.ts'
import { startMaintenance } from './maintenance.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('maintenance', () => {
  it('runs every task although one before it fails, and names the failed one', async () => {
    const clock = createManualClock()
    const ran: string[] = []
    const failed: string[] = []
    const loop = startMaintenance({
      clock,
      activity: createActivity(),
      db: null as never,
      tasks: {
        files: async () => Promise.reject(new Error('S3 is down')),
        payments: async () => void ran.push('payments'),
      },
      onError: (_, task) => void failed.push(task),
    })
    clock.jump(600_000)
    await turn()
    assert.deepEqual([ran, failed], [['payments'], ['files']])
    await loop.stop()
  })

  it('waits a minute for a task that hangs, then runs the others, and starts it no second time', async () => {
    const clock = createManualClock()
    let started = 0
    const ran: string[] = []
    const loop = startMaintenance({
      clock,
      activity: createActivity(),
      db: null as never,
      onError: () => {},
      tasks: {
        files: () => new Promise(() => void started++),
        payments: async () => void ran.push('payments'),
      },
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
})
