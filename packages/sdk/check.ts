// `npm run lint:sdk`: the generated code is current, and the package works for consumers of its types and exports.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PUBLINT = 'publint@0.3.25'
const ATTW = '@arethetypeswrong/cli@0.18.5'
const home = fileURLToPath(new URL('.', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'recado-sdk-'))

/** Runs a program in the package's folder and exits with its code if it fails. */
function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status === 0) return
  process.stderr.write(`${program} ${args.join(' ')} exited with ${status}\n`)
  process.exit(1)
}
const exec = (name: string, ...command: string[]) =>
  run('npm', 'exec', '--yes', `--package=${name}`, '--', ...command)

try {
  run(process.execPath, 'generate.ts', '--check')
  rmSync(join(home, 'dist'), { recursive: true, force: true })
  run('npm', 'run', 'build')
  exec(PUBLINT, 'publint', '--strict')
  run('npm', 'pack', '--pack-destination', work)
  const [tarball = ''] = readdirSync(work)
  exec(ATTW, 'attw', join(work, tarball), '--profile', 'esm-only')
} finally {
  rmSync(work, { recursive: true, force: true })
}
