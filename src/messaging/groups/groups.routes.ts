import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import {
  CreateGroupBody,
  Group,
  GroupInvite,
  GroupList,
  JoinedGroup,
  JoinGroupBody,
  ListGroupsQuery,
  ParticipantsBody,
  PatchGroupBody,
} from './groups.schemas.ts'
import type { GroupsService } from './groups.service.ts'

const tags = ['Grupos']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const one = Type.Object({ id: Type.String(), groupId: Type.String() })
const own = { 404: say.groups.notFound }

/** Registers the routes that list, create, change and leave groups (G37). */
export function addGroupRoutes(
  server: Server,
  deps: { db: Db; groups: GroupsService; guard: Guard; idempotent: Idempotent },
): void {
  const { db, groups, guard: onRequest, idempotent } = deps

  server.get(
    '/v1/instances/:id/groups',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listGroups',
        summary: 'Listar os grupos',
        params,
        querystring: ListGroupsQuery,
        response: responses({ 200: GroupList }, [400, 401, 402, 403, 404]),
      },
    },
    (request) => groups.list(db, scopeOf(request), request.params.id, request.query),
  )

  server.post(
    '/v1/instances/:id/groups',
    {
      config: { idempotent: true, asksNetwork: true, changes: 'groups' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'createGroup',
        summary: 'Criar um grupo',
        params,
        body: CreateGroupBody,
        response: responses({ 201: Group }, [400, 401, 402, 403, 404, 409, 413, 415]),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 201,
        body: await groups.create(tx, scopeOf(request), request.params.id, request.body),
      })),
  )

  server.post(
    '/v1/instances/:id/groups/join',
    {
      config: { idempotent: true, asksNetwork: true, changes: 'groups' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'joinGroup',
        summary: 'Entrar em um grupo pelo convite',
        description: '`pending`: um administrador do grupo precisa aprovar a entrada.',
        params,
        body: JoinGroupBody,
        response: responses({ 200: JoinedGroup }, [400, 401, 402, 403, 404, 409, 413, 415]),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const group = await groups.join(tx, scopeOf(request), request.params.id, request.body)
        const status = group ? ('joined' as const) : ('pending' as const)
        return { status: 200, body: { status, group } }
      }),
  )

  server.get(
    '/v1/instances/:id/groups/:groupId',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getGroup',
        summary: 'Ver um grupo',
        params: one,
        response: responses({ 200: Group }, [401, 402, 403, 404], own),
      },
    },
    (request) => groups.get(db, scopeOf(request), request.params.id, request.params.groupId),
  )

  server.patch(
    '/v1/instances/:id/groups/:groupId',
    {
      config: { asksNetwork: true, changes: 'groups' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'updateGroup',
        summary: 'Mudar o nome, a descrição ou as configurações de um grupo',
        params: one,
        body: PatchGroupBody,
        response: responses({ 200: Group }, [400, 401, 402, 403, 404, 409, 413, 415], own),
      },
    },
    (request) => {
      const { id, groupId } = request.params
      return groups.update(db, scopeOf(request), id, groupId, request.body)
    },
  )

  server.get(
    '/v1/instances/:id/groups/:groupId/invite',
    {
      config: { longLived: true },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getGroupInvite',
        summary: 'Ver o link de convite de um grupo',
        description: 'Só administradores do grupo podem vê-lo.',
        params: one,
        response: responses({ 200: GroupInvite }, [401, 402, 403, 404, 409], own),
      },
    },
    (request) => {
      const { id, groupId } = request.params
      return groups.invite(db, scopeOf(request), id, groupId, false)
    },
  )

  server.post(
    '/v1/instances/:id/groups/:groupId/invite/reset',
    {
      config: { idempotent: true, asksNetwork: true, changes: 'groups' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'resetGroupInvite',
        summary: 'Trocar o link de convite de um grupo',
        description: 'O link anterior deixa de valer.',
        params: one,
        response: responses({ 200: GroupInvite }, [400, 401, 402, 403, 404, 409, 415], own),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id, groupId } = request.params
        return { status: 200, body: await groups.invite(tx, scopeOf(request), id, groupId, true) }
      }),
  )

  server.post(
    '/v1/instances/:id/groups/:groupId/participants',
    {
      config: { idempotent: true, asksNetwork: true, changes: 'groups' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'changeParticipants',
        summary: 'Adicionar, remover, promover ou rebaixar participantes',
        params: one,
        body: ParticipantsBody,
        response: responses({ 200: Group }, [400, 401, 402, 403, 404, 409, 413, 415], own),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id, groupId } = request.params
        const body = await groups.changeParticipants(
          tx,
          scopeOf(request),
          id,
          groupId,
          request.body,
        )
        return { status: 200, body }
      }),
  )

  server.post(
    '/v1/instances/:id/groups/:groupId/leave',
    {
      config: { idempotent: true, asksNetwork: true, changes: 'groups' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'leaveGroup',
        summary: 'Sair de um grupo',
        params: one,
        response: responses({ 200: Group }, [400, 401, 402, 403, 404, 409, 415], own),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id, groupId } = request.params
        return { status: 200, body: await groups.leave(tx, scopeOf(request), id, groupId) }
      }),
  )
}
