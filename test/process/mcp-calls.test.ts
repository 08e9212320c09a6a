// An agent that never stops calling.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Agent } from 'undici'
import { createInstallation } from '../faults/installation.ts'
import { callServer } from '../kit/call.ts'

const CALLS = 10_000
/** More than wait for their turn at the pace of a Project; the rest are rejected immediately. */
const CONCURRENT = 500
const PHONE = '5511988887779'

it('of ten thousand calls to /mcp, each is carried out once or rejected with what to do, and the API stays available', async () => {
  await using stack = new AsyncDisposableStack()
  const place = await createInstallation(stack, 'mcp')
  await place.createCompany()
  const node = await place.start('one')
  place.ports.push(node.port)
  const { key, instance, base } = await place.signInAndConnect()
  const agent = new Agent({ connections: CONCURRENT })
  stack.defer(() => agent.destroy())
  await place.call('POST', `${base}/messages`, { to: PHONE, text: 'primeira' })

  const sent = new Set<string>()
  const rejections = new Map<string, number>()
  let next = 0
  async function callRepeatedly(): Promise<void> {
    while (next < CALLS) {
      const id = next++
      const args = { instanceId: instance, to: PHONE, text: `mensagem ${id}` }
      const params = { name: 'send_text', arguments: args }
      const rpc = { jsonrpc: '2.0', id, method: 'tools/call', params }
      const server = { port: node.port, token: key, dispatcher: agent }
      const { status, body } = await callServer(server, 'POST', '/mcp', rpc)
      const { result, error } = body
      if (status === 200 && result && result.isError !== true) {
        sent.add(result.structuredContent.id)
      } else {
        const reason = `${status} ${error?.message ?? JSON.stringify(body)}`
        rejections.set(reason, (rejections.get(reason) ?? 0) + 1)
      }
    }
  }
  const calls = Promise.all(Array.from({ length: CONCURRENT }, callRepeatedly))
  let done = false
  const ended = calls.finally(() => (done = true))
  const others: number[] = []
  while (!done) others.push((await place.call('GET', '/v1/me')).status)
  await ended

  assert.deepEqual(
    [...rejections.keys()],
    ['503 muitos pedidos ao mesmo tempo: tente de novo em instantes'],
  )
  assert.ok(sent.size > 100, `${sent.size} sent`)
  assert.equal(sent.size + [...rejections.values()].reduce((sum, count) => sum + count, 0), CALLS)
  const stored = await place.database.system`
    select count(*)::int as count from message where direction = 'outbound' and content ->> 'text' like 'mensagem %'`
  assert.equal(stored[0]?.['count'], sent.size)
  assert.deepEqual(new Set(others), new Set([200]))
})
