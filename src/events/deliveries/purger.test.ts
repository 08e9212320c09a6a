import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPendingWork } from '../../kernel/pending-work.ts'
import { createPurger } from './purger.ts'

describe('the removal of stale deliveries', () => {
  it('deletes one batch at a time, of the webhooks in turn, and survives one that fails', async () => {
    const activity = createPendingWork()
    const left = new Map([
      ['large', 3],
      ['small', 1],
    ])
    const deleted: string[] = []
    const failures: string[] = []
    let inProgress = 0
    const purger = createPurger({
      activity,
      async deleteBatch(webhookId) {
        assert.equal(++inProgress, 1)
        await Promise.resolve()
        inProgress--
        deleted.push(webhookId)
        if (webhookId === 'broken') throw new Error('the connection is lost')
        const batches = (left.get(webhookId) ?? 0) - 1
        left.set(webhookId, batches)
        return batches > 0
      },
      onError: (error, task) => void failures.push(`${task}: ${String(error)}`),
    })
    for (const id of ['large', 'broken', 'large', 'small']) purger.purge(id)
    await activity.idle()
    assert.deepEqual(deleted, ['large', 'broken', 'large', 'small', 'large'])
    assert.deepEqual(failures, [
      'removing the deliveries of webhook broken: Error: the connection is lost',
    ])
    purger.purge('large')
    await activity.idle()
    assert.equal(deleted.at(-1), 'large')
    left.set('large', 5)
    const before = deleted.length
    purger.purge('large')
    purger.stop()
    purger.purge('small')
    await activity.idle()
    assert.deepEqual(deleted.slice(before), ['large'])
  })
})
