import { Type } from 'typebox'
import { NoContent } from '../kernel/schemas.ts'
import { say } from '../kernel/phrases/phrases.ts'
import type { Db } from '../platform/db/sql.ts'
import { callerOf, scopeOf, type Guard } from '../platform/http/principal.ts'
import { responses } from '../platform/http/responses.ts'
import type { Server } from '../platform/http/server.ts'
import { PairingCode } from './instances.schemas.ts'
import {
  PairingLink,
  PairingLinkBody,
  PairingLinkCodeBody,
  PairingLinkState,
} from './pairing-links.schemas.ts'
import type { PairingLinksService } from './pairing-links.service.ts'

const tags = ['Instâncias']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })
const PATH = '/v1/instances/:id/pairing-link'

/** Registers the routes that create and revoke the pairing link of an instance (G82). */
export function addPairingLinkRoutes(
  server: Server,
  deps: { db: Db; pairingLinks: PairingLinksService; guard: Guard },
): void {
  const { db, pairingLinks, guard: onRequest } = deps

  server.post(
    PATH,
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'createPairingLink',
        summary: 'Criar um link para parear sem conta',
        params,
        response: responses({ 201: PairingLink }, [401, 402, 403, 404, 409, 415], {
          409: say.instances.alreadyConnected,
        }),
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const link = await pairingLinks.create(db, scopeOf(request), callerOf(request), id)
      return reply.code(201).send(link)
    },
  )

  server.delete(
    PATH,
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'deletePairingLink',
        summary: 'Encerrar o link de pareamento',
        params,
        response: responses({ 204: NoContent }, [401, 402, 403, 404]),
      },
    },
    async (request, reply) => {
      await pairingLinks.remove(db, scopeOf(request), callerOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}

/** Registers the routes of the link's page. The token is in the body, to keep it out of request logs. */
export function addPublicPairingRoutes(
  server: Server,
  deps: { db: Db; pairingLinks: PairingLinksService },
): void {
  const { db, pairingLinks } = deps

  /** Starts pairing; returns the code to scan and whether the instance is paired. */
  server.post(
    '/panel/api/pair',
    { schema: { hide: true, body: PairingLinkBody, response: { 200: PairingLinkState } } },
    (request) => pairingLinks.state(db, request.body.token, request.ip),
  )

  /** Returns a code to type on the phone. */
  server.post(
    '/panel/api/pair/code',
    { schema: { hide: true, body: PairingLinkCodeBody, response: { 201: PairingCode } } },
    async (request, reply) => {
      const { token, phone } = request.body
      const code = await pairingLinks.requestCode(db, token, phone, request.ip)
      return reply.code(201).send(code)
    },
  )
}
