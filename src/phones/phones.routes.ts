import { Type } from 'typebox'
import type { Db } from '../db/sql.ts'
import { answers, NoContent, PageQuery } from '../http/answers.ts'
import { bodyByType } from '../http/body-by-type.ts'
import type { Idempotent } from '../http/idempotent.ts'
import { keyGuard, scopeOf, type Authenticator } from '../http/principal.ts'
import type { Server } from '../http/server.ts'
import { EditBody, ReadAnswer } from '../messages/messages.schemas.ts'
import { say } from '../phrases/phrases.ts'
import { allKinds } from '../records/kinds/index.ts'
import {
  CreatePhoneBody,
  PatchPhoneBody,
  Phone,
  PhoneCall,
  PhoneCallBody,
  PhoneInbox,
  PhoneList,
  PhoneMessage,
  PhoneReadBody,
  ScanBody,
} from './phones.schemas.ts'
import type { PhonesService, PhoneWrite } from './phones.service.ts'

const tags = ['Simulador']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const oneMessage = Type.Object({ id: Type.String(), waMessageId: Type.String() })
const notFound = { 404: say.phones.notFound }
const messageNotFound = { 404: say.messages.notFound }
/** Room for media as base64, as for instances. */
const LARGE_BODY = 16 * 1024 * 1024
const anyKind = bodyByType(allKinds.map((kind) => [kind.name, kind.phoneBody]))

/** What a person does with a phone. Source: contract §3. */
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

  server.patch(
    '/v1/simulator/phones/:id',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Mudar o nome que os outros veem',
        params,
        body: PatchPhoneBody,
        response: answers({ 200: Phone }, [400, 401, 402, 403, 404, 413, 415], notFound),
      },
    },
    (request) => phones.rename(db, scopeOf(request), request.params.id, request.body.name),
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
      bodyLimit: LARGE_BODY,
      schema: {
        tags,
        security,
        summary: 'Escrever a uma instância ou a um grupo, mensagens de qualquer tipo',
        params,
        body: anyKind.body,
        response: answers({ 201: PhoneMessage }, [400, 401, 402, 403, 404, 409, 413, 415, 429], {
          ...notFound,
          400: say.phones.toInvalid,
        }),
      },
      validatorCompiler: anyKind.validatorCompiler,
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id } = request.params
        const body = await phones.write(tx, scopeOf(request), id, request.body as PhoneWrite)
        return { status: 201, body }
      }),
  )

  server.patch(
    '/v1/simulator/phones/:id/messages/:waMessageId',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Editar o que o telefone escreveu',
        params: oneMessage,
        body: EditBody,
        response: answers(
          { 200: PhoneMessage },
          [400, 401, 402, 403, 404, 409, 413, 415],
          messageNotFound,
        ),
      },
    },
    (request) => {
      const { id, waMessageId } = request.params
      return phones.edit(db, scopeOf(request), id, waMessageId, request.body.text)
    },
  )

  server.delete(
    '/v1/simulator/phones/:id/messages/:waMessageId',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Apagar para todos o que o telefone escreveu',
        params: oneMessage,
        response: answers({ 204: NoContent }, [401, 402, 403, 404, 409], messageNotFound),
      },
    },
    async (request, reply) => {
      const { id, waMessageId } = request.params
      await phones.revoke(db, scopeOf(request), id, waMessageId)
      return reply.code(204).send(null)
    },
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
        response: answers(
          { 200: ReadAnswer },
          [400, 401, 402, 403, 404, 409, 413, 415],
          messageNotFound,
        ),
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
    '/v1/simulator/phones/:id/calls',
    {
      onRequest,
      schema: {
        tags,
        security,
        summary: 'Ligar para uma instância',
        params,
        body: PhoneCallBody,
        response: answers({ 201: PhoneCall }, [400, 401, 402, 403, 404, 409, 413, 415], notFound),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 201,
        body: await phones.call(tx, scopeOf(request), request.params.id, request.body),
      })),
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

  const states = {
    offline: 'Deixar o telefone sem rede: o que lhe escrevem espera',
    online: 'Voltar à rede: o que esperava é entregue',
    ban: 'Banir o número: suas instâncias ficam BANNED',
  } as const
  for (const [state, summary] of Object.entries(states) as [keyof typeof states, string][]) {
    server.post(
      `/v1/simulator/phones/:id/${state}`,
      {
        onRequest,
        schema: {
          tags,
          security,
          summary,
          params,
          response: answers({ 200: Phone }, [400, 401, 402, 403, 404, 409, 415], notFound),
        },
      },
      (request, reply) =>
        idempotent(request, reply, async (tx) => ({
          status: 200,
          body: await phones.setState(tx, scopeOf(request), request.params.id, state),
        })),
    )
  }
}
