import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { AttemptOutcome } from './attempt.ts'
import { createLanes, type Lanes, type Slot } from './lanes.ts'

const outcome = (success: boolean, more: Partial<AttemptOutcome> = {}): AttemptOutcome => ({
  success,
  reasonClass: success ? 'none' : 'timeout',
  statusCode: success ? 200 : null,
  reason: success ? null : 'x',
  cancelled: false,
  localFault: false,
  durationMs: success ? 10 : 15_000,
  ...more,
})
const lanesOf = (places: number, nodes = 1) => createLanes<string>({ places, nodes: () => nodes })

function takeAll(lanes: Lanes<string>): Slot<string>[] {
  const taken: Slot<string>[] = []
  for (let place = lanes.acquire('both'); place; place = lanes.acquire('both')) taken.push(place)
  return taken
}
function push(lanes: Lanes<string>, webhook: string, project: string, count: number): void {
  for (let index = 0; index < count; index++) lanes.push(webhook, project, `${webhook} ${index}`)
}
/** Runs one attempt of the webhook that ends with `result`. */
function teach(
  lanes: Lanes<string>,
  webhook: string,
  project: string,
  result: AttemptOutcome,
): void {
  lanes.push(webhook, project, 'lesson')
  const place = lanes.acquire('both')
  assert.ok(place)
  lanes.release(place, result)
}

describe('the window of an endpoint', () => {
  it('the window of an endpoint starts at one, doubles with each success to 16 and grows to 64', () => {
    const lanes = lanesOf(4096)
    push(lanes, 'w', 'p', 5000)
    const widths: number[] = []
    let taken = takeAll(lanes)
    while (taken.length > 0 && widths.length < 60) {
      widths.push(taken.length)
      for (const place of taken) lanes.release(place, outcome(true))
      taken = takeAll(lanes)
    }
    assert.deepEqual(widths.slice(0, 4), [1, 2, 8, 16])
    assert.equal(Math.max(...widths), 64)
  })

  it('the window of an endpoint halves when it responds with 429 or 503', () => {
    for (const result of [
      outcome(false, { statusCode: 429, reasonClass: 'http_4xx', durationMs: 5 }),
      outcome(false, { statusCode: 503, reasonClass: 'http_5xx', durationMs: 5 }),
    ]) {
      const lanes = lanesOf(4096)
      for (let count = 0; count < 5; count++) teach(lanes, 'w', 'p', outcome(true))
      teach(lanes, 'w', 'p', result)
      // A success moves it back to the healthy lane, where the window applies.
      teach(lanes, 'w', 'p', outcome(true))
      push(lanes, 'w', 'p', 100)
      assert.equal(takeAll(lanes).length, 16)
      assert.equal(lanes.inFlight('healthy'), 16)
    }
  })

  it('the maximum window of 64 is divided among the nodes', () => {
    const lanes = lanesOf(4096, 8)
    for (let count = 0; count < 10; count++) teach(lanes, 'w', 'p', outcome(true))
    push(lanes, 'w', 'p', 100)
    assert.equal(takeAll(lanes).length, 8)
  })

  it('an endpoint that fails moves to the slow lane and stays there while its average latency is high', () => {
    const lanes = lanesOf(100)
    teach(lanes, 'w', 'p', outcome(false))
    push(lanes, 'w', 'p', 1)
    const [place] = takeAll(lanes)
    assert.equal(place?.lane, 'slow')
    if (place) lanes.release(place, outcome(true, { durationMs: 5 }))
    push(lanes, 'w', 'p', 1)
    // The 15 seconds of the failed attempt still dominate the average latency.
    assert.equal(takeAll(lanes)[0]?.lane, 'slow')
  })
})

