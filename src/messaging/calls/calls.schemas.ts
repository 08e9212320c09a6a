import { Type, type Static } from 'typebox'
import { Page, PageQuery, Timestamp, Words } from '../../kernel/schemas.ts'
import { Party } from '../../model/records.schemas.ts'
import { CALL_STATUSES } from '../../model/vocabulary.ts'

/** A received call; `id` is its id on the network (G37). */
export const Call = Type.Object(
  {
    id: Type.String(),
    from: Party,
    video: Type.Boolean(),
    group: Type.Boolean(),
    status: Words(CALL_STATUSES),
    at: Timestamp,
  },
  {
    title: 'Call',
    examples: [
      {
        id: '3EB0C1A2B3',
        from: { phone: '5511999998888', lid: null, name: 'Ana' },
        video: false,
        group: false,
        status: 'missed',
        at: '2026-11-20T12:00:00.000Z',
      },
    ],
  },
)
export type Call = Static<typeof Call>
/** A page of calls, newest first. */
export const CallList = Page(Call, 'CallList')
/** Filter and pagination of the call list. */
export const ListCallsQuery = Type.Object({
  ...PageQuery,
  conversationId: Type.Optional(
    Type.String({ description: 'Só as chamadas do contato desta conversa' }),
  ),
})
export type ListCallsQuery = Static<typeof ListCallsQuery>
