import { Type, type Static } from 'typebox'
import { EVENT_NAMES } from '../catalog/index.ts'
import { MAX_NAME_LENGTH, Nullable, Timestamp, Words } from '../../kernel/schemas.ts'
import { MESSAGE_TYPES } from '../../model/records.schemas.ts'
import { CHAT_TYPES } from '../../model/vocabulary.ts'
import { OPT_IN_NAMES } from '../events.schemas.ts'

const EventNames = Type.Array(Words(EVENT_NAMES, 'EventName'), {
  maxItems: 50,
  description: 'Vazio ou ausente: todos os eventos',
})
const filter = {
  instanceIds: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: 'Só eventos destas instâncias',
  }),
  chatTypes: Type.Array(Words(CHAT_TYPES), {
    minItems: 1,
    uniqueItems: true,
    description: 'Só mensagens de conversas deste tipo; eventos que não são de mensagens passam',
  }),
  directions: Type.Array(Words(['inbound', 'outbound']), {
    minItems: 1,
    uniqueItems: true,
    description:
      'Só `message.received` de mensagens nesta direção, e `message.status` como `outbound`; os outros eventos passam',
  }),
  types: Type.Array(Words(MESSAGE_TYPES, 'MessageType'), {
    minItems: 1,
    uniqueItems: true,
    description: 'Só `message.received` destes tipos; os outros eventos passam',
  }),
}
const Filter = Type.Object(
  {
    instanceIds: Nullable(filter.instanceIds),
    chatTypes: Nullable(filter.chatTypes),
    directions: Nullable(filter.directions),
    types: Nullable(filter.types),
  },
  { title: 'WebhookFilter' },
)
const Include = Type.Array(Words(OPT_IN_NAMES), {
  title: 'WebhookInclude',
  uniqueItems: true,
  description:
    'Eventos a mais, fora do padrão: `own`, as mensagens escritas no próprio telefone ou no painel, como `message.received` com `direction` outbound; `edits`, as mensagens editadas, de novo como `message.received` com `editedAt`; `sent`, o `message.status` de quando a rede aceitou a mensagem; `backfill`, as mensagens de antes do pareamento (`historySync`), como `message.received` com `backfill: true`',
})
const MediaOption = Type.Literal('link', {
  title: 'WebhookMedia',
  description:
    'Com `link`, `message.received` traz em `message.media.url` um endereço que baixa o arquivo sem chave, por uma hora, e em `urlExpiresAt` até quando ele vale',
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
  // Present only if set, so that the record of a webhook without options does not change.
  include: Type.Optional(Include),
  filter: Type.Optional(Filter),
  media: Type.Optional(MediaOption),
  headerNames: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Os cabeçalhos próprios; os valores não são mostrados',
    }),
  ),
  previousSecretUntil: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Até quando o segredo anterior ainda assina, depois de uma troca',
    }),
  ),
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

/** A webhook with its signing secret, which is returned only on creation and on rotation. */
export const CreatedWebhook = Type.Object(
  { ...fields, secret: Type.String({ description: 'Mostrado só aqui' }) },
  {
    title: 'CreatedWebhook',
    examples: [{ ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' }],
  },
)
/** A webhook with its secret. */
export type CreatedWebhook = Static<typeof CreatedWebhook>

/** Body of the request that creates a webhook. */
export const CreateWebhookBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, examples: ['CRM'] }),
    url: Type.String({ examples: ['https://crm.empresa.com.br/recado'] }),
    events: Type.Optional(EventNames),
    include: Type.Optional(Include),
    filter: Type.Optional(
      Type.Object(
        {
          instanceIds: Type.Optional(filter.instanceIds),
          chatTypes: Type.Optional(filter.chatTypes),
          directions: Type.Optional(filter.directions),
          types: Type.Optional(filter.types),
        },
        { additionalProperties: false },
      ),
    ),
    media: Type.Optional(MediaOption),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        maxProperties: 10,
        description: 'Cabeçalhos enviados em cada entrega, como uma credencial do seu servidor',
        examples: [{ authorization: 'Bearer minha-senha' }],
      }),
    ),
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

/** Default time, in hours, for which the previous secret of a webhook keeps signing. */
export const DEFAULT_OVERLAP_HOURS = 24

/** Body of the request that replaces a webhook's secret. */
export const RotateSecretBody = Type.Object(
  {
    overlapHours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 168,
        default: DEFAULT_OVERLAP_HOURS,
        description: 'Por quantas horas o segredo anterior ainda assina; 0 o invalida na hora',
      }),
    ),
  },
  { additionalProperties: false },
)
