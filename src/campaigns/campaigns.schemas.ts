import { Type, type Static } from 'typebox'
import { Nullable, Page, PageQuery, Timestamp, Words } from '../kernel/schemas.ts'
import { titleOf } from '../model/define-message-kind.ts'
import { sendFields } from '../model/send-fields.schemas.ts'
import { allKinds, type AnyKind } from '../model/kinds/index.ts'
import { exampleMessage } from '../model/records.schemas.ts'
import { RecipientImport, Recipients } from './recipients.schemas.ts'

const closed = { additionalProperties: false }
/** The kinds that a campaign may send: those that do not refer to another message. */
export const campaignKinds = allKinds.filter((kind) => kind.path !== null && !kind.target)

/** The send body of this kind, without the recipient. */
export const templateOf = (kind: AnyKind) =>
  Type.Object(
    {
      type: kind.name === 'text' ? Type.Optional(Type.Literal('text')) : Type.Literal(kind.name),
      typingMs: sendFields.typingMs,
      metadata: sendFields.metadata,
      ...kind.fields,
    },
    { ...closed, title: titleOf('Campaign', kind.name) },
  )

const Hour = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', examples: ['09:00'] })
const Window = Type.Object(
  {
    from: Hour,
    to: Type.String({
      ...Hour,
      examples: ['20:00'],
      description: 'Antes de from: no dia seguinte',
    }),
    timeZone: Type.Optional(
      Type.String({ maxLength: 60, default: 'America/Sao_Paulo', description: 'Nome da IANA' }),
    ),
    weekdays: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
        minItems: 1,
        maxItems: 7,
        description: '1: segunda-feira … 7: domingo. Sem ele: todos os dias',
        examples: [[1, 2, 3, 4, 5]],
      }),
    ),
  },
  closed,
)
const PacingInput = Type.Object(
  {
    minDelayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000, default: 0 })),
    maxDelayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
    dailyLimitPerInstance: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    ),
    window: Type.Optional(Nullable(Window)),
  },
  { ...closed, title: 'PacingInput' },
)
export type PacingInput = Static<typeof PacingInput>

/** How a campaign paces its messages, with defaults applied. */
const Pacing = Type.Object(
  {
    minDelayMs: Type.Integer({ description: 'Entre duas mensagens da mesma instância' }),
    maxDelayMs: Type.Integer(),
    dailyLimitPerInstance: Nullable(
      Type.Integer({ description: 'Conta todas as campanhas da instância' }),
    ),
    window: Nullable(
      Type.Object({
        from: Hour,
        to: Hour,
        timeZone: Type.String(),
        weekdays: Type.Array(Type.Integer()),
      }),
    ),
  },
  { title: 'Pacing' },
)
export type Pacing = Static<typeof Pacing>

/** Body that creates a campaign. The message is validated separately, by its type. */
export const CreateCampaignBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    instanceIds: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 50 }),
    message: Type.Object({}, { additionalProperties: true }),
    recipients: Type.Optional(Recipients),
    scheduledAt: Type.Optional(
      Nullable(Type.String({ maxLength: 40, description: 'ISO 8601; vale a partir do start' })),
    ),
    pacing: Type.Optional(Nullable(PacingInput)),
  },
  closed,
)
export type CreateCampaignBody = Static<typeof CreateCampaignBody>

/** The value of `scheduledAt` for no scheduled start: in a request, null is the same as leaving a field out. */
export const UNSCHEDULED = 'none'

/** Body that changes a draft; omitted fields stay. The message can change while there are no recipients. */
export const PatchCampaignBody = Type.Object(
  {
    name: Type.Optional(CreateCampaignBody.properties.name),
    instanceIds: Type.Optional(CreateCampaignBody.properties.instanceIds),
    message: Type.Optional(CreateCampaignBody.properties.message),
    scheduledAt: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'ISO 8601; vale a partir do start. `none` tira o início agendado',
      }),
    ),
    pacing: Type.Optional(PacingInput),
  },
  { ...closed, minProperties: 1 },
)
export type PatchCampaignBody = Static<typeof PatchCampaignBody>

const CAMPAIGN_STATUSES = [
  'DRAFT',
  'SCHEDULED',
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'CANCELED',
] as const
/** The status of a campaign. */
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]
/** The statuses of campaigns that have not ended. */
export const OPEN_STATUSES: readonly CampaignStatus[] = ['DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED']

const PAUSE_REASONS = [
  'USER',
  'FAILURE_RATE',
  'INSTANCE_NOT_CONNECTED',
  'INSTANCE_RESTRICTED',
  'INSUFFICIENT_CREDITS',
  'SUBSCRIPTION_REQUIRED',
  'ADDON_REQUIRED',
  'DAILY_CAP_REACHED',
  'API_NOT_ENABLED',
  'PANEL_NOT_ENABLED',
  'PROJECT_INACTIVE',
  'KEY_REFUSED',
  'MEDIA_EXPIRED',
] as const
/** Why a campaign is paused. */
export type PauseReason = (typeof PAUSE_REASONS)[number]

const count = Type.Integer()
const campaign = {
  id: Type.String(),
  name: Type.String(),
  status: Words(CAMPAIGN_STATUSES),
  instanceIds: Type.Array(Type.String()),
  message: Type.Object({}, { additionalProperties: true }),
  pacing: Nullable(Pacing),
  pause: Nullable(
    Type.Object({
      reason: Words(PAUSE_REASONS),
      message: Type.String(),
      at: Timestamp,
      willResume: Type.Boolean({ description: 'Continua sozinha quando a causa passa' }),
    }),
  ),
  counts: Type.Object({
    total: count,
    pending: count,
    sent: count,
    delivered: count,
    read: count,
    replied: count,
    failed: count,
    skipped: count,
  }),
  creditsEstimated: count,
  creditsUsed: count,
  import: Nullable(RecipientImport),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  scheduledAt: Nullable(Timestamp),
  startedAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
}
const exampleCampaign = {
  id: 'cmp_01jcqz3v8xf6k9m2n4p5r7s8t9',
  name: 'Novidades de novembro',
  status: 'RUNNING',
  instanceIds: [exampleMessage.instanceId],
  message: { type: 'text', text: 'Oi {{name}}' },
  pacing: {
    minDelayMs: 8000,
    maxDelayMs: 25_000,
    dailyLimitPerInstance: 300,
    window: {
      from: '09:00',
      to: '20:00',
      timeZone: 'America/Sao_Paulo',
      weekdays: [1, 2, 3, 4, 5],
    },
  },
  pause: null,
  counts: {
    total: 10,
    pending: 4,
    sent: 1,
    delivered: 2,
    read: 1,
    replied: 1,
    failed: 0,
    skipped: 1,
  },
  creditsEstimated: 9,
  creditsUsed: 5,
  import: null,
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:01:00.000Z',
  scheduledAt: null,
  startedAt: '2026-11-20T12:01:00.000Z',
  finishedAt: null,
} as const
/** A campaign (G42). */
export const Campaign = Type.Object(campaign, { title: 'Campaign', examples: [exampleCampaign] })
export type Campaign = Static<typeof Campaign>
/** A page of campaigns. */
export const CampaignList = Page(Campaign, 'CampaignList')

/** Filters and pagination of the campaign list. */
export const ListCampaignsQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(Words(CAMPAIGN_STATUSES)),
})
