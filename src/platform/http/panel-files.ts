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
}
const POLICY =
  "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
/** The addresses that the panel's own router knows: before the door, and within. */
const DOORS = [
  '/',
  '/entrar',
  '/criar-conta',
  '/recuperar-senha',
  '/sessao-encerrada',
  '/emails',
  // Every component, for tests to look at.
  '/dev/componentes',
  // Where the links of mails lead.
  '/confirmar-email',
  '/redefinir-senha',
  '/mudar-email',
  '/convite',
]
const WITHIN = ['/teste/*', '/producao/*']

type File = { bytes: Buffer; brotli: Buffer | null; type: string; etag: string; immutable: boolean }

/**
 * Serves the built panel on the panel's address, from memory: it is small. What has a hash in its name never changes;
 * nothing is loaded from anywhere else, and no script stands in a page. Nothing where it was not built.
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
    // The test mode's host is the API's alone.
    if (!file || request.mode === 'test') throw fail('not_found', (say) => say.http.routeNotFound)
    void reply
      .header('cache-control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
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
  const options = { schema: { hide: true }, config: { quiet: true } }
  // Any other address that somebody opens in a browser: the panel's own page says that there is nothing.
  server.answerPage = (request, reply) => answer(index)(request, reply)
  for (const path of DOORS) server.get(path, options, async (...both) => answer(index)(...both))
  // Whoever comes within needs the shell's script at once, not when the first one has asked for it.
  const soon = preloads(dir)
  for (const path of WITHIN) {
    server.get(path, options, async (request, reply) => {
      if (soon) void reply.header('link', soon)
      return answer(index)(request, reply)
    })
  }
  for (const [path, file] of files) {
    if (file !== index) server.get(path, options, async (...both) => answer(file)(...both))
  }
}

type Manifest = Record<string, { file: string; imports?: string[] }>

/** A header that names what the shell is made of, out of the build's own list. */
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
  // The page itself names what it begins with.
  const begins = collect('index.html', new Set())
  return [...collect('src/ui/shell.tsx', new Set())]
    .filter((file) => !begins.has(file))
    .map((file) => `</${file}>; rel=modulepreload`)
    .join(', ')
}

function readFile(path: string, type: string): File {
  const bytes = readFileSync(path)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const brotli = existsSync(`${path}.br`) ? readFileSync(`${path}.br`) : null
  return { bytes, brotli, type, etag, immutable: path.includes('/assets/') }
}
