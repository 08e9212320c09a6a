import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { QueryObserver } from '@tanstack/react-query'
import { PanelQueryClient } from './query-client.ts'

/** An observed query that reads `server.value` when a load starts, and returns it once the test releases the load. */
function observe(client: PanelQueryClient) {
  const server = { value: 'before', loads: 0 }
  const gates: (() => void)[] = []
  const observer = new QueryObserver(client, {
    queryKey: ['test', 'labels'],
    queryFn: async () => {
      server.loads += 1
      const { value } = server
      await new Promise<void>((open) => gates.push(open))
      return value
    },
  })
  const stop = observer.subscribe(() => {})
  const release = async (until: Promise<void>) => {
    let over = false
    void until.then(() => (over = true))
    while (!over) {
      for (const open of gates.splice(0)) open()
      await new Promise(setImmediate)
    }
  }
  return { server, release, data: () => observer.getCurrentResult().data, stop }
}

describe('The query cache of the panel', () => {
  it('shows a change that was made while the first load was in flight', async () => {
    const client = new PanelQueryClient()
    const { server, release, data, stop } = observe(client)
    server.value = 'after'
    await release(client.invalidateQueries({ queryKey: ['test', 'labels'] }))
    assert.equal(data(), 'after')
    stop()
    client.clear()
  })

  it('refetches a loaded query once per invalidation', async () => {
    const client = new PanelQueryClient()
    const { server, release, data, stop } = observe(client)
    await release(client.fetchQuery({ queryKey: ['test', 'labels'] }).then(() => {}))
    server.value = 'after'
    await release(client.invalidateQueries({ queryKey: ['test'] }))
    assert.equal(data(), 'after')
    assert.equal(server.loads, 2)
    stop()
    client.clear()
  })
})
