import { Type } from 'typebox'
import type { Db } from '../db/sql.ts'
import type { Server } from '../http/server.ts'
import { say } from '../phrases/phrases.ts'
import type { AccountsService } from './accounts.service.ts'

const PATH = '/confirmar-email'
const Token = Type.Object({ token: Type.String({ maxLength: 200 }) })
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"

/**
 * The page behind the link of the confirmation mail, until the panel has one: a button, because opening the link
 * alone must not use it up (mail scanners open links).
 */
export function addConfirmEmailPage(
  server: Server,
  deps: { db: Db; accounts: AccountsService },
): void {
  const { db, accounts } = deps
  void server.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_: unknown, body: unknown) => Object.fromEntries(new URLSearchParams(String(body))),
    )
    scope.addHook('onSend', async (_request, reply) => {
      void reply.header('content-security-policy', POLICY).header('referrer-policy', 'no-referrer')
    })

    scope.get(PATH, { schema: { hide: true, querystring: Token } }, async (request, reply) => {
      const { token } = request.query as { token: string }
      const form = `<form method="post" action="${PATH}"><input type="hidden" name="token" value="${escape(token)}">
        <button>${say.docs.confirmAction}</button></form>`
      return reply.type('text/html; charset=utf-8').send(page(form))
    })

    scope.post(PATH, { schema: { hide: true, body: Token } }, async (request, reply) => {
      await accounts.confirmEmail(db, (request.body as { token: string }).token)
      return reply.type('text/html; charset=utf-8').send(page(`<p>${say.docs.confirmDone}</p>`))
    })
  })
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function page(content: string): string {
  return `<!doctype html><html lang="pt-BR"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${say.docs.confirmTitle}</title>
<style>body{font:18px system-ui;max-width:30em;margin:20vh auto;padding:0 1em;text-align:center}
button{font:inherit;padding:.6em 1.2em}</style><h1>Recado</h1>${content}</html>`
}
