import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { phrasesIn } from '../../kernel/phrases/phrases.ts'
import { createToolRunner, type Caller } from './mcp-call.ts'
import type { Tool } from './mcp-tools.ts'

const write = {
  name: 'send_text',
  method: 'POST',
  path: '/v1/instances/{instanceId}/messages',
  query: new Set<string>(),
  inputSchema: {
    type: 'object',
    properties: { instanceId: {}, idempotencyKey: {} },
    required: [],
  },
  idempotent: true,
} as unknown as Tool

/** Runs a tool on a server whose responses are all 503. */
async function callOf(tool: Tool, args: Record<string, string>): Promise<string> {
  const busy = { statusCode: 503, headers: {}, payload: '{"error":{"message":"servidor ocupado"}}' }
  const run = createToolRunner({
    server: { inject: (async () => busy) as never },
    clock: createManualClock(),
    parseRecipient: () => null,
  })
  const caller = { say: phrasesIn('pt-BR'), language: 'pt-BR', host: '', address: '', apiKey: '' }
  const result = await run(caller as unknown as Caller, tool, { instanceId: 'ins_1', ...args })
  assert.equal(result.isError, true)
  return result.content[0]?.text ?? ''
}

describe('a tool whose request fails on the server', () => {
  it('says that the call may have been made, and names the key that repeats it', async () => {
    assert.match(
      await callOf(write, { idempotencyKey: 'k1' }),
      /^servidor ocupado\. A chamada pode ter sido feita: repita-a com idempotencyKey: "k1"/,
    )
    assert.match(await callOf(write, {}), /confira antes de repetir\.$/)
  })

  it('says no more than the API if it only reads', async () => {
    assert.equal(await callOf({ ...write, method: 'GET' }, {}), 'servidor ocupado')
  })
})
