import { Type, type Static } from 'typebox'
import { Nullable, Page, PageQuery, Timestamp, Words } from '../kernel/schemas.ts'

/** Maximum numbers in one request. */
const MAX_ADDED = 1000

/** The source of an opt-out: a reply to a campaign, or an entry by the team. */
const OPT_OUT_SOURCES = ['reply', 'team'] as const

/** A person who receives no campaigns. */
export const OptOut = Type.Object(
  {
    phone: Nullable(Type.String()),
    lid: Nullable(Type.String({ description: 'Só para quem não se conhece o telefone' })),
    source: Words(OPT_OUT_SOURCES),
    createdAt: Timestamp,
  },
  {
    title: 'OptOut',
    examples: [
      {
        phone: '5511999998888',
        lid: null,
        source: 'reply',
        createdAt: '2026-11-20T12:00:00.000Z',
      },
    ],
  },
)
export type OptOut = Static<typeof OptOut>
/** A page of opt-outs, newest first. */
export const OptOutList = Page(OptOut, 'OptOutList')

/** Search and pagination of the opt-outs. */
export const ListOptOutsQuery = Type.Object({
  ...PageQuery,
  phone: Type.Optional(
    Type.String({ maxLength: 60, description: 'Só esta pessoa, por telefone ou LID' }),
  ),
})
export type ListOptOutsQuery = Static<typeof ListOptOutsQuery>

/** Body with the people to put on the list, by phone number in any notation or by LID. */
export const AddOptOutsBody = Type.Object(
  {
    phones: Type.Array(Type.String({ maxLength: 60 }), {
      minItems: 1,
      maxItems: MAX_ADDED,
      examples: [['+55 11 99999-8888']],
    }),
  },
  { additionalProperties: false },
)
export type AddOptOutsBody = Static<typeof AddOptOutsBody>

/** The number of people added to the list. */
export const AddedOptOuts = Type.Object(
  { added: Type.Integer(), known: Type.Integer({ description: 'Quantos já estavam na lista' }) },
  { title: 'AddedOptOuts', examples: [{ added: 1, known: 0 }] },
)
export type AddedOptOuts = Static<typeof AddedOptOuts>
