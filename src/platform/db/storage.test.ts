import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { after, it } from 'node:test'
import { promisify } from 'node:util'
import { makeDataDir } from '../../../test/kit/process.ts'

const dir = makeDataDir()
after(() => rmSync(dir, { recursive: true }))

const MODULE = new URL('storage.ts', import.meta.url).href
/** Reads many secrets as soon as a second begins, as other processes do. */
const READER = `
  const { installationSecret } = await import(${JSON.stringify(MODULE)})
  while (Date.now() < Number(process.argv[1]));
  const secrets = Array.from({ length: 200 }, (_, n) => installationSecret(${JSON.stringify(dir)}, 'secret-' + n, 32))
  process.stdout.write(JSON.stringify(secrets))`

it('processes that start together read the same secrets, and leave no other file', async () => {
  const startAt = String(Date.now() + 3000)
  const read = () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', READER, startAt])
  const outputs = await Promise.all([read(), read(), read()])
  const [first = ''] = outputs.map(({ stdout }) => stdout)
  assert.ok((JSON.parse(first) as string[]).every((secret) => secret.length === 43))
  for (const { stdout } of outputs) assert.equal(stdout, first)
  assert.equal(readdirSync(dir).length, 200)
})
