import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NODE_COMPILE_CACHE = 'node_modules/.cache/recado'
/** The flags of Node.js that `npm start` gives the server. */
export const START_ARGS = ['--expose-gc', '--max-semi-space-size=8', '--heap-growing-percent=100']
const root = fileURLToPath(new URL('../..', import.meta.url))

export type Run = {
  child: ChildProcess
  output: () => string
  /** Resolves when the output holds this text; rejects when the process ends without it. */
  says(text: string): Promise<void>
  ended: Promise<{ code: number | null; output: string }>
}

/** Runs one of our programs as `npm start` would, with this environment and no other. */
export function run(
  script: string,
  args: string[],
  env: Record<string, string>,
  nodeArgs: string[] = [],
  /** Where the programs are: another version of them than this one. */
  home = root,
): Run {
  const child = spawn(process.execPath, [...nodeArgs, join(home, script), ...args], {
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
        void ended.then(() => reject(new Error(`ended without «${text}»:\n${output}`)))
      }),
  }
}

export function makeDataDir(): string {
  const dir = mkdtempSync(join('/tmp', 'recado-start-'))
  chmodSync(dir, 0o711)
  return dir
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Above these the system itself takes ports, for whatever asks for any. */
const PORTS = [15_000, 30_000] as const

/** A port that was free a moment ago, and that only who names it takes. */
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
