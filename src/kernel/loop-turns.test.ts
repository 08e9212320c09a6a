import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLoopTurns } from './loop-turns.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('turns of the event loop', () => {
  it('a turn starts a limited number of pieces, and a key with many of them delays another by one', async () => {
    const turns = createLoopTurns(2)
    const started: string[] = []
    const work = async (key: string, name: string) => {
      await turns.next(key)
      started.push(name)
    }
    const all = [...['a1', 'a2', 'a3', 'a4'].map((name) => work('a', name)), work('b', 'b1')]
    const seen: string[][] = []
    for (let count = 0; count < 3; count++) {
      await turn()
      seen.push(started.splice(0))
    }
    await Promise.all(all)
    assert.deepEqual(seen, [['a1', 'b1'], ['a2', 'a3'], ['a4']])
    await work('a', 'later')
    assert.deepEqual(started, ['later'])
  })
})
