// `npm run lighthouse`: the scores of a page of each kind of the built site, which must be 100. Performance depends on the
// machine: `-- --without-performance` leaves it out, for machines that do other work at the same time.
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { runLighthouse, type LighthouseReport } from '../../scripts/run-lighthouse.ts'

const DIST = fileURLToPath(new URL('../dist', import.meta.url))
const PAGES = ['/', '/guias/enviar/', '/en/guias/receber/', '/referencia/operations/sendtext/']
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell', '/usr/bin/google-chrome']
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
}
const withPerformance = !process.argv.includes('--without-performance')
const CATEGORIES = [
  ...(withPerformance ? ['performance'] : []),
  'accessibility',
  'best-practices',
  'seo',
]

const compressed = new Map<string, Buffer>()
/** Serves the built site as hosts do: compressed, with an index per folder, and files with a hash cached for long. */
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  const file = join(DIST, pathname.endsWith('/') ? `${pathname}index.html` : pathname)
  const type = TYPES[extname(file)]
  if (!file.startsWith(DIST) || !type || !existsSync(file)) {
    response.writeHead(404).end()
    return
  }
  const bytes = compressed.get(file) ?? brotliCompressSync(readFileSync(file))
  compressed.set(file, bytes)
  const caching = pathname.startsWith('/_astro/') ? 'max-age=31536000, immutable' : 'no-cache'
  const headers = { 'content-type': type, 'content-encoding': 'br', 'cache-control': caching }
  response.writeHead(200, headers).end(bytes)
})

/** The scores that are below 100, with the audits that cost points. */
function defectsOf({ categories, audits }: LighthouseReport): string[] {
  return CATEGORIES.flatMap((name) => {
    const { score, auditRefs } = categories[name] ?? { score: null, auditRefs: [] }
    if (score === 1) return []
    const failed = auditRefs.flatMap(({ id }) => {
      const audit = audits[id]
      return audit && audit.score !== null && audit.score < 1 ? audit.title : []
    })
    return `${name} ${Math.round(100 * (score ?? 0))}: ${failed.join('; ')}`
  })
}

const chrome = process.env['CHROME_PATH'] ?? BROWSERS.find((path) => existsSync(path))
if (!chrome) throw new Error('Chromium is not installed: apt-get install chromium')
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address()
const port = typeof address === 'object' && address ? address.port : 0
try {
  for (const path of PAGES) {
    const report = await runLighthouse(`http://127.0.0.1:${port}${path}`, chrome, CATEGORIES)
    const scores = CATEGORIES.map(
      (name) => `${name} ${Math.round(100 * (report.categories[name]?.score ?? 0))}`,
    )
    const defects = defectsOf(report)
    process.stdout.write(`${path.padEnd(36)} ${scores.join(', ')}\n`)
    for (const defect of defects) process.stderr.write(`  ${defect}\n`)
    if (defects.length > 0) process.exitCode = 1
  }
} finally {
  server.close()
}
