import { Type } from 'typebox'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import type { PhoneMark } from '../../networks/virtual-phones.port.ts'
import { PinBody } from '../messages/messages.schemas.ts'
import { PhoneMessage } from './phones.schemas.ts'
import type { PhonesService } from './phones.service.ts'

const tags = ['Simulador']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String(), waMessageId: Type.String() })
const notFound = { 404: say.messages.notFound }
const message = '/v1/simulator/phones/:id/messages/:waMessageId'

const marked = responses({ 200: PhoneMessage }, [401, 402, 403, 404, 409], notFound)

/** The boolean marks, by the paths that set and clear them. */
const TOGGLES = [
  {
    path: 'star',
    markWith: (starred: boolean): PhoneMark => ({ kind: 'starred', starred }),
    on: { operationId: 'starFromPhone', summary: 'Marcar uma mensagem com estrela no telefone' },
    off: { operationId: 'unstarFromPhone', summary: 'Tirar a estrela de uma mensagem no telefone' },
  },
  {
    path: 'keep',
    markWith: (kept: boolean): PhoneMark => ({ kind: 'kept', kept }),
    on: {
      operationId: 'keepFromPhone',
      summary: 'Manter uma mensagem temporária na conversa do telefone',
    },
    off: {
      operationId: 'unkeepFromPhone',
      summary: 'Deixar de manter uma mensagem temporária do telefone',
    },
  },
]

/** Registers the simulator routes with which a virtual phone pins, stars and keeps messages, and undoes that (G54). */
export function addPhoneMarkRoutes(
  server: Server,
  { db, phones, guard: onRequest }: { db: Db; phones: PhonesService; guard: Guard },
): void {
  server.put(
    `${message}/pin`,
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'pinFromPhone',
        summary: 'Fixar uma mensagem na conversa do telefone',
        params,
        body: PinBody,
        response: responses(
          { 200: PhoneMessage },
          [400, 401, 402, 403, 404, 409, 413, 415],
          notFound,
        ),
      },
    },
    (request) => {
      const { id, waMessageId } = request.params
      return phones.mark(db, scopeOf(request), id, waMessageId, {
        kind: 'pinned',
        seconds: request.body.seconds,
      })
    },
  )

  server.delete(
    `${message}/pin`,
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'unpinFromPhone',
        summary: 'Desafixar uma mensagem na conversa do telefone',
        params,
        response: marked,
      },
    },
    (request) => {
      const { id, waMessageId } = request.params
      return phones.mark(db, scopeOf(request), id, waMessageId, { kind: 'pinned', seconds: null })
    },
  )

  for (const { path, markWith, on, off } of TOGGLES)
    for (const [method, value, named] of [
      ['PUT', true, on],
      ['DELETE', false, off],
    ] as const)
      server.route({
        method,
        url: `${message}/${path}`,
        onRequest,
        schema: { tags, security, ...named, params, response: marked },
        handler(request) {
          const { id, waMessageId } = request.params
          return phones.mark(db, scopeOf(request), id, waMessageId, markWith(value))
        },
      })
}
