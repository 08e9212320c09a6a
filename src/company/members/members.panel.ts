import type { Db } from '../../platform/db/sql.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { userOf, type Guard } from '../../platform/http/principal.ts'
import { languageOf } from '../../platform/http/languages.ts'
import type { Server } from '../../platform/http/server.ts'
import {
  AcceptBody,
  Invited,
  InvitedBody,
  ChangeRoleBody,
  Invitation,
  InviteBody,
  Member,
  MemberPath,
  Members,
} from './members.schemas.ts'
import type { MembersService } from './members.service.ts'

/** Adds the panel's private routes for the members of an account. */
export function addMemberPanelRoutes(
  server: Server,
  /** `readGuard` admits only roles that may view the account. */
  deps: { db: Db; members: MembersService; guard: Guard; readGuard: Guard },
): void {
  const { db, members, guard: onRequest, readGuard } = deps

  server.get(
    '/panel/api/members',
    { onRequest: readGuard, schema: { hide: true, response: { 200: Members } } },
    (request) => members.list(db, userOf(request)),
  )

  server.post(
    '/panel/api/members/invitations',
    {
      config: { waits: true, changes: 'members' },
      onRequest,
      schema: { hide: true, body: InviteBody, response: { 201: Invitation } },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send(await members.invite(db, userOf(request), request.body, languageOf(request))),
  )

  server.delete(
    '/panel/api/members/invitations/:id',
    {
      config: { changes: 'members' },
      onRequest,
      schema: { hide: true, params: MemberPath, response: { 204: NoContent } },
    },
    async (request, reply) => {
      await members.withdraw(db, userOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )

  server.patch(
    '/panel/api/members/:id',
    {
      config: { changes: 'members' },
      onRequest,
      schema: { hide: true, params: MemberPath, body: ChangeRoleBody, response: { 200: Member } },
    },
    (request) => members.changeRole(db, userOf(request), request.params.id, request.body.role),
  )

  server.delete(
    '/panel/api/members/:id',
    {
      config: { changes: 'members' },
      onRequest,
      schema: { hide: true, params: MemberPath, response: { 204: NoContent } },
    },
    async (request, reply) => {
      await members.remove(db, userOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )

  server.post(
    '/panel/api/invitation',
    { schema: { hide: true, body: InvitedBody, response: { 200: Invited } } },
    async (request) => ({ invitation: await members.invited(db, request.body.token) }),
  )

  /** Accepts an invitation: creates the member with their password. */
  server.post(
    '/panel/api/accept-invitation',
    {
      config: { changes: 'members' },
      schema: { hide: true, body: AcceptBody, response: { 204: NoContent } },
    },
    async (request, reply) => {
      await members.accept(db, request.body, request.ip)
      return reply.code(204).send(null)
    },
  )
}
