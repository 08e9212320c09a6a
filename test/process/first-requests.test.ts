import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { findPort, makeDataDir, removeDataDir, run, START_ARGS } from '../kit/process.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TIMEOUT_MS = 60_000

it('sends a first message with the commands of docs/first-requests.md, in a shell', async (t) => {
  const guide = readFileSync(new URL('../../docs/first-requests.md', import.meta.url), 'utf8')
  const [, script = ''] = /```sh\n([^]*?)```/.exec(guide) ?? []
  assert.match(script, /sandbox\.localhost:3000/)
  const DATA_DIR = makeDataDir()
  const port = await findPort()
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR, PORT: String(port), LOG_LEVEL: 'error' }
  const server = run('src/main.ts', [], env, START_ARGS)
  t.after(async () => {
    server.child.kill('SIGTERM')
    await server.ended
    removeDataDir(DATA_DIR)
  })
  await server.says('Recado está no ar.')
  const here = script.replaceAll('localhost:3000', `localhost:${port}`)
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', here], {
    cwd: ROOT,
    env,
    timeout: TIMEOUT_MS,
  })
  const last = stdout.slice(stdout.lastIndexOf('{"id":"msg_'))
  const sent = JSON.parse(last) as { status: string; to: { phone: string } }
  assert.deepEqual([sent.status, sent.to.phone], ['queued', '5511999998888'])
})
