import { Type, type Static } from 'typebox'
import { Nullable, Page, PageQuery, Words } from '../kernel/schemas.ts'
import { AudienceInput } from './audience.schemas.ts'
import { Message } from '../model/records.schemas.ts'

const closed = { additionalProperties: false }
/** Maximum recipients in a JSON body (G44). */
const MAX_RECIPIENTS = 10_000
/** Maximum lines of a CSV file (G44). */
export const MAX_LINES = 100_000

/** A recipient as sent to the API. */
export const RecipientInput = Type.Object(
  {
    to: Type.String({ minLength: 1, maxLength: 100, examples: ['+55 11 99999-8888'] }),
    variables: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 1000 }), {
        maxProperties: 50,
      }),
    ),
    clientReference: Type.Optional(Nullable(Type.String({ maxLength: 128 }))),
  },
  { ...closed, title: 'CampaignRecipientInput' },
)
export type RecipientInput = Static<typeof RecipientInput>
/** A list of recipients in a JSON body. */
export const Recipients = Type.Array(RecipientInput, { maxItems: MAX_RECIPIENTS })

/** Body that adds recipients to a campaign: a list, or the people of an audience. */
export const AddRecipientsBody = Type.Object(
  { recipients: Type.Optional(Recipients), audience: Type.Optional(AudienceInput) },
  closed,
)
export type AddRecipientsBody = Static<typeof AddRecipientsBody>

/** The statuses of a recipient (G44). */
const RECIPIENT_STATUSES = [
  'pending',
  'sent',
  'delivered',
  'read',
  'replied',
  'failed',
  'skipped',
] as const

const PROBLEMS = ['invalid_number', 'duplicate', 'missing_variable', 'invalid'] as const
/** Why a recipient was not added. */
export type ProblemReason = (typeof PROBLEMS)[number]

/** The report of an import: how many recipients were added, and why others were not. */
export const RecipientImport = Type.Object(
  {
    lines: Type.Integer({ description: 'Destinatários lidos' }),
    added: Type.Integer(),
    duplicates: Type.Integer(),
    invalid: Type.Integer(),
    problems: Type.Array(
      Type.Object({
        line: Type.Integer({
          description: 'Linha do arquivo CSV, ou posição na lista, a partir de 1',
        }),
        to: Nullable(Type.String()),
        reason: Words(PROBLEMS),
        message: Type.String(),
      }),
      { description: 'Os primeiros 1.000' },
    ),
  },
  {
    title: 'RecipientImport',
    examples: [
      {
        lines: 3,
        added: 1,
        duplicates: 1,
        invalid: 1,
        problems: [
          {
            line: 2,
            to: '5511999998888',
            reason: 'duplicate',
            message: 'destinatário repetido nesta campanha',
          },
          { line: 3, to: 'abc', reason: 'invalid_number', message: 'número inválido' },
        ],
      },
    ],
  },
)
export type RecipientImport = Static<typeof RecipientImport>

/** Why a recipient got no message. */
const SKIP_REASONS = [
  'OPTED_OUT',
  'DUPLICATE',
  'CANCELED',
  'OUTSIDE_WINDOW',
  'NOT_ON_NETWORK',
  'INVALID_MESSAGE',
] as const
/** Why a recipient got no message. */
export type SkipReason = (typeof SKIP_REASONS)[number]

const Recipient = Type.Object(
  {
    to: Type.String(),
    variables: Type.Record(Type.String(), Type.String()),
    clientReference: Nullable(Type.String()),
    status: Words(RECIPIENT_STATUSES),
    reason: Nullable(Words(SKIP_REASONS)),
    message: Nullable(Message),
  },
  {
    title: 'CampaignRecipient',
    examples: [
      {
        to: '+55 11 99999-8888',
        variables: { name: 'Ana' },
        clientReference: null,
        status: 'skipped',
        reason: 'OPTED_OUT',
        message: null,
      },
    ],
  },
)
export type Recipient = Static<typeof Recipient>
/** A page of recipients. */
export const RecipientList = Page(Recipient, 'CampaignRecipientList')

/** Filters and pagination of the recipient list. */
export const ListRecipientsQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(Words(RECIPIENT_STATUSES)),
})
export type ListRecipientsQuery = Static<typeof ListRecipientsQuery>
