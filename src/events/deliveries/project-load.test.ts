import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LeasedDelivery } from '../events.service.ts'
import { createProjectLoad } from './project-load.ts'

const deliveryOf = (projectId: string, body = ''): LeasedDelivery => ({
  id: 1,
  webhookId: 'whk_1',
  projectId,
  webhookGeneration: 1,
  attempt: 1,
  dueAt: 0,
  event: { id: 'evt_1', name: 'contact.updated', body },
})

describe('the share of a Project in the queue of deliveries', () => {
  it('a Project may hold a quarter of the delivery queue, by number or by size, and leaves the rest to others', () => {
    const load = createProjectLoad()
    const one = deliveryOf('one')
    for (let count = 0; count < 5000; count++) load.add(one)
    const large = deliveryOf('large', 'x'.repeat(1024 * 1024))
    for (let count = 0; count < 16; count++) load.add(large)
    load.add(deliveryOf('two'))
    assert.deepEqual(load.fullProjects(), ['one', 'large'])
    assert.deepEqual(
      [load.isFull('one'), load.isFull('two'), load.isFull('none')],
      [true, false, false],
    )
    load.remove(one)
    load.remove(large)
    assert.deepEqual(load.fullProjects(), [])
  })

  it('a Project keeps a small reserved share of the delivery queue when others have filled it', () => {
    const load = createProjectLoad()
    for (const project of ['a', 'b', 'c', 'd'])
      for (let count = 0; count < 5000; count++) load.add(deliveryOf(project))
    for (let count = 0; count < 99; count++) load.add(deliveryOf('late'))
    assert.deepEqual(load.fullProjects(), ['a', 'b', 'c', 'd'])
    assert.equal(load.isFull('late'), false)
    load.add(deliveryOf('late'))
    assert.equal(load.isFull('late'), true)
    assert.equal(load.isNodeFull(), false)
    for (let count = 0; count < 20_000; count++) load.add(deliveryOf(`p${count}`))
    assert.deepEqual([load.isNodeFull(), load.isFull('none')], [true, true])
  })
})
