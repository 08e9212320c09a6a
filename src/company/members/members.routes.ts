import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import { PublicMembers } from './members.schemas.ts'
import type { MembersService } from './members.service.ts'

const tags = ['Projeto']
const security = [{ apiKey: [] }]

/** Adds the public route that lists the people to whom conversations may be assigned. */
export function addMemberRoutes(
  server: Server,
  deps: { db: Db; members: MembersService; guard: Guard },
): void {
  const { db, members, guard: onRequest } = deps

  server.get(
    '/v1/members',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listMembers',
        summary: 'Listar as pessoas da equipe',
        response: responses({ 200: PublicMembers }, [401, 402, 403]),
      },
    },
    (request) => members.listForKeys(db, scopeOf(request)),
  )
}
