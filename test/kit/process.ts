import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chooseLocation } from '../../src/platform/db/embedded/locations.ts'
import { chooseUser } from '../../src/platform/db/embedded/run-as.ts'

const NODE_COMPILE_CACHE = 'node_modules/.cache/recado'
/** The Node.js flags that `npm start` passes to the server. */
export const START_ARGS = ['--expose-gc', '--max-semi-space-size=8', '--heap-growing-percent=100']
const root = fileURLToPath(new URL('../..', import.meta.url))

/** A program running in a separate process. */
export type Run = {
  child: ChildProcess
  output: () => string
  /** Resolves when the output contains this text; rejects if the process exits first. */
  says(text: string): Promise<void>
  ended: Promise<{ code: number | null; output: string }>
}

/** Runs one of our programs as `npm start` would, with only this environment. It ends with this process. */
export function run(
  script: string,
  args: string[],
  env: Record<string, string>,
  nodeArgs: string[] = [],
  /** Root directory of the programs, to run another version. */
  home = root,
): Run {
  const ends = ['--import', join(root, 'test/kit/end-with-parent.ts')]
  const child = spawn(process.execPath, [...nodeArgs, ...ends, join(home, script), ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE, MALLOC_ARENA_MAX: '2', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const watchers = new Set<() => void>()
  const hear = (chunk: Buffer) => {
    output += chunk.toString()
    for (const look of watchers) look()
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  )
  return {
    child,
    ended,
    output: () => output,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (output.includes(text)) resolve()
        }
        watchers.add(look)
        look()
        void ended.then(() =>
          reject(new Error(`${script} exited without printing «${text}»:\n${output}`)),
        )
      }),
  }
}

/** Creates an empty data directory that the embedded PostgreSQL's user may enter. */
export function makeDataDir(): string {
  const dir = mkdtempSync(join('/tmp', 'recado-data-'))
  chmodSync(dir, 0o711)
  return dir
}

/**
 * Creates a data directory whose database is migrated and empty, which saves a start the time to create it. Outside
 * `npm test`, where there is nothing to copy, the directory is empty.
 */
export function makePreparedDataDir(): string {
  const dir = makeDataDir()
  const files = process.env['RECADO_TEST_POSTGRES']
  if (!files) return dir
  const { home } = chooseLocation(dir, chooseUser(dir))
  const { status } = spawnSync('cp', ['-a', join(files, 'cluster'), join(files, 'password'), home])
  if (status !== 0) throw new Error(`cp -a ${files} ${home} exited with ${status}`)
  return dir
}

/** Removes a data directory, and PostgreSQL's files where its user cannot enter and they lie elsewhere (G64). */
export function removeDataDir(dir: string): void {
  const postgres = join(dir, 'postgres')
  if (existsSync(postgres)) rmSync(realpathSync(postgres), { recursive: true, force: true })
  rmSync(dir, { recursive: true, force: true })
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Below the system's ephemeral port range. */
const PORTS = [15_000, 30_000] as const

/** Returns a port that was free a moment ago, outside the range from which the system assigns ports. */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
