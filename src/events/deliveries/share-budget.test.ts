import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { shareBudget } from './share-budget.ts'

describe('the budget of a claim', () => {
  it('the budget of a claim is divided evenly among Projects, regardless of their number of webhooks', () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ id: `a${index}`, projectId: 'a' }))
    const few = { id: 'z', projectId: 'z' }
    const shares = shareBudget([...many, few], () => 32, 128)
    assert.deepEqual(
      shares.find(({ id }) => id === 'z'),
      { id: 'z', quota: 32 },
    )
    assert.equal(
      shares.reduce((sum, { quota }) => sum + quota, 0),
      128,
    )
    assert.equal(shares.length, 97, 'and within a Project, among its webhooks')
  })

  it('the budget of a claim does not exceed the free capacity of the webhooks', () => {
    const due = ['a', 'b', 'c'].map((id) => ({ id, projectId: 'p' }))
    assert.deepEqual(
      shareBudget(due, ({ id }) => (id === 'b' ? 0 : 2), 128),
      [
        { id: 'a', quota: 2 },
        { id: 'c', quota: 2 },
      ],
    )
  })
})
