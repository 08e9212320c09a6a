// What the SDK's types accept and refuse: each line marked with `refused` must be a compile error, and no other.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { it } from 'node:test'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const PROGRAM = `
import { PaymentRequiredError, Recado, verify } from ${JSON.stringify(at('packages/sdk/src/index.ts'))}

const recado = new Recado({ apiKey: 'svc_test_x' })
new Recado({}) // refused: an API key is required
export async function calls(rawBody: string, headers: Headers) {
  const message = await recado.messages.sendText('ins_1', { to: '+55', text: 'Olá' })
  const id: string = message.id
  const wrong: number = message.id // refused: ids are strings
  await recado.messages.sendText('ins_1', { to: '+55' }) // refused: no text
  await recado.messages.sendText('ins_1', { to: '+55', txt: 'Olá' }) // refused: no such field
  await recado.messages.sendText({ to: '+55', text: 'Olá' }) // refused: no instance
  await recado.webhooks.list()
  await recado.webhooks.create({ name: 'ERP', url: 'https://x', events: ['message.received'] })
  await recado.webhooks.create({ name: 'ERP', url: 'https://x', events: ['message.sent'] }) // refused: no such event
  for await (const one of recado.messages.list('ins_1', { limit: 10 })) {
    const status: string = one.status
    one.state // refused: no such field
  }
  const event = await verify(rawBody, headers, 'whsec_x')
  if (event.event === 'message.received') event.data.message.text
  if (event.event === 'call.received') event.data.message // refused: calls have no message
  if (event.event === 'message.typing') return id // refused: no such event
  for await (const live of recado.events({ events: ['message.status'] })) {
    if (live.event === 'gap') live.from.toISOString()
    else live.from // refused: only gaps have a start
  }
  return wrong
}
export function reason(error: PaymentRequiredError) {
  if (error.reason === 'INSUFFICIENT_CREDITS') return true
  return error.reason === 'KEY_RATE_LIMIT' // refused: another error has this reason
}
`

it('the types of the SDK accept what the API accepts, and refuse wrong fields, events and reasons', () => {
  const dir = mkdtempSync(join(tmpdir(), 'recado-types-'))
  writeFileSync(join(dir, 'program.ts'), PROGRAM)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable', 'esnext.asynciterable'],
    types: [],
    allowImportingTsExtensions: true,
  }
  writeFileSync(
    join(dir, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program.ts'] }),
  )
  const { stdout } = spawnSync(at('node_modules/.bin/tsc'), ['-p', dir], { encoding: 'utf8' })
  rmSync(dir, { recursive: true })
  const lines = PROGRAM.split('\n')
  const refused = [...stdout.matchAll(/^\S*program\.ts\((\d+),\d+\): error/gm)]
  const expected = lines.flatMap((line, index) => (line.includes('// refused') ? [index + 1] : []))
  assert.deepEqual([...new Set(refused.map(([, line]) => Number(line)))], expected, stdout)
})
