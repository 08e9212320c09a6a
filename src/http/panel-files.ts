import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../phrases/fail.ts'
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
/** The addresses that the panel's own router knows. */
const PAGES = [
  ...['/', '/entrar', '/criar-conta', '/recuperar-senha', '/sessao-encerrada', '/emails'],
  // Where the links of mails lead.
  ...['/confirmar-email', '/redefinir-senha', '/mudar-email', '/convite'],
  ...['/teste/*', '/producao/*'],
]

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
  for (const path of PAGES) server.get(path, options, async (...both) => answer(index)(...both))
  for (const [path, file] of files) {
    if (file !== index) server.get(path, options, async (...both) => answer(file)(...both))
  }
}

function readFile(path: string, type: string): File {
  const bytes = readFileSync(path)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const brotli = existsSync(`${path}.br`) ? readFileSync(`${path}.br`) : null
  return { bytes, brotli, type, etag, immutable: path.includes('/assets/') }
}
