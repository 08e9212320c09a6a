import assert from 'node:assert/strict'
import { test } from 'node:test'
import { computeBalance, type NodeShare } from './balance.ts'

const nodes = (...held: (number | Partial<NodeShare>)[]): NodeShare[] => {
  const all = held.map((one) => (typeof one === 'number' ? { held: one } : one))
  const total = all.reduce((sum, one) => sum + (one.held ?? 0), 0)
  return all.map((one, index) => ({
    id: `n${index}`,
    epoch: 1,
    capacity: 1e3,
    draining: false,
    held: 0,
    total,
    ...one,
  }))
}
const self = (index: number) => ({ node: `n${index}`, epoch: 1 })

test('a single node claims every instance and gives none away', () => {
  const [alone] = nodes(0)
  assert.ok(alone)
  const { room, free, surplus } = computeBalance([{ ...alone, total: 30 }], self(0))
  assert.deepEqual([room, free, surplus], [30, 30, 0])
})

test('each of three equal nodes may hold a third of the instances, and a node that holds all hands over two thirds at a limited pace', () => {
  const three = nodes(41, 0, 0)
  const { room, surplus, pace } = computeBalance(three, self(0))
  assert.deepEqual([room, surplus, pace], [0, 27, 41 * 0.02])
  assert.equal(computeBalance(three, self(1)).room, 14)
})

test('two nodes with a surplus share the pace', () => {
  assert.equal(computeBalance(nodes(50, 50, 0), self(0)).pace, 1)
})

test('a node with three times the memory may hold three times as many instances', () => {
  const unequal = nodes({ held: 40, capacity: 3000 }, { held: 0, capacity: 1000 })
  assert.equal(computeBalance(unequal, self(0)).surplus, 10)
  assert.equal(computeBalance(unequal, self(1)).room, 10)
})

test('a draining node gives away all its instances, unless no other node can take them', () => {
  assert.equal(computeBalance(nodes({ held: 20, draining: true }, 10), self(0)).surplus, 20)
  assert.equal(computeBalance(nodes({ held: 20, draining: true }, 10), self(1)).room, 20)
  assert.equal(computeBalance(nodes({ held: 20, draining: true }), self(0)).surplus, 0)
})

test('a node that was declared dead neither claims nor gives away instances', () => {
  const { room, surplus } = computeBalance(nodes(5, 5), { node: 'n0', epoch: 2 })
  assert.deepEqual([room, surplus], [0, 0])
})
