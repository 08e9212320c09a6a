import { Type, type Static } from 'typebox'
import { EVENT_NAMES } from '../catalog/index.ts'
import { Nullable, Timestamp } from '../../kernel/schemas.ts'
import { Words } from '../../model/records.schemas.ts'

const EventNames = Type.Array(Words(EVENT_NAMES), {
  maxItems: 50,
  description: 'Vazio ou ausente: todos os eventos',
})
const fields = {
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  events: EventNames,
  enabled: Type.Boolean(),
  lastSuccessAt: Nullable(Timestamp),
  lastFailureAt: Nullable(Timestamp),
  lastFailureReason: Nullable(Type.String()),
  createdAt: Timestamp,
}
const example = {
  id: 'whk_01jcqz3v8xf6k9m2n4p5r7s8t9',
  name: 'CRM',
  url: 'https://crm.empresa.com.br/recado',
  events: ['message.received', 'message.status'],
  enabled: true,
  lastSuccessAt: null,
  lastFailureAt: null,
  lastFailureReason: null,
  createdAt: '2026-11-20T12:00:00.000Z',
}

/** A webhook; an empty `events` list subscribes to all events (G46). */
export const Webhook = Type.Object(fields, { title: 'Webhook', examples: [example] })
/** A webhook as the API returns it. */
export type Webhook = Static<typeof Webhook>

/** A webhook with its signing secret, which is only returned on creation. */
export const CreatedWebhook = Type.Object(
  { ...fields, secret: Type.String({ description: 'Mostrado só aqui' }) },
  {
    title: 'CreatedWebhook',
    examples: [{ ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' }],
  },
)
/** A created webhook with its secret. */
export type CreatedWebhook = Static<typeof CreatedWebhook>

/** Body of the request that creates a webhook. */
export const CreateWebhookBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, examples: ['CRM'] }),
    url: Type.String({ examples: ['https://crm.empresa.com.br/recado'] }),
    events: Type.Optional(EventNames),
  },
  { additionalProperties: false },
)
/** A validated `CreateWebhookBody`. */
export type CreateWebhookBody = Static<typeof CreateWebhookBody>

/** Body of the request that pauses or resumes a webhook. */
export const PatchWebhookBody = Type.Object(
  { enabled: Type.Boolean() },
  { additionalProperties: false },
)
