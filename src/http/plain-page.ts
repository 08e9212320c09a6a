import { Type, type Static, type TSchema } from 'typebox'
import type { Server } from './server.ts'

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
const Token = Type.Object({ token: Type.String({ maxLength: 200 }) })

/**
 * The page behind the link of a mail, until the panel has one: without scripts, and with a button, because opening the
 * link alone must not use it up (mail scanners open links). `act` gets the form's fields, checked by `body`, and answers
 * the sentence to show.
 */
export function addLinkPage<Body extends TSchema>(
  server: Server,
  page: {
    path: string
    title: string
    button: string
    /** The label of the field `password`, where there is one. */
    passwordLabel?: string
    body: Body
    act: (fields: Static<Body>) => Promise<string>
  },
): void {
  const { path, title, button, passwordLabel, body, act } = page
  const password =
    passwordLabel === undefined
      ? ''
      : `<p><label>${passwordLabel}<br><input type="password" name="password" minlength="8" maxlength="200"
          autocomplete="new-password" required></label></p>`
  void server.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_: unknown, text: unknown) => Object.fromEntries(new URLSearchParams(String(text))),
    )
    scope.addHook('onSend', async (_request, reply) => {
      void reply.header('content-security-policy', POLICY).header('referrer-policy', 'no-referrer')
    })

    scope.get(path, { schema: { hide: true, querystring: Token } }, async (request, reply) => {
      const { token } = request.query as { token: string }
      const form = `<form method="post" action="${path}"><input type="hidden" name="token" value="${escapeHtml(token)}">
        ${password}<button>${button}</button></form>`
      return reply.type('text/html; charset=utf-8').send(render(title, form))
    })

    scope.post(path, { schema: { hide: true, body } }, async (request, reply) => {
      const done = `<p>${await act(request.body as Static<Body>)}</p>`
      return reply.type('text/html; charset=utf-8').send(render(title, done))
    })
  })
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function render(title: string, content: string): string {
  return `<!doctype html><html lang="pt-BR"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font:18px system-ui;max-width:30em;margin:20vh auto;padding:0 1em;text-align:center}
button,input{font:inherit;padding:.6em 1.2em}</style><h1>Recado</h1>${content}</html>`
}
