// Prints what the panel's first pages load, compressed as it travels: npm run measure-panel
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { buildPanel, PANEL_DIST } from '../src/build-panel.ts'

/** What a page's script loads, and what that loads in turn; pages that are loaded when they are asked for stay out. */
function closure(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen
  seen.add(entry)
  const text = readFileSync(join(PANEL_DIST, 'assets', entry), 'utf8')
  for (const [, name = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g)) {
    closure(name, seen)
  }
  return seen
}

await buildPanel()
const assets = readdirSync(join(PANEL_DIST, 'assets'))
const script = (name: string) => assets.find((file) => file.startsWith(`${name}-`)) ?? ''
const index = /assets\/([\w-]+\.js)/.exec(readFileSync(join(PANEL_DIST, 'index.html'), 'utf8'))?.[1]
const pages = { '/entrar': ['auth'], '/teste/inicio': ['shell', 'home'] }
for (const [path, chunks] of Object.entries(pages)) {
  const files = new Set<string>()
  for (const name of [index ?? '', ...chunks.map(script)]) closure(name, files)
  const bytes = [...files].map((name) => readFileSync(join(PANEL_DIST, 'assets', name)))
  const sum = (compress: (file: Buffer) => Buffer) =>
    bytes.reduce((total, file) => total + compress(file).length, 0) / 1024
  const gzip = sum((file) => gzipSync(file, { level: 9 }))
  const brotli = sum((file) => brotliCompressSync(file))
  process.stdout.write(
    `${path.padEnd(16)} ${files.size} scripts, ${gzip.toFixed(1)} KB gzip, ${brotli.toFixed(1)} KB brotli\n`,
  )
}
const styles = assets.filter((name) => name.endsWith('.css'))
const css = styles.reduce(
  (total, name) => total + gzipSync(readFileSync(join(PANEL_DIST, 'assets', name))).length,
  0,
)
process.stdout.write(`styles           ${(css / 1024).toFixed(1)} KB gzip\n`)
