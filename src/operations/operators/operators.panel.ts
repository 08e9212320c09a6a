import { Type } from 'typebox'
import type { Authenticator } from '../../platform/auth/authenticator.port.ts'
import type { Db } from '../../platform/db/sql.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { panelGuard, userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import {
  ChangeProjectBody,
  DrainBody,
  GrantCreditsBody,
  ListProjectsQuery,
  Nodes,
  OperatedProject,
  OperatedProjects,
  Queues,
} from './operators.schemas.ts'
import type { OperatorsService } from './operators.service.ts'

const params = Type.Object({ id: Type.String() })

/** Adds the private panel routes with which operators run the installation. */
export function addOperatorPanelRoutes(
  server: Server,
  deps: { db: Db; operators: OperatorsService; authenticator: Authenticator },
): void {
  const { db, operators, authenticator } = deps
  const authenticate = panelGuard(authenticator)
  const onRequest: Guard = async (request, reply) => {
    await authenticate(request, reply)
    await operators.requireOperator(db, userOf(request))
  }

  server.get(
    '/panel/api/operation/projects',
    {
      onRequest,
      schema: {
        hide: true,
        querystring: ListProjectsQuery,
        response: { 200: OperatedProjects },
      },
    },
    (request) => operators.list(db, request.query),
  )

  server.get(
    '/panel/api/operation/projects/:id',
    { onRequest, schema: { hide: true, params, response: { 200: OperatedProject } } },
    (request) => operators.get(db, request.params.id),
  )

  server.patch(
    '/panel/api/operation/projects/:id',
    {
      onRequest,
      schema: { hide: true, params, body: ChangeProjectBody, response: { 200: OperatedProject } },
    },
    (request) => operators.change(db, userOf(request), request.params.id, request.body),
  )

  server.post(
    '/panel/api/operation/projects/:id/credits',
    {
      onRequest,
      schema: { hide: true, params, body: GrantCreditsBody, response: { 200: OperatedProject } },
    },
    (request) => operators.grant(db, userOf(request), request.params.id, request.body.amount),
  )

  server.get(
    '/panel/api/operation/nodes',
    { onRequest, schema: { hide: true, response: { 200: Nodes } } },
    () => operators.nodes(db),
  )

  server.patch(
    '/panel/api/operation/nodes/:id',
    { onRequest, schema: { hide: true, params, body: DrainBody, response: { 204: NoContent } } },
    async (request, reply) => {
      await operators.drain(db, userOf(request), request.params.id, request.body.draining)
      return reply.code(204).send(null)
    },
  )

  server.get(
    '/panel/api/operation/queues',
    { onRequest, schema: { hide: true, response: { 200: Queues } } },
    () => operators.queues(db),
  )
}
