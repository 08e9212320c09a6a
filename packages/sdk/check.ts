// `npm run lint:sdk`: the generated code is current, and the package works for consumers of its types and exports.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PUBLINT = 'publint@0.3.25'
/** What is generated, and what is written by hand over it. */
const MAX_GENERATED_LINES = 8000
const MAX_FACADE_LINES = 700
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
  run('npm', 'exec', '--yes', '--loglevel=error', `--package=${name}`, '--', ...command)

/** Exits with 1 if files have more lines than a reader should have to skim. */
function limit(what: string, most: number, files: string[]): void {
  const lines = files
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      readFileSync(join(home, 'src', name), 'utf8')
        .trimEnd()
        .split('\n'),
    ).length
  if (lines <= most) return
  process.stderr.write(`${what}: ${lines} lines, at most ${most}\n`)
  process.exit(1)
}

try {
  run(process.execPath, 'generate.ts', '--check')
  const sources = readdirSync(join(home, 'src'), { recursive: true, encoding: 'utf8' })
  const isGenerated = (name: string) => name.startsWith('generated')
  limit('generated code', MAX_GENERATED_LINES, sources.filter(isGenerated))
  limit(
    'façade',
    MAX_FACADE_LINES,
    sources.filter((name) => !isGenerated(name)),
  )
  rmSync(join(home, 'dist'), { recursive: true, force: true })
  run('npm', 'run', 'build')
  exec(PUBLINT, 'publint', '--strict')
  run('npm', 'pack', '--pack-destination', work)
  const [tarball = ''] = readdirSync(work)
  exec(ATTW, 'attw', join(work, tarball), '--profile', 'esm-only')
} finally {
  rmSync(work, { recursive: true, force: true })
}
