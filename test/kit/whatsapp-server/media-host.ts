import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

export type MediaHost = ReturnType<typeof createMediaHost>

/** Takes encrypted files and gives them out, as WhatsApp's media hosts do. */
export function createMediaHost() {
  const files = new Map<string, Buffer>()

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const bytes = await buffer(request)
    const token = createHash('sha256').update(bytes).digest('base64url')
    // A file is taken under its own hash alone.
    const known = pathname.endsWith(`/${token}`) && searchParams.get('token') === token
    if (!known || !searchParams.get('auth')) return void response.writeHead(400).end()
    const path = `/v/t62/${token}`
    files.set(path, bytes)
    const placed = { url: `https://mmg.whatsapp.net${path}`, direct_path: path }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(placed))
  }

  return {
    files,
    serve(request: IncomingMessage, response: ServerResponse): void {
      if (request.method === 'POST') {
        take(request, response).catch(() => response.writeHead(500).end())
        return
      }
      const bytes = files.get(request.url?.split('?')[0] ?? '')
      if (bytes) response.writeHead(200).end(bytes)
      else response.writeHead(404).end()
    },
  }
}
