// Events reach the clients of every node, whichever recorded them.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOSTS, startTestApp } from '../kit/test-app.ts'
import { connectStream } from '../kit/websocket.ts'

it('an event that no webhook receives reaches the clients of another node', async (t) => {
  const kit = await startTestApp()
  t.after(() => kit.close())
  const api = await kit.key(await kit.project())
  const paired = await kit.pair(api)
  const other = await kit.node({ idle: true })
  const client = connectStream({ port: await other.listen(), host: HOSTS.test, key: api.key })
  t.after(() => client.socket.terminate())
  assert.equal((await client.next()).type, 'ready')
  // Nodes discover each other by their heartbeats.
  for (let beats = 0; beats < 2; beats++) {
    await kit.jump(2000)
    await kit.settle()
  }
  const ana = await kit.phone(api)
  for (const text of ['um', 'dois']) {
    await api.post(`${ana.base}/messages`, { to: paired.phone, type: 'text', text })
    await kit.settle()
    // Nodes publish event ids to each other every few milliseconds.
    await kit.jump(100)
    const { event, data } = await client.next()
    assert.deepEqual([event, data.message.text], ['message.received', text])
  }
})
