import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFrameTurns } from './frame-turns.ts'

/** A clock on which no time passes. */
const STILL = { monotonic: () => 0 }
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const clientsOf = (scope: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${scope}${index}`)

describe('the frames of a live stream', () => {
  it('the frames of a few clients are sent at once', () => {
    const sent: string[] = []
    const turns = createFrameTurns<string>({ clock: STILL, perTurn: 100, maxWaiting: 1000 })
    turns.add('a', clientsOf('a', 3), (client) => sent.push(client))
    turns.add('b', clientsOf('b', 2), (client) => sent.push(client))
    assert.deepEqual(sent, ['a0', 'a1', 'a2', 'b0', 'b1'])
  })

  it('an event for many clients of one scope is sent over several turns, in which another scope has its own', async () => {
    const sent: string[] = []
    const turns = createFrameTurns<string>({ clock: STILL, perTurn: 100, maxWaiting: 10_000 })
    turns.add('a', clientsOf('a', 1000), (client) => sent.push(client))
    assert.equal(sent.length, 100)
    turns.add('b', ['b0'], (client) => sent.push(client))
    assert.equal(sent.length, 100)
    await turn()
    assert.equal(sent.length, 200)
    assert.ok(sent.includes('b0'))
    for (let count = 0; count < 20; count++) await turn()
    assert.equal(new Set(sent).size, 1001)
    assert.equal(sent.length, 1001)
  })

  it('each client receives the events of its scope in order', async () => {
    const received = new Map<string, number[]>()
    const turns = createFrameTurns<string>({ clock: STILL, perTurn: 10, maxWaiting: 10_000 })
    const clients = clientsOf('a', 25)
    for (let event = 0; event < 5; event++)
      turns.add('a', clients, (client) => {
        received.set(client, [...(received.get(client) ?? []), event])
      })
    for (let count = 0; count < 30; count++) await turn()
    assert.deepEqual([...new Set([...received.values()].map(String))], ['0,1,2,3,4'])
    assert.equal(received.size, 25)
  })

  it('a scope with too many waiting frames is refused more, and other scopes are not', async () => {
    const turns = createFrameTurns<string>({ clock: STILL, perTurn: 10, maxWaiting: 100 })
    let sent = 0
    const count = () => void sent++
    assert.equal(turns.add('a', clientsOf('a', 90), count), true)
    assert.equal(turns.add('a', clientsOf('a', 90), count), false)
    assert.equal(turns.add('b', clientsOf('b', 90), count), true)
    for (let passed = 0; passed < 40; passed++) await turn()
    assert.equal(sent, 180)
    assert.equal(turns.add('a', clientsOf('a', 500), count), true)
  })
})
