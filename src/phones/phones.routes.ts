import { Type } from 'typebox'
import type { Db } from '../db/sql.ts'
import { answers, NoContent, PageQuery } from '../http/answers.ts'
import type { Idempotent } from '../http/idempotent.ts'
import { keyGuard, scopeOf, type Authenticator } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { ReadAnswer } from '../messages/messages.schemas.ts'
import { say } from '../phrases/phrases.ts'
import {
  CreatePhoneBody,
  Phone,
  PhoneInbox,
  PhoneList,
  PhoneMessage,
  PhoneMessageBody,
  PhoneReadBody,
  ScanBody,
} from './phones.schemas.ts'
import type { PhonesService } from './phones.service.ts'

const tags = ['Simulador']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const notFound = { 404: say.phones.notFound }

/** Source: contract §3. */
export function addPhoneRoutes(
  server: Server,
  deps: { db: Db; phones: PhonesService; authenticator: Authenticator; idempotent: Idempotent },
): void {
  const { db, phones, authenticator, idempotent } = deps
  const onRequest = keyGuard(authenticator)

  server.post(
    '/v1/simulator/phones',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Criar um telefone virtual',
        body: CreatePhoneBody,
        response: answers({ 201: Phone }, [400, 401, 402, 403, 404, 409, 413, 415], {
          409: say.phones.numberTaken,
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 201,
        body: await phones.create(tx, scopeOf(request), request.body),
      })),
  )

  server.get(
    '/v1/simulator/phones',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Listar os telefones virtuais',
        querystring: Type.Object(PageQuery),
        response: answers({ 200: PhoneList }, [400, 401, 402, 403, 404]),
      },
    },
    (request) => phones.list(db, scopeOf(request), request.query),
  )

  server.get(
    '/v1/simulator/phones/:id',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Ver um telefone virtual',
        params,
        response: answers({ 200: Phone }, [401, 402, 403, 404], notFound),
      },
    },
    (request) => phones.show(db, scopeOf(request), request.params.id),
  )

  server.delete(
    '/v1/simulator/phones/:id',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Remover um telefone virtual',
        params,
        response: answers({ 204: NoContent }, [401, 402, 403, 404], notFound),
      },
    },
    async (request, reply) => {
      await phones.remove(db, scopeOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )

  server.post(
    '/v1/simulator/phones/:id/scan',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Ler um QR: a instância passa a ser deste número',
        params,
        body: ScanBody,
        response: answers({ 200: Phone }, [400, 401, 402, 403, 404, 409, 413, 415], {
          ...notFound,
          400: say.phones.codeUnknown,
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 200,
        body: await phones.scan(tx, scopeOf(request), request.params.id, request.body.code),
      })),
  )

  server.post(
    '/v1/simulator/phones/:id/messages',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Escrever a uma instância',
        params,
        body: PhoneMessageBody,
        response: answers({ 201: PhoneMessage }, [400, 401, 402, 403, 404, 409, 413, 415, 429], {
          ...notFound,
          400: say.phones.toInvalid,
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 201,
        body: await phones.write(tx, scopeOf(request), request.params.id, request.body),
      })),
  )

  server.post(
    '/v1/simulator/phones/:id/read',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Ler mensagens que o telefone recebeu',
        params,
        body: PhoneReadBody,
        response: answers({ 200: ReadAnswer }, [400, 401, 402, 403, 404, 409, 413, 415], {
          404: say.messages.notFound,
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id } = request.params
        const ids = await phones.read(tx, scopeOf(request), id, request.body.waMessageIds)
        return { status: 200, body: { waMessageIds: ids } }
      }),
  )

  server.get(
    '/v1/simulator/phones/:id/inbox',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Ver o que o telefone recebeu',
        params,
        querystring: Type.Object(PageQuery),
        response: answers({ 200: PhoneInbox }, [400, 401, 402, 403, 404], notFound),
      },
    },
    (request) => phones.inbox(db, scopeOf(request), request.params.id, request.query),
  )

  server.post(
    '/v1/simulator/phones/:id/unpair',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Remover o aparelho: as instâncias do telefone saem',
        params,
        response: answers({ 200: Phone }, [400, 401, 402, 403, 404, 409, 415], notFound),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 200,
        body: await phones.unpair(tx, scopeOf(request), request.params.id),
      })),
  )
}
