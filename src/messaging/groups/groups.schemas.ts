import { Type, type Static } from 'typebox'
import { Nullable, Page, PageQuery, Timestamp } from '../../kernel/schemas.ts'
import { Participant, Party } from '../../model/records.schemas.ts'

const exampleGroup = {
  id: '120363000000000001@g.us',
  conversationId: 'cnv_01jcqz3v8xf6k9m2n4p5r7s8t9',
  subject: 'Vendas',
  description: null,
  owner: { phone: '5511988887777', lid: null, name: 'Suporte' },
  participants: [
    { phone: '5511988887777', lid: null, name: 'Suporte', role: 'superadmin' as const },
    { phone: '5511999998888', lid: null, name: 'Ana', role: 'member' as const },
  ],
  createdAt: '2026-11-20T12:00:00.000Z',
}

/** A group with its participants; `id` is its chat id on the network (G37). */
export const Group = Type.Object(
  {
    id: Type.String(),
    conversationId: Type.String(),
    subject: Type.String(),
    description: Nullable(Type.String()),
    owner: Nullable(Party),
    participants: Type.Array(Participant),
    createdAt: Timestamp,
  },
  { title: 'Group', examples: [exampleGroup] },
)
export type Group = Static<typeof Group>
/** A page of groups, newest first. */
export const GroupList = Page(Group, 'GroupList')

/** Search and pagination of the group list. */
export const ListGroupsQuery = Type.Object({
  ...PageQuery,
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Trecho do nome' })),
})

const subject = Type.String({ minLength: 1, maxLength: 100, examples: ['Vendas'] })
const description = Type.String({ maxLength: 2048, description: 'Vazia retira a descrição' })
const phones = Type.Array(Type.String({ maxLength: 40 }), {
  minItems: 1,
  maxItems: 256,
  examples: [['5511999998888']],
})

/** Body that creates a group with its first participants. */
export const CreateGroupBody = Type.Object(
  { subject, description: Type.Optional(description), participants: phones },
  { additionalProperties: false },
)
export type CreateGroupBody = Static<typeof CreateGroupBody>

/** Body that changes a group's subject or description; at least one field is required. */
export const PatchGroupBody = Type.Object(
  { subject: Type.Optional(subject), description: Type.Optional(description) },
  { additionalProperties: false },
)
export type PatchGroupBody = Static<typeof PatchGroupBody>

/** Body that applies one action to a list of participants. */
export const ParticipantsBody = Type.Object(
  {
    action: Type.Unsafe<'add' | 'remove' | 'promote' | 'demote'>({
      type: 'string',
      enum: ['add', 'remove', 'promote', 'demote'],
    }),
    participants: phones,
  },
  { additionalProperties: false },
)
export type ParticipantsBody = Static<typeof ParticipantsBody>
