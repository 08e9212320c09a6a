import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { buffer } from 'node:stream/consumers'

/** A certificate of this kit's own, for the loopback alone; clients under test are told to trust it. */
export const CERTIFICATE = join(import.meta.dirname, 'tls/certificate.pem')
const KEY = join(import.meta.dirname, 'tls/key.pem')

/** In this process. */
export function trustLoopback(): void {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(CERTIFICATE, 'utf8')])
}

export type MediaHost = ReturnType<typeof createMediaHost>

/** Takes encrypted files and gives them out, as WhatsApp's media hosts do. */
export function createMediaHost() {
  const files = new Map<string, Buffer>()
  const tls = { cert: readFileSync(CERTIFICATE), key: readFileSync(KEY) }
  const server = createServer(tls, (request, response) => {
    serve(request, response).catch(() => response.writeHead(500).end())
  })
  const hostname = () => `127.0.0.1:${(server.address() as AddressInfo).port}`

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') {
      const { pathname } = new URL(request.url ?? '', 'http://x')
      if (host.refuses(pathname)) return void response.writeHead(415).end()
      await host.delay()
      return take(request, response)
    }
    const bytes = files.get(request.url?.split('?')[0] ?? '')
    if (bytes) response.writeHead(200).end(bytes)
    else response.writeHead(404).end()
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const bytes = await buffer(request)
    const token = createHash('sha256').update(bytes).digest('base64url')
    // A file is taken under its own hash alone.
    const known = pathname.endsWith(`/${token}`) && searchParams.get('token') === token
    if (!known || !searchParams.get('auth')) return void response.writeHead(400).end()
    const path = `/v/t62/${token}`
    files.set(path, bytes)
    const handle = pathname.startsWith('/newsletter/') ? { handle: `handle-${token}` } : {}
    const placed = { url: `https://${hostname()}${path}`, direct_path: path, ...handle }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(placed))
  }

  const host = {
    files,
    /** Whether an upload to this path is refused. */
    refuses: (_path: string): boolean => false,
    /** Called before each upload is taken. */
    delay: async (): Promise<void> => {},
    get hostname() {
      return hostname()
    },
    listen: () => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return host
}
