// Runs test files, several of them in each process: `node test/run.ts <pattern> …`. Loading and warming up the server's
// code in a process for each file takes almost half of the time.
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SharedRun } from './kit/take-files.ts'

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
const shared = files.filter((file) => !ALONE.includes(file))
const run: SharedRun = {
  dir,
  files: shared.toSorted((a, b) => Number(LONG.test(b)) - Number(LONG.test(a))),
}
writeFileSync(join(dir, 'run.json'), JSON.stringify(run))
const taker = new URL('kit/take-files.ts', import.meta.url).href
const processes = Array.from({ length: Math.min(PROCESSES, shared.length) }, (_, index) => {
  const path = join(dir, `process-${index + 1}.test.mjs`)
  const start = `import { takeFiles } from ${JSON.stringify(taker)}\nawait takeFiles(${JSON.stringify(dir)})\n`
  writeFileSync(path, start)
  return path
})
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
    ...processes,
    ...files.filter((file) => ALONE.includes(file)),
  ],
  { stdio: 'inherit', env: { NODE_COMPILE_CACHE: 'node_modules/.cache/recado', ...process.env } },
)
runner.on('exit', (code) => {
  rmSync(dir, { recursive: true })
  process.exitCode = code ?? 1
})
