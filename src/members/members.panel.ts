import { Type } from 'typebox'
import type { Db } from '../db/sql.ts'
import { addPlainPages, escapeHtml, plainPage } from '../http/plain-page.ts'
import { userGuard, userOf, type Authenticator } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { say } from '../phrases/phrases.ts'
import { AcceptBody, ChangeRoleBody, InviteBody, MemberPath } from './members.schemas.ts'
import type { MembersService } from './members.service.ts'

const PATH = '/convite'
const Token = Type.Object({ token: Type.String({ maxLength: 200 }) })

/** The panel's private routes for the people of an account. */
export function addMemberPanelRoutes(
  server: Server,
  deps: { db: Db; members: MembersService; authenticator: Authenticator },
): void {
  const { db, members, authenticator } = deps
  const onRequest = userGuard(authenticator)

  /** 200 {"items","invitations"} */
  server.get('/panel/api/members', { onRequest, schema: { hide: true } }, (request) =>
    members.list(db, userOf(request)),
  )

  server.post(
    '/panel/api/members/invitations',
    { onRequest, schema: { hide: true, body: InviteBody } },
    async (request, reply) =>
      reply.code(201).send(await members.invite(db, userOf(request), request.body)),
  )

  server.delete(
    '/panel/api/members/invitations/:id',
    { onRequest, schema: { hide: true, params: MemberPath } },
    async (request, reply) => {
      await members.withdraw(db, userOf(request), request.params.id)
      return reply.code(204).send()
    },
  )

  server.patch(
    '/panel/api/members/:id',
    { onRequest, schema: { hide: true, params: MemberPath, body: ChangeRoleBody } },
    (request) => members.changeRole(db, userOf(request), request.params.id, request.body.role),
  )

  server.delete(
    '/panel/api/members/:id',
    { onRequest, schema: { hide: true, params: MemberPath } },
    async (request, reply) => {
      await members.remove(db, userOf(request), request.params.id)
      return reply.code(204).send()
    },
  )

  server.post(
    '/panel/api/accept-invitation',
    { schema: { hide: true, body: AcceptBody } },
    async (request, reply) => {
      await members.accept(db, request.body)
      return reply.code(204).send()
    },
  )

  const { inviteTitle, resetLabel, inviteAction, inviteDone } = say.docs
  /** The page behind the link of the mail, until the panel has one. */
  addPlainPages(server, (scope) => {
    scope.get(PATH, { schema: { hide: true, querystring: Token } }, async (request, reply) => {
      const { token } = request.query as { token: string }
      const form = `<form method="post" action="${PATH}"><input type="hidden" name="token" value="${escapeHtml(token)}">
        <p><label>${resetLabel}<br><input type="password" name="password" minlength="8" maxlength="200"
          autocomplete="new-password" required></label></p><button>${inviteAction}</button></form>`
      return reply.type('text/html; charset=utf-8').send(plainPage(inviteTitle, form))
    })

    scope.post(PATH, { schema: { hide: true, body: AcceptBody } }, async (request, reply) => {
      await members.accept(db, request.body as AcceptBody)
      const done = plainPage(inviteTitle, `<p>${inviteDone}</p>`)
      return reply.type('text/html; charset=utf-8').send(done)
    })
  })
}
