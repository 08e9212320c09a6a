import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { createPendingWork } from '../../kernel/pending-work.ts'
import type { LeasedDelivery } from '../events.service.ts'
import type { WebhookTarget } from '../webhooks/webhooks.service.ts'
import type { AttemptOutcome } from './attempt.ts'
import { createDispatcher, type QueuedDelivery } from './dispatcher.ts'
import { createLanes } from './lanes.ts'

const deliveriesOf = (webhookId: string, from: number, count: number): LeasedDelivery[] =>
  Array.from({ length: count }, (_, index) => ({
    id: from + index,
    webhookId,
    projectId: webhookId,
    webhookGeneration: 1,
    attempt: 1,
    dueAt: 0,
    event: { id: `evt_${from + index}`, name: 'message.received', body: '{}' },
  }))
const outcome = (success: boolean): AttemptOutcome => ({
  success,
  reasonClass: success ? 'none' : 'network',
  statusCode: success ? 200 : null,
  reason: success ? null : 'x',
  cancelled: false,
  localFault: false,
  durationMs: 1,
})
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A dispatcher whose attempts to `failing` fail at once; `begun` has the webhook of each attempt. */
function setUp() {
  const begun: string[] = []
  const released: number[] = []
  const clock = createManualClock()
  let endPause = () => {}
  const target = { enabled: true, generation: 1 } as WebhookTarget
  const dispatcher = createDispatcher({
    clock,
    activity: createPendingWork(),
    targets: { cached: () => target, read: async () => target, forget: () => {} },
    finisher: { finish: async () => null },
    lanes: createLanes<QueuedDelivery>({ places: 4096, nodes: () => 1 }),
    attempt: async ({ webhookId }) => {
      begun.push(webhookId)
      return outcome(webhookId !== 'failing')
    },
    release: async (ids) => void released.push(...ids),
    pause: () =>
      new Promise((resolve) => {
        endPause = resolve
      }),
    onOutcome: () => {},
    onError: (error) => assert.fail(String(error)),
  })
  const pause = async () => {
    endPause()
    for (let count = 0; count < 5; count++) await turn()
  }
  return { dispatcher, begun, released, clock, pause }
}

describe('the pace of failing endpoints', () => {
  it('attempts of the slow lane begin eight at a time, and those of healthy endpoints do not wait', async () => {
    const { dispatcher, begun, pause } = setUp()
    // The first failure moves the endpoint to the slow lane.
    dispatcher.accept(deliveriesOf('failing', 0, 1))
    await pause()
    dispatcher.accept(deliveriesOf('failing', 100, 30))
    dispatcher.accept(deliveriesOf('sound', 200, 1))
    const counts: number[] = []
    for (let batch = 0; batch < 5; batch++) {
      for (let count = 0; count < 5; count++) await turn()
      counts.push(begun.filter((webhookId) => webhookId === 'failing').length)
      assert.ok(begun.includes('sound'))
      await pause()
    }
    assert.deepEqual(counts, [9, 17, 25, 31, 31])
  })

  it('deliveries that are released because they waited too long take no place in a batch', async () => {
    const { dispatcher, begun, released, clock, pause } = setUp()
    dispatcher.accept(deliveriesOf('failing', 0, 1))
    await pause()
    dispatcher.accept(deliveriesOf('failing', 100, 30))
    for (let count = 0; count < 5; count++) await turn()
    assert.equal(dispatcher.waiting(), 22)
    clock.jump(10_001)
    await pause()
    assert.deepEqual([begun.length, released.length, dispatcher.waiting()], [9, 22, 0])
    dispatcher.accept(deliveriesOf('failing', 200, 30))
    for (let count = 0; count < 5; count++) await turn()
    assert.equal(begun.length, 17)
  })
})
