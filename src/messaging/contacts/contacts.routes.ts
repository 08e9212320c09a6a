import { Type } from 'typebox'
import type { Db } from '../../platform/db/sql.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import {
  CheckNumbersResponse,
  CheckNumbersBody,
  ContactList,
  ListContactsQuery,
} from './contacts.schemas.ts'
import type { ContactsService } from './contacts.service.ts'
import type { NumbersService } from './numbers.service.ts'

const tags = ['Contatos']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String() })

/** Registers the routes that list contacts and check numbers on the network (G36). */
export function addContactRoutes(
  server: Server,
  deps: {
    db: Db
    contacts: ContactsService
    numbers: NumbersService
    guard: Guard
    idempotent: Idempotent
  },
): void {
  const { db, contacts, numbers, guard: onRequest, idempotent } = deps

  server.get(
    '/v1/instances/:id/contacts',
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listContacts',
        summary: 'Listar os contatos',
        params,
        querystring: ListContactsQuery,
        response: responses({ 200: ContactList }, [400, 401, 402, 403, 404]),
      },
    },
    (request) => contacts.list(db, scopeOf(request), request.params.id, request.query),
  )

  server.post(
    '/v1/instances/:id/contacts/check',
    {
      config: { idempotent: true, asksNetwork: true },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'checkContacts',
        summary: 'Conferir quais números estão na rede',
        params,
        body: CheckNumbersBody,
        response: responses(
          { 200: CheckNumbersResponse },
          [400, 401, 402, 403, 404, 409, 413, 415],
        ),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id } = request.params
        const items = await numbers.check(tx, scopeOf(request), id, request.body.phones)
        return { status: 200, body: { items } }
      }),
  )
}
