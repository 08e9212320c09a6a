import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Server } from './server.ts'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
}
const POLICY =
  "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
/** Pages of the panel's own router that need no session. */
const PUBLIC_PAGES = [
  '/',
  '/entrar',
  '/criar-conta',
  '/recuperar-senha',
  '/sessao-encerrada',
  '/emails',
  // Shows every component, for visual tests.
  '/dev/componentes',
  // Targets of links in mails.
  '/confirmar-email',
  '/redefinir-senha',
  '/mudar-email',
  '/convite',
  // The page of a link that an instance is paired with.
  '/parear',
]
const SESSION_PAGES = ['/teste/*', '/producao/*']

type File = { bytes: Buffer; brotli: Buffer | null; type: string; etag: string; caching: string }

/**
 * Serves the built panel from memory. Files with a hash in their name are cached indefinitely; pages contain no inline
 * scripts and load nothing from other origins. Does nothing if the panel has not been built.
 */
export function addPanelFiles(server: Server, dir: string): void {
  if (!existsSync(join(dir, 'index.html'))) return
  const files = new Map(
    readdirSync(dir, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
      const type = TYPES[extname(name)]
      return type ? [[`/${name}`, readFile(join(dir, name), type)] as const] : []
    }),
  )
  const index = files.get('/index.html')
  if (!index) return

  const answer = (file: File | undefined) => (request: FastifyRequest, reply: FastifyReply) => {
    // The host of test mode serves only the API.
    if (!file || request.mode === 'test') throw fail('not_found', (say) => say.http.routeNotFound)
    void reply
      .header('cache-control', file.caching)
      .header('etag', file.etag)
      .header('vary', 'accept-encoding')
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .type(file.type)
    if (file === index) void reply.header('content-security-policy', POLICY)
    if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
    const brotli = /\bbr\b/.test(request.headers['accept-encoding'] ?? '') ? file.brotli : null
    if (brotli) void reply.header('content-encoding', 'br')
    return reply.send(brotli ?? file.bytes)
  }
  const options = { schema: { hide: true }, config: { unlogged: true } }
  // For any other address opened in a browser, the panel displays its own not-found page.
  server.sendPage = (request, reply) => answer(index)(request, reply)
  for (const path of PUBLIC_PAGES)
    server.get(path, options, async (...both) => answer(index)(...both))
  // Signed-in pages always need the shell's script, so preload it before the first script requests it.
  const preloadHeader = preloads(dir)
  for (const path of SESSION_PAGES) {
    server.get(path, options, async (request, reply) => {
      if (preloadHeader) void reply.header('link', preloadHeader)
      return answer(index)(request, reply)
    })
  }
  for (const [path, file] of files) {
    if (file !== index) server.get(path, options, async (...both) => answer(file)(...both))
  }
}

/** The file that every page after sign-in needs, as the build names it. */
const FRAME = 'frame'

type Manifest = Record<string, { file: string; name?: string; imports?: string[] }>

/** A `Link` header that preloads the files of the frame, from the build manifest. */
function preloads(dir: string): string {
  const list = join(dir, '.vite', 'manifest.json')
  if (!existsSync(list)) return ''
  const manifest = JSON.parse(readFileSync(list, 'utf8')) as Manifest
  const collect = (name: string, seen: Set<string>): Set<string> => {
    const chunk = manifest[name]
    if (!chunk || seen.has(chunk.file)) return seen
    seen.add(chunk.file)
    for (const inner of chunk.imports ?? []) collect(inner, seen)
    return seen
  }
  // The page itself already references its entry files.
  const begins = collect('index.html', new Set())
  const [frame = ''] = Object.entries(manifest).find(([, { name }]) => name === FRAME) ?? []
  return [...collect(frame, new Set())]
    .filter((file) => !begins.has(file))
    .map((file) => `</${file}>; rel=modulepreload`)
    .join(', ')
}

/**
 * Files in `assets` have a hash in their name and never change; images change rarely; everything else is revalidated.
 */
function cachingOf(path: string): string {
  if (path.includes('/assets/')) return 'public, max-age=31536000, immutable'
  return /\.(svg|png)$/.test(path) ? 'public, max-age=3600' : 'no-cache'
}

function readFile(path: string, type: string): File {
  const bytes = readFileSync(path)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const brotli = existsSync(`${path}.br`) ? readFileSync(`${path}.br`) : null
  return { bytes, brotli, type, etag, caching: cachingOf(path) }
}
