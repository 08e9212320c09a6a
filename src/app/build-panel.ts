import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { StartFault } from '../kernel/phrases/fail.ts'
import { say } from '../kernel/phrases/phrases.ts'

const PANEL = fileURLToPath(new URL('../../panel', import.meta.url))
const VITE = fileURLToPath(new URL('../../node_modules/vite/bin/vite.js', import.meta.url))
/** The directory of the built panel. */
export const PANEL_DIST = join(PANEL, 'dist')
const FINGERPRINT_FILE = 'made-from'
const SOURCES = [
  'src',
  'public',
  'index.html',
  'vite.config.ts',
  'package.json',
  // Shared with the server.
  '../src/kernel/permissions.ts',
  '../src/kernel/phone-column.ts',
  '../src/kernel/text.ts',
]
const COMPRESSED = /\.(js|css|html|svg)$/

/** Builds the panel if there is no build or its sources have changed. Throws StartFault. */
export async function buildPanel(): Promise<void> {
  if (!existsSync(join(PANEL, 'index.html'))) return
  const sources = fingerprint()
  if (readMark() === sources) return
  // Built beside the served directory and renamed, so that a half-written build is never served.
  const fresh = `${PANEL_DIST}-${process.pid}`
  const { code, output } = await run([VITE, 'build', '--outDir', fresh, '--emptyOutDir'])
  if (code !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    throw new StartFault(say.start.panelFailed(output.trim().split('\n').at(-1) ?? ''))
  }
  for (const name of readdirSync(fresh, { recursive: true, encoding: 'utf8' })) {
    if (!COMPRESSED.test(name)) continue
    const file = join(fresh, name)
    writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)))
  }
  writeFileSync(join(fresh, FINGERPRINT_FILE), sources)
  rmSync(PANEL_DIST, { recursive: true, force: true })
  renameSync(fresh, PANEL_DIST)
}

function readMark(): string | null {
  const file = join(PANEL_DIST, FINGERPRINT_FILE)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

/** Hashes the names, sizes and modification times of the sources. */
function fingerprint(): string {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    const path = join(PANEL, source)
    const names = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' }).toSorted()
      : ['']
    for (const name of names) {
      const { size, mtimeMs } = statSync(join(path, name))
      hash.update(`${source}/${name} ${size} ${mtimeMs}\n`)
    }
  }
  return hash.digest('hex')
}

function run(args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: PANEL,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '', NO_COLOR: '1', NODE_ENV: 'production' },
    })
    let output = ''
    const append = (chunk: Buffer) => (output += chunk.toString())
    child.stdout.on('data', append)
    child.stderr.on('data', append)
    child.once('close', (code) => resolve({ code, output }))
  })
}
