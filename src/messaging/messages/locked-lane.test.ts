import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { SemaphoreTimeout } from '../../kernel/fair-semaphore.ts'
import { createLockedLanes, createLockTurns } from './locked-lane.ts'

type Draft = { projectId: string; n: number }

function start(accept: (drafts: Draft[]) => Promise<number[]>) {
  return createLockedLanes<Draft, number>({
    turns: createLockTurns(createManualClock(), { max: 2, maxPerKey: 1 }),
    maxItems: 2,
    accept,
    isItemError: (error) => error instanceof RangeError,
  })
}

describe('the sends of a locked Project', () => {
  it('a Project whose lock is never released queues a limited number of sends, and does not affect those of other Projects', async () => {
    let release = () => {}
    const locked = new Promise<void>((resolve) => (release = resolve))
    const lanes = start(async (drafts) => {
      if (drafts.some(({ projectId }) => projectId === 'stuck')) await locked
      return drafts.map(({ n }) => n)
    })
    const stuck = Array.from({ length: 2100 }, (_, n) =>
      lanes.add({ projectId: 'stuck', n }).catch((error: unknown) => error),
    )
    assert.ok((await stuck.at(-1)) instanceof SemaphoreTimeout)
    assert.equal(await lanes.add({ projectId: 'free', n: 7 }), 7)
    release()
    const rejected = (await Promise.all(stuck)).filter((one) => one instanceof SemaphoreTimeout)
    assert.ok(rejected.length > 0 && rejected.length <= 100, `${rejected.length} rejected`)
  })

  it('a send that cannot be stored fails alone, and those beside it are accepted', async () => {
    const lanes = start(async (drafts) => {
      if (drafts.some(({ n }) => n === 2)) throw new RangeError('bad item')
      return drafts.map(({ n }) => n)
    })
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map((n) => lanes.add({ projectId: 'one', n })),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  })
})
