import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import { NoContent, PageQuery } from '../../kernel/schemas.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { CreatePhoneBody, PatchPhoneBody, Phone, PhoneList, ScanBody } from './phones.schemas.ts'
import type { PhonesService } from './phones.service.ts'

const tags = ['Simulador']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const notFound = { 404: say.phones.notFound }

/** Registers the simulator routes that manage virtual phones, pair them and set their state (G54). */
export function addPhoneRoutes(
  server: Server,
  deps: { db: Db; phones: PhonesService; guard: Guard; idempotent: Idempotent },
): void {
  const { db, phones, guard: onRequest, idempotent } = deps

  server.post(
    '/v1/simulator/phones',
    {
      config: { idempotent: true, changes: 'phones' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'createPhone',
        summary: 'Criar um telefone virtual',
        body: CreatePhoneBody,
        response: responses({ 201: Phone }, [400, 401, 402, 403, 404, 409, 413, 415], {
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
        operationId: 'listPhones',
        summary: 'Listar os telefones virtuais',
        querystring: Type.Object(PageQuery),
        response: responses({ 200: PhoneList }, [400, 401, 402, 403, 404]),
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
        operationId: 'getPhone',
        summary: 'Ver um telefone virtual',
        params,
        response: responses({ 200: Phone }, [401, 402, 403, 404], notFound),
      },
    },
    (request) => phones.get(db, scopeOf(request), request.params.id),
  )

  server.patch(
    '/v1/simulator/phones/:id',
    {
      // A picture may be fetched from a URL.
      config: { asksNetwork: true, changes: 'phones' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'updatePhone',
        summary: 'Mudar o nome, o recado ou a foto que os outros veem',
        params,
        body: PatchPhoneBody,
        response: responses({ 200: Phone }, [400, 401, 402, 403, 404, 413, 415], notFound),
      },
    },
    (request) => phones.changeProfile(db, scopeOf(request), request.params.id, request.body),
  )

  server.delete(
    '/v1/simulator/phones/:id',
    {
      config: { changes: 'phones' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'deletePhone',
        summary: 'Remover um telefone virtual',
        params,
        response: responses({ 204: NoContent }, [401, 402, 403, 404], notFound),
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
      config: { idempotent: true, changes: 'phones' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'scanWithPhone',
        summary: 'Ler um QR: a instância passa a ser deste número',
        params,
        body: ScanBody,
        response: responses({ 200: Phone }, [400, 401, 402, 403, 404, 409, 413, 415], {
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
    '/v1/simulator/phones/:id/unpair',
    {
      config: { idempotent: true, changes: 'phones' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'unpairPhone',
        summary: 'Remover o aparelho: as instâncias do telefone saem',
        params,
        response: responses({ 200: Phone }, [400, 401, 402, 403, 404, 409, 415], notFound),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => ({
        status: 200,
        body: await phones.unpair(tx, scopeOf(request), request.params.id),
      })),
  )

  const states = {
    offline: ['takePhoneOffline', 'Deixar o telefone sem rede: o que lhe escrevem espera'],
    online: ['bringPhoneOnline', 'Voltar à rede: o que esperava é entregue'],
    'new-device': ['changePhoneDevice', 'Trocar de celular: o código de segurança muda'],
    ban: ['banPhone', 'Banir o número: suas instâncias ficam BANNED'],
  } as const
  for (const state of Object.keys(states) as (keyof typeof states)[]) {
    const [operationId, summary] = states[state]
    server.post(
      `/v1/simulator/phones/:id/${state}`,
      {
        config: { idempotent: true, changes: 'phones' },
        onRequest,
        schema: {
          tags,
          security,
          operationId,
          summary,
          params,
          response: responses({ 200: Phone }, [400, 401, 402, 403, 404, 409, 415], notFound),
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
