import { Type } from 'typebox'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import { JoinGroupBody } from '../groups/groups.schemas.ts'
import type { PhoneCollectionsService } from './phone-collections.service.ts'
import { PhoneJoinedGroup } from './phones.schemas.ts'

/** Registers the simulator route with which a virtual phone joins a group by its invitation (G54). */
export function addPhoneJoinRoute(
  server: Server,
  deps: {
    phoneCollections: PhoneCollectionsService
    guard: Guard
    idempotent: Idempotent
  },
): void {
  const { phoneCollections, guard: onRequest, idempotent } = deps
  server.post(
    '/v1/simulator/phones/:id/groups/join',
    {
      config: { idempotent: true },
      onRequest,
      schema: {
        tags: ['Simulador'],
        security: [{ apiKey: [] }],
        operationId: 'joinGroupOnPhone',
        summary: 'Entrar em um grupo com o celular, pelo convite',
        description: '`pending`: um administrador do grupo precisa aprovar a entrada.',
        params: Type.Object({ id: Type.String() }),
        body: JoinGroupBody,
        response: responses({ 200: PhoneJoinedGroup }, [400, 401, 402, 403, 404, 409, 413, 415], {
          404: say.groups.notFound,
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id } = request.params
        const group = await phoneCollections.joinGroup(tx, scopeOf(request), id, request.body)
        const status = group ? ('joined' as const) : ('pending' as const)
        return { status: 200, body: { status, group } }
      }),
  )
}
