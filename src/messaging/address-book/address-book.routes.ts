import { Type } from 'typebox'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { callerOf, scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import { Contact } from '../contacts/contacts.schemas.ts'
import type { ContactsService } from '../contacts/contacts.service.ts'
import {
  ImportContactsBody,
  ImportedContacts,
  MergeContactBody,
  PatchContactBody,
} from './address-book.schemas.ts'
import type { AddressBookService } from './address-book.service.ts'

const tags = ['Contatos']
const security = [{ apiKey: [] }]
const PATH = '/v1/instances/:id/contacts'
const params = Type.Object({ id: Type.String() })
const one = Type.Object({ id: Type.String(), contactId: Type.String() })
const notFound = { 404: say.contacts.notFound }
/** Enough for a thousand contacts with a few fields each. */
const MAX_IMPORT_BYTES = 4 * 1024 * 1024

/** Registers the routes that read and change single contacts and import lists of them (G81). */
export function addAddressBookRoutes(
  server: Server,
  deps: {
    db: Db
    contacts: Pick<ContactsService, 'get'>
    addressBook: AddressBookService
    guard: Guard
    idempotent: Idempotent
  },
): void {
  const { db, contacts, addressBook, guard: onRequest, idempotent } = deps

  server.post(
    `${PATH}/import`,
    {
      config: { idempotent: true, changes: 'contacts', longLists: true },
      onRequest,
      bodyLimit: MAX_IMPORT_BYTES,
      schema: {
        tags,
        security,
        operationId: 'importContacts',
        summary: 'Importar contatos',
        params,
        body: ImportContactsBody,
        response: responses({ 200: ImportedContacts }, [400, 401, 402, 403, 404, 409, 413, 415]),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id } = request.params
        const by = callerOf(request)
        const body = await addressBook.import(tx, scopeOf(request), by, id, request.body)
        return { status: 200, body }
      }),
  )

  server.get(
    `${PATH}/:contactId`,
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'getContact',
        summary: 'Ver um contato',
        params: one,
        response: responses({ 200: Contact }, [401, 402, 403, 404], notFound),
      },
    },
    (request) => {
      const { id, contactId } = request.params
      return contacts.get(db, scopeOf(request), id, contactId)
    },
  )

  server.patch(
    `${PATH}/:contactId`,
    {
      config: { changes: 'contacts' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'updateContact',
        summary: 'Mudar o nome e os campos de um contato',
        params: one,
        body: PatchContactBody,
        response: responses({ 200: Contact }, [400, 401, 402, 403, 404, 413, 415], notFound),
      },
    },
    (request) => {
      const { id: instanceId, contactId } = request.params
      const place = { instanceId, contactId }
      return addressBook.update(db, scopeOf(request), callerOf(request), place, request.body)
    },
  )

  server.post(
    `${PATH}/:contactId/merge`,
    {
      config: { idempotent: true, changes: 'contacts' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'mergeContact',
        summary: 'Juntar dois contatos da mesma pessoa',
        params: one,
        body: MergeContactBody,
        response: responses({ 200: Contact }, [400, 401, 402, 403, 404, 409, 413, 415], notFound),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id: instanceId, contactId } = request.params
        const place = { instanceId, contactId }
        const { with: other } = request.body
        const by = callerOf(request)
        return {
          status: 200,
          body: await addressBook.merge(tx, scopeOf(request), by, place, other),
        }
      }),
  )
}
