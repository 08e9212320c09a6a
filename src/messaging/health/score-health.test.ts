import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newChatsAllowance } from '../../model/pace.schemas.ts'
import { scoreHealth } from './score-health.ts'

const GOOD = {
  sent: 1000,
  received: 400,
  settled: 1000,
  deliveredShare: 0.98,
  restrictedShare: 0,
  wrongNumberShare: 0.01,
  newChats: 100,
  newChatsAnswered: 60,
  mostNewChatsInADay: 20,
  newChatsAllowance: 160,
  connectedShare: 0.999,
}
const FINE = { banned: false, restricted: false }
const codesOf = (metrics: Partial<typeof GOOD>, state = FINE) =>
  scoreHealth({ ...GOOD, ...metrics }, state).reasons.map(({ code }) => code)

describe("the score of a number's health", () => {
  it('the health score of a number is 100 without a reason, and falls by the points of its reasons, down to 0', () => {
    assert.deepEqual(scoreHealth(GOOD, FINE), { score: 100, level: 'good', reasons: [] })
    const bad = { ...GOOD, deliveredShare: 0.8, newChatsAnswered: 10 }
    const { score, level, reasons } = scoreHealth(bad, FINE)
    assert.equal(score, 100 - reasons.reduce((sum, { points }) => sum + points, 0))
    assert.deepEqual(
      reasons.map(({ code, points }) => [code, points]),
      [
        ['COLD_UNANSWERED', 12],
        ['UNDELIVERED', 10],
      ],
    )
    assert.equal(level, 'attention')
    const worst = { ...bad, restrictedShare: 1, wrongNumberShare: 1, mostNewChatsInADay: 500 }
    assert.equal(scoreHealth(worst, { banned: false, restricted: true }).level, 'risk')
    assert.equal(scoreHealth(GOOD, { banned: true, restricted: false }).score, 0)
  })

  it('the health score of a number names each reason only beyond what is usual', () => {
    assert.deepEqual(codesOf({ restrictedShare: 0.01 }), ['RESTRICTED_SENDS'])
    assert.deepEqual(codesOf({ wrongNumberShare: 0.06 }), ['WRONG_NUMBERS'])
    assert.deepEqual(codesOf({ mostNewChatsInADay: 161 }), ['TOO_MANY_NEW_CHATS'])
    assert.deepEqual(codesOf({ connectedShare: 0.9 }), ['DISCONNECTED'])
    assert.deepEqual(codesOf({}, { banned: false, restricted: true }), ['RESTRICTED'])
    assert.deepEqual(codesOf({ deliveredShare: 0.9, wrongNumberShare: 0.05 }), [])
  })

  it('the health score of a number draws no conclusion from a few messages or chats', () => {
    assert.deepEqual(codesOf({ sent: 19, settled: 19, deliveredShare: 0, wrongNumberShare: 1 }), [])
    assert.deepEqual(codesOf({ settled: 1, deliveredShare: 0 }), [])
    assert.deepEqual(codesOf({ newChats: 9, newChatsAnswered: 0 }), [])
    const nothing = { ...GOOD, deliveredShare: null, restrictedShare: null, connectedShare: null }
    assert.equal(scoreHealth(nothing, FINE).score, 100)
  })
})

describe('the allowance of new chats', () => {
  it('the allowance of new chats doubles with every week since the pairing, up to a limit', () => {
    const days = [0, 6.9, 7, 14, 21, 28, 400]
    assert.deepEqual(days.map(newChatsAllowance), [20, 20, 40, 80, 160, 250, 250])
  })
})
