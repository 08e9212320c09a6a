import { Type, type Static } from 'typebox'
import { NOT_BLANK } from '../../kernel/not-blank.ts'
import { Nullable, Page, PageQuery, Timestamp, Words } from '../../kernel/schemas.ts'
import { GroupCommunity } from '../../model/group-community.schemas.ts'
import {
  GroupSettings,
  GroupSettingsChange,
  INITIAL_SETTINGS,
} from '../../model/group-settings.schemas.ts'
import { Participant, Party } from '../../model/records.schemas.ts'
import { PARTICIPANT_ACTIONS } from '../../model/vocabulary.ts'

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
  settings: INITIAL_SETTINGS,
  community: null,
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
    settings: Nullable(GroupSettings),
    community: Nullable(GroupCommunity),
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
  community: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Só os grupos desta comunidade, incluindo ela própria',
      examples: ['120363000000000009@g.us'],
    }),
  ),
})

const subject = Type.String({ ...NOT_BLANK, maxLength: 100, examples: ['Vendas'] })
const description = Type.String({ maxLength: 2048, description: 'Vazia retira a descrição' })
const phones = Type.Array(Type.String({ maxLength: 40 }), {
  minItems: 1,
  maxItems: 256,
  examples: [['5511999998888']],
})

/** Body that creates a group with its first participants. */
export const CreateGroupBody = Type.Object(
  { subject, description: Type.Optional(description), participants: phones },
  { additionalProperties: false, title: 'NewGroup' },
)
export type CreateGroupBody = Static<typeof CreateGroupBody>

/** Body that changes a group's subject, description or settings; at least one field is required. */
export const PatchGroupBody = Type.Object(
  {
    subject: Type.Optional(subject),
    description: Type.Optional(description),
    settings: Type.Optional(GroupSettingsChange),
  },
  { additionalProperties: false, title: 'GroupChange' },
)
export type PatchGroupBody = Static<typeof PatchGroupBody>

/** The invitation of a group. */
export const GroupInvite = Type.Object(
  { code: Type.String(), url: Type.String() },
  {
    title: 'GroupInvite',
    examples: [{ code: 'Dk3mX9pQ7rT', url: 'https://chat.whatsapp.com/Dk3mX9pQ7rT' }],
  },
)
export type GroupInvite = Static<typeof GroupInvite>
/** The prefix of invitation links; the code follows it. */
const INVITE_LINK = 'https://chat.whatsapp.com/'
const INVITE_CODE = /^[\w-]{10,64}$/

/** Returns the code in an invitation, which is a code or a link with one; null if it is neither. */
export function readInvite(text: string): string | null {
  const code = text
    .trim()
    .replace(INVITE_LINK, '')
    .replace(/[?#].*$/, '')
  return INVITE_CODE.test(code) ? code : null
}

/** Renders the invitation with this code. */
export const renderInvite = ({ code }: { code: string }): GroupInvite => ({
  code,
  url: `${INVITE_LINK}${code}`,
})

/** Body that joins a group by its invitation. */
export const JoinGroupBody = Type.Object(
  {
    invite: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'O código do convite, ou o link com ele',
    }),
  },
  {
    additionalProperties: false,
    title: 'GroupJoin',
    examples: [{ invite: 'https://chat.whatsapp.com/Dk3mX9pQ7rT' }],
  },
)
export type JoinGroupBody = Static<typeof JoinGroupBody>

/** Whether the instance has joined the group, or is waiting for an admin's approval. */
export const JoinedGroup = Type.Object(
  { status: Words(['joined', 'pending']), group: Nullable(Group) },
  { title: 'JoinedGroup', examples: [{ status: 'joined', group: exampleGroup }] },
)

const exampleRequest = {
  phone: '5511977776666',
  lid: null,
  name: 'Bia',
  requestedAt: '2026-11-20T12:00:00.000Z',
}

/** A pending request to join a group whose admins approve new members. */
export const JoinRequest = Type.Object(
  { ...Party.properties, requestedAt: Timestamp },
  { title: 'JoinRequest', examples: [exampleRequest] },
)
export type JoinRequest = Static<typeof JoinRequest>
/** All pending requests to join a group, oldest first. */
export const JoinRequestList = Type.Object(
  { items: Type.Array(JoinRequest) },
  { title: 'JoinRequestList', examples: [{ items: [exampleRequest] }] },
)

/** Body that approves or rejects requests to join. */
export const AnswerJoinRequestsBody = Type.Object(
  {
    action: Words(['approve', 'reject']),
    participants: Type.Array(Type.String({ maxLength: 40 }), {
      minItems: 1,
      maxItems: 256,
      description: 'Telefones ou LIDs, como na lista de pedidos',
      examples: [['5511977776666']],
    }),
  },
  {
    additionalProperties: false,
    examples: [{ action: 'approve', participants: ['5511977776666'] }],
  },
)
export type AnswerJoinRequestsBody = Static<typeof AnswerJoinRequestsBody>

/** The people whose requests were answered. */
export const AnsweredJoinRequests = Type.Object(
  { action: Words(['approve', 'reject']), participants: Type.Array(Party) },
  {
    title: 'AnsweredJoinRequests',
    examples: [
      { action: 'approve', participants: [{ phone: '5511977776666', lid: null, name: 'Bia' }] },
    ],
  },
)
export type AnsweredJoinRequests = Static<typeof AnsweredJoinRequests>

/** Body that applies one action to a list of participants. */
export const ParticipantsBody = Type.Object(
  {
    action: Words(PARTICIPANT_ACTIONS),
    participants: phones,
  },
  { additionalProperties: false },
)
export type ParticipantsBody = Static<typeof ParticipantsBody>
