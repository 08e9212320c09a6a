import { Type } from 'typebox'
import { validateBody } from '../../kernel/validation.ts'
import type { Db } from '../../platform/db/sql.ts'
import { compileWithBody } from '../../platform/http/compile-schema.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import {
  ListSchedulesQuery,
  ScheduleBody,
  scheduleBodySchema,
  ScheduledMessage,
  ScheduledMessageList,
} from './schedules.schemas.ts'
import type { SchedulesService } from './schedules.service.ts'
import { MEDIA_BODY_BYTES } from '../../model/media-fields.ts'

const tags = ['Mensagens']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const one = Type.Object({ id: Type.String(), scheduleId: Type.String() })
const notFound = { 404: say.schedules.notFound }

/** Registers the routes that schedule, list and cancel single messages (G78). */
export function addScheduleRoutes(
  server: Server,
  deps: { db: Db; schedules: SchedulesService; guard: Guard; idempotent: Idempotent },
): void {
  const { db, schedules, guard: onRequest, idempotent } = deps

  server.post(
    '/v1/instances/:id/scheduled-messages',
    {
      config: { waits: true, idempotent: true, changes: 'schedules' },
      onRequest,
      bodyLimit: MEDIA_BODY_BYTES,
      schema: {
        tags,
        security,
        operationId: 'scheduleMessage',
        summary: 'Agendar uma mensagem',
        params,
        body: scheduleBodySchema,
        response: responses({ 201: ScheduledMessage }, [400, 401, 402, 403, 404, 409, 413, 415]),
      },
      // The message is validated by its type, so that errors name the fields of that type.
      validatorCompiler: compileWithBody((value) => ({ value: validateBody(ScheduleBody, value) })),
    },
    async (request, reply) => {
      const { id } = request.params
      const scope = scopeOf(request)
      const prepare = () => schedules.prepare(db, scope, id, request.body)
      return idempotent(
        request,
        reply,
        async (tx, draft: Awaited<ReturnType<typeof prepare>>) => ({
          status: 201,
          body: await schedules.create(tx, scope, id, draft),
        }),
        // Not for a request whose response is stored: it may be repeated when its time or its file is gone.
        { prepare, preparesAlways: true },
      )
    },
  )

  server.get(
    '/v1/instances/:id/scheduled-messages',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listScheduledMessages',
        summary: 'Listar as mensagens agendadas, da próxima para a mais distante',
        params,
        querystring: ListSchedulesQuery,
        response: responses({ 200: ScheduledMessageList }, [400, 401, 402, 403, 404]),
      },
    },
    (request) => schedules.list(db, scopeOf(request), request.params.id, request.query),
  )

  server.get(
    '/v1/instances/:id/scheduled-messages/:scheduleId',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getScheduledMessage',
        summary: 'Ver uma mensagem agendada',
        params: one,
        response: responses({ 200: ScheduledMessage }, [401, 402, 403, 404], notFound),
      },
    },
    (request) => schedules.get(db, scopeOf(request), request.params.id, request.params.scheduleId),
  )

  server.post(
    '/v1/instances/:id/scheduled-messages/:scheduleId/cancel',
    {
      config: { idempotent: true, changes: 'schedules' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'cancelScheduledMessage',
        summary: 'Cancelar uma mensagem agendada',
        params: one,
        response: responses({ 200: ScheduledMessage }, [400, 401, 402, 403, 404, 409, 415], {
          ...notFound,
          409: say.schedules.over(false),
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id, scheduleId } = request.params
        return { status: 200, body: await schedules.cancel(tx, scopeOf(request), id, scheduleId) }
      }),
  )
}
