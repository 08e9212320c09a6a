import { Type, type Static } from 'typebox'
import { NOT_BLANK } from '../../kernel/not-blank.ts'
import { Nullable, Page, Timestamp, Words } from '../../kernel/schemas.ts'
import { ParticipantsBody } from '../groups/groups.schemas.ts'
import { MediaInput } from '../../model/media-fields.ts'
import { MAX_ABOUT } from '../../model/profile.schemas.ts'
import { Label } from '../labels/labels.schemas.ts'
import { GroupCommunity } from '../../model/group-community.schemas.ts'
import { GroupSettings, INITIAL_SETTINGS } from '../../model/group-settings.schemas.ts'
import { exampleMessage, Message, Participant, Party } from '../../model/records.schemas.ts'
import { CALL_STATUSES, PARTICIPANT_ACTIONS } from '../../model/vocabulary.ts'

/** A virtual phone of the simulated network (G54). */
export const Phone = Type.Object(
  {
    id: Type.String(),
    phone: Type.String(),
    name: Type.String(),
    about: Nullable(Type.String()),
    business: Type.Boolean(),
    online: Type.Boolean(),
    banned: Type.Boolean(),
    pairedInstanceIds: Type.Array(Type.String()),
  },
  {
    title: 'Phone',
    examples: [
      {
        id: 'phn_01jcqz3v8xf6k9m2n4p5r7s8t9',
        phone: '5511991234567',
        name: 'Ana',
        about: null,
        business: false,
        online: true,
        banned: false,
        pairedInstanceIds: [],
      },
    ],
  },
)
export type Phone = Static<typeof Phone>
/** A page of virtual phones. */
export const PhoneList = Page(Phone, 'PhoneList')

const name = Type.String({ ...NOT_BLANK, maxLength: 200, examples: ['Ana'] })

/** Body that creates a virtual phone; a missing `phone` gets a free number. */
export const CreatePhoneBody = Type.Object(
  {
    name,
    phone: Type.Optional(
      Type.String({ maxLength: 40, description: 'Ausente: o servidor escolhe um número' }),
    ),
    business: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type CreatePhoneBody = Static<typeof CreatePhoneBody>

/** Body that changes the profile of a virtual phone; absent fields stay unchanged. */
export const PatchPhoneBody = Type.Object(
  {
    name: Type.Optional(name),
    about: Type.Optional(Type.String({ maxLength: MAX_ABOUT })),
    picture: Type.Optional(MediaInput),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type PatchPhoneBody = Static<typeof PatchPhoneBody>

/** Body with the QR code that the phone scans. */
export const ScanBody = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: 1000, examples: ['2@kq3…'] }) },
  { additionalProperties: false },
)

/** Body with the network ids of the messages that the phone reads. */
export const PhoneReadBody = Type.Object(
  {
    waMessageIds: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 1000 }),
  },
  { additionalProperties: false },
)

/** A message as a virtual phone sees it; `instanceId` is null unless an instance sent it. */
export const PhoneMessage = Type.Object(
  { ...Message.properties, instanceId: Nullable(Type.String()) },
  { title: 'PhoneMessage', examples: [{ ...exampleMessage, instanceId: null }] },
)
export type PhoneMessage = Static<typeof PhoneMessage>
/** A page of the messages of a virtual phone. */
export const PhoneInbox = Page(PhoneMessage, 'PhoneInbox')

const to = Type.String({ minLength: 1, maxLength: 100, examples: ['5511988887777'] })
/** Body that calls the number of an instance. */
export const PhoneCallBody = Type.Object(
  { to, video: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
)
/** A call that a virtual phone made. */
export const PhoneCall = Type.Object(
  {
    id: Type.String(),
    from: Party,
    to: Party,
    video: Type.Boolean(),
    status: Words(CALL_STATUSES),
    at: Timestamp,
  },
  {
    title: 'PhoneCall',
    examples: [
      {
        id: '3EB0C1A2B3',
        from: { phone: '5511999998888', lid: null, name: 'Ana' },
        to: { phone: '5511988887777', lid: null, name: 'Suporte' },
        video: false,
        status: 'ringing',
        at: '2026-11-20T12:00:00.000Z',
      },
    ],
  },
)
export type PhoneCall = Static<typeof PhoneCall>

/** A group as its members see it. */
export const PhoneGroup = Type.Object(
  {
    id: Type.String(),
    subject: Type.String(),
    description: Nullable(Type.String()),
    owner: Nullable(Party),
    participants: Type.Array(Participant),
    settings: Nullable(GroupSettings),
    community: Nullable(GroupCommunity),
    createdAt: Timestamp,
  },
  {
    title: 'PhoneGroup',
    examples: [
      {
        id: '120363000000000001@g.us',
        subject: 'Família',
        description: null,
        owner: { phone: '5511999998888', lid: null, name: 'Ana' },
        participants: [{ phone: '5511999998888', lid: null, name: 'Ana', role: 'superadmin' }],
        settings: INITIAL_SETTINGS,
        community: null,
        createdAt: '2026-11-20T12:00:00.000Z',
      },
    ],
  },
)
export type PhoneGroup = Static<typeof PhoneGroup>

/** Body that creates a community of existing groups. */
export const PhoneCommunityBody = Type.Object(
  {
    subject: Type.String({ ...NOT_BLANK, maxLength: 100 }),
    groups: Type.Array(Type.String({ maxLength: 64 }), {
      minItems: 1,
      maxItems: 20,
      description: 'Grupos de que o celular é administrador',
    }),
  },
  {
    additionalProperties: false,
    examples: [{ subject: 'Condomínio Jardim', groups: ['120363000000000001@g.us'] }],
  },
)

/** Body that puts a group into a community. */
export const PhoneGroupCommunityBody = Type.Object(
  { communityId: Type.String({ maxLength: 64, description: 'O id da comunidade' }) },
  { additionalProperties: false, examples: [{ communityId: '120363000000000009@g.us' }] },
)

/** Whether the phone has joined the group, or is waiting for an admin's approval. */
export const PhoneJoinedGroup = Type.Object(
  { status: Words(['joined', 'pending']), group: Nullable(PhoneGroup) },
  { title: 'PhoneJoinedGroup', examples: [{ status: 'pending', group: null }] },
)

/** Body that changes a group's participants; `participants` is required unless the action is `leave`. */
export const PhoneParticipantsBody = Type.Object(
  {
    action: Words([...PARTICIPANT_ACTIONS, 'leave']),
    participants: Type.Optional(ParticipantsBody.properties.participants),
  },
  { additionalProperties: false },
)

/** The labels of a business phone. */
export const PhoneLabels = Type.Object({ items: Type.Array(Label) }, { title: 'PhoneLabels' })
