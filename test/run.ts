// Runs test files, several of them in each process: `node test/run.ts <pattern> …`. Loading and warming up the server's
// code in a process for each file takes almost half of the time.
import { spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FILES } from './kit/take-files.ts'

/** On two cores, while others wait for PostgreSQL or for time to pass. */
const PROCESSES = 4
/** They compare the memory of their own process, which other files would change. */
const ALONE = [
  'src/events/deliveries/hostile-peers.test.ts',
  'test/contract/hostile-bodies.test.ts',
]
/** They take longest, so they come first. */
const LONG = /^test\/contract\/(campaign|media|isolation|tracing|openapi)/

const patterns = process.argv.slice(2)
const files = globSync(patterns).toSorted()
if (files.length === 0) throw new Error(`no test file matches ${patterns.join(' ')}`)
const dir = mkdtempSync(join(tmpdir(), 'recado-tests-'))
const taker = new URL('kit/take-files.ts', import.meta.url).href

/** Writes modules of which each, in a process of its own, takes files of the list until none is left. */
function share(name: string, shared: string[], most: number): string[] {
  const list = join(dir, name)
  mkdirSync(list)
  writeFileSync(join(list, FILES), JSON.stringify(shared))
  return Array.from({ length: Math.min(most, shared.length) }, (_, index) => {
    const path = join(dir, `${name}-${index + 1}.test.mjs`)
    const start = `import { takeFiles } from ${JSON.stringify(taker)}\nawait takeFiles(${JSON.stringify(list)})\n`
    writeFileSync(path, start)
    return path
  })
}

const shared = files
  .filter((file) => !ALONE.includes(file))
  .toSorted((a, b) => Number(LONG.test(b)) - Number(LONG.test(a)))
const alone = files.filter((file) => ALONE.includes(file))
// Those that run alone come first, so that none is left to run when the others have ended.
const modules = [
  ...alone.flatMap((file, index) => share(`alone-${index + 1}`, [file], 1)),
  ...share('shared', shared, PROCESSES),
]
const runner = spawn(
  process.execPath,
  [
    '--single-threaded-gc',
    '--max-semi-space-size=64',
    '--test',
    '--test-global-setup=test/kit/global-setup.ts',
    `--test-concurrency=${PROCESSES}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./test/kit/list-skips.ts',
    '--test-reporter-destination=stdout',
    ...modules,
  ],
  { stdio: 'inherit', env: { NODE_COMPILE_CACHE: 'node_modules/.cache/recado', ...process.env } },
)
runner.on('exit', (code) => {
  rmSync(dir, { recursive: true })
  process.exitCode = code ?? 1
})
