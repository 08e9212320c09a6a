import { Type } from 'typebox'
import type { Db } from '../platform/db/sql.ts'
import { responses } from '../platform/http/responses.ts'
import { NoContent, PageQuery } from '../kernel/schemas.ts'
import type { Idempotent } from '../platform/http/idempotent.ts'
import { callerOf, instancesOf, scopeOf, type Guard } from '../platform/http/principal.ts'
import type { Server } from '../platform/http/server.ts'
import { say } from '../kernel/phrases/phrases.ts'
import {
  CreateInstanceBody,
  Instance,
  InstanceList,
  PatchInstanceBody,
} from './instances.schemas.ts'
import type { InstancesService } from './instances.service.ts'

const tags = ['Instâncias']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const own = { 503: say.instances.networkMissing }

/** Adds the public routes that manage instances (G22). */
export function addInstanceRoutes(
  server: Server,
  deps: {
    db: Db
    instances: InstancesService
    guard: Guard
    idempotent: Idempotent
  },
): void {
  const { db, instances, guard: onRequest, idempotent } = deps

  server.post(
    '/v1/instances',
    {
      config: { idempotent: true, changes: 'instances' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'createInstance',
        summary: 'Criar uma instância',
        body: CreateInstanceBody,
        response: responses({ 201: Instance }, [400, 401, 402, 403, 409, 413, 415]),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 201,
        body: await instances.create(tx, scopeOf(request), callerOf(request), request.body),
      })),
  )

  server.get(
    '/v1/instances',
    {
      config: { keyUse: 'own' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listInstances',
        summary: 'Listar as instâncias do modo',
        querystring: Type.Object(PageQuery),
        response: responses({ 200: InstanceList }, [400, 401, 402, 403]),
      },
    },
    (request) =>
      instances.list(db, scopeOf(request), { ...request.query, only: instancesOf(request) }),
  )

  server.get(
    '/v1/instances/:id',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getInstance',
        summary: 'Ver uma instância',
        params,
        response: responses({ 200: Instance }, [401, 402, 403, 404]),
      },
    },
    (request) => instances.get(db, scopeOf(request), request.params.id),
  )

  server.patch(
    '/v1/instances/:id',
    {
      config: { changes: 'instances' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'updateInstance',
        summary: 'Mudar o nome ou os ajustes',
        params,
        body: PatchInstanceBody,
        response: responses({ 200: Instance }, [400, 401, 402, 403, 404, 413, 415]),
      },
    },
    (request) => {
      const { id } = request.params
      return instances.update(db, scopeOf(request), callerOf(request), id, request.body)
    },
  )

  server.delete(
    '/v1/instances/:id',
    {
      config: { changes: 'instances' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'deleteInstance',
        summary: 'Remover uma instância',
        params,
        response: responses({ 204: NoContent }, [401, 402, 403, 404]),
      },
    },
    async (request, reply) => {
      await instances.remove(db, scopeOf(request), callerOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )

  const actions = {
    connect: 'Conectar: reabre a conexão ou começa o pareamento',
    disconnect: 'Desconectar sem perder o pareamento',
    logout: 'Encerrar o pareamento',
  } as const
  for (const [action, summary] of Object.entries(actions) as [keyof typeof actions, string][]) {
    server.post(
      `/v1/instances/:id/${action}`,
      {
        config: { idempotent: true, changes: 'instances' },
        onRequest,
        schema: {
          tags,
          security,
          operationId: `${action}Instance`,
          summary,
          params,
          response: responses({ 200: Instance }, [400, 401, 402, 403, 404, 409, 415], own),
        },
      },
      (request, reply) =>
        idempotent(request, reply, async (tx) => ({
          status: 200,
          body: await instances[action](tx, scopeOf(request), callerOf(request), request.params.id),
        })),
    )
  }
}
