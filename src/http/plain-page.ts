import type { FastifyInstance } from 'fastify'
import type { Server } from './server.ts'

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"

/** Pages without scripts whose forms post to themselves: what stands behind the links of mails until the panel does. */
export function addPlainPages(server: Server, add: (scope: FastifyInstance) => void): void {
  void server.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_: unknown, body: unknown) => Object.fromEntries(new URLSearchParams(String(body))),
    )
    scope.addHook('onSend', async (_request, reply) => {
      void reply.header('content-security-policy', POLICY).header('referrer-policy', 'no-referrer')
    })
    add(scope)
  })
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

export function plainPage(title: string, content: string): string {
  return `<!doctype html><html lang="pt-BR"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font:18px system-ui;max-width:30em;margin:20vh auto;padding:0 1em;text-align:center}
button,input{font:inherit;padding:.6em 1.2em}</style><h1>Recado</h1>${content}</html>`
}