describe('the lanes', () => {
  it('slow endpoints get at most half of the slots, shared evenly', () => {
    const lanes = lanesOf(100)
    for (let index = 0; index < 10; index++)
      teach(lanes, `slow${index}`, `p${index}`, outcome(false))
    for (let index = 0; index < 10; index++) push(lanes, `slow${index}`, `p${index}`, 50)
    const taken = takeAll(lanes)
    assert.equal(taken.length, 50)
    const shares = Map.groupBy(taken, ({ endpoint }) => endpoint.id)
    assert.deepEqual(
      [...shares.values()].map((one) => one.length),
      Array(10).fill(5),
    )
    // Healthy endpoints get the remaining slots.
    for (let index = 0; index < 60; index++) push(lanes, `w${index}`, `q${index}`, 1)
    assert.equal(takeAll(lanes).length, 50)
  })

  it('the endpoints of one Project take at most half of the slots, however many they are', () => {
    const lanes = lanesOf(8)
    for (let index = 0; index < 10; index++) push(lanes, `w${index}`, 'p', 1)
    const taken = takeAll(lanes)
    assert.equal(taken.length, 4)
    push(lanes, 'other', 'q', 1)
    assert.deepEqual(
      takeAll(lanes).map(({ item }) => item),
      ['other 0'],
    )
    const served = new Set(taken.map(({ item }) => item))
    for (let place = taken.shift(); place; place = taken.shift()) {
      lanes.release(place, outcome(true))
      const next = takeAll(lanes)
      assert.ok(next.length <= 1)
      for (const one of next) served.add(one.item)
      taken.push(...next)
    }
    assert.equal(served.size, 10)
  })

  it('the healthy lane is served alone while the slow one pauses', () => {
    const lanes = lanesOf(100)
    teach(lanes, 'slow', 'p', outcome(false))
    push(lanes, 'slow', 'p', 2)
    push(lanes, 'sound', 'q', 1)
    assert.equal(lanes.acquire('healthy')?.item, 'sound 0')
    assert.equal(lanes.acquire('healthy'), null)
    assert.equal(lanes.acquire('both')?.item, 'slow 0')
  })

  it('the lanes serve Projects round-robin, regardless of the number of their webhooks and deliveries', () => {
    const lanes = lanesOf(4096)
    for (let index = 0; index < 50; index++) push(lanes, `big${index}`, 'big', 100)
    push(lanes, 'small', 'small', 1)
    const order = [lanes.acquire('both'), lanes.acquire('both'), lanes.acquire('both')].map(
      (place) => place?.endpoint.projectId,
    )
    assert.ok(order.slice(0, 2).includes('small'))
  })

  it('the lanes report which webhooks have a full queue and how many more deliveries each can queue', () => {
    const lanes = lanesOf(4096)
    push(lanes, 'w', 'p', 1025)
    assert.deepEqual(lanes.fullWebhooks(), ['w'])
    assert.equal(lanes.capacityFor('w'), 0)
    assert.ok(lanes.capacityFor('unknown') > 0)
    const others = lanesOf(4096)
    teach(others, 'dead', 'p', outcome(false))
    assert.equal(others.capacityFor('dead'), 4)
  })

  it('the lanes never exceed their slots, and lose or repeat no delivery', () => {
    const act = fc.record({
      webhook: fc.integer({ min: 0, max: 9 }),
      count: fc.integer({ min: 0, max: 20 }),
      ends: fc.integer({ min: 0, max: 10 }),
      success: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.array(act, { maxLength: 40 }),
        fc.integer({ min: 2, max: 30 }),
        (acts, places) => {
          const lanes = lanesOf(places)
          const pushed = new Set<string>()
          const seen: string[] = []
          const wire: Slot<string>[] = []
          const step = () => {
            for (const place of takeAll(lanes)) {
              wire.push(place)
              seen.push(place.item)
            }
            assert.ok(wire.length <= places)
            assert.ok(lanes.inFlight('slow') <= places / 2)
            assert.equal(lanes.inFlight('slow') + lanes.inFlight('healthy'), wire.length)
          }
          let made = 0
          for (const { webhook, count, ends, success } of acts) {
            for (let index = 0; index < count; index++) {
              const item = String(made++)
              pushed.add(item)
              lanes.push(`w${webhook}`, `p${webhook % 3}`, item)
            }
            step()
            for (const place of wire.splice(0, ends)) lanes.release(place, outcome(success))
            step()
          }
          while (wire.length > 0) {
            for (const place of wire.splice(0)) lanes.release(place, outcome(true))
            step()
          }
          assert.equal(seen.length, pushed.size)
          assert.deepEqual(new Set(seen), pushed)
        },
      ),
    )
  })
})
