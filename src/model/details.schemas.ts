import { Type, type Static, type TProperties, type TSchema } from 'typebox'
import { Nullable, Timestamp, Words } from '../kernel/schemas.ts'

const closed = { additionalProperties: false }
const Line = (description: string) => Type.String({ maxLength: 1024, description })
const Id = Type.String({ minLength: 1, maxLength: 500 })
const Link = Type.String({ maxLength: 2048, pattern: '^https?://', description: 'http ou https' })
const Amount = Type.Object(
  {
    value: Type.Number({ examples: [49.9] }),
    currency: Type.String({ maxLength: 10, examples: ['BRL'] }),
  },
  { title: 'Amount', ...closed },
)

type Nulls<Fields extends TProperties> = {
  [Field in keyof Fields]: ReturnType<typeof Nullable<Fields[Field]>>
}

/**
 * Defines a part of a message: as the record shows it, where unknown fields are null, and as a virtual phone
 * sends it, where they are omitted. `given` has the fields that are always present.
 */
function definePart<
  Given extends TProperties,
  Fields extends TProperties,
  Dates extends TProperties,
>(
  title: string,
  given: Given,
  fields: Fields,
  /** Fields that virtual phones do not send. */
  dates: Dates,
) {
  const nullable = (schemas: TProperties) =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, Nullable(schema)]))
  const nulls = { ...nullable(fields), ...nullable(dates) } as Nulls<Fields> & Nulls<Dates>
  const optional = Object.fromEntries(
    Object.entries(fields).map(([name, schema]: [string, TSchema]) => [
      name,
      Type.Optional(schema),
    ]),
  )
  return {
    record: Type.Object({ ...given, ...nulls }, { title, ...closed }),
    draft: Type.Object({ ...given, ...optional }, { title: `${title}Draft`, ...closed }),
    names: Object.keys(nulls),
  }
}

const reply = definePart(
  'InteractiveReply',
  {
    kind: Words(['button', 'list', 'template', 'form']),
  },
  { id: Id, title: Line('O que a pessoa viu') },
  {},
)
const order = definePart(
  'ReceivedOrder',
  { id: Id },
  {
    title: Line('Título do pedido'),
    message: Line('O que a pessoa escreveu junto'),
    items: Type.Integer({ minimum: 0 }),
    total: Amount,
  },
  {},
)
const product = definePart(
  'ReceivedProduct',
  {},
  {
    id: Id,
    retailerId: Type.String({ maxLength: 500, description: 'O código no catálogo' }),
    title: Line('Nome do produto'),
    description: Line('Descrição do produto'),
    price: Amount,
    url: Link,
  },
  {},
)
const groupInvitation = definePart(
  'GroupInvitation',
  { groupId: Id, code: Type.String({ minLength: 1, maxLength: 100 }) },
  { name: Line('Nome do grupo') },
  { expiresAt: Timestamp },
)
const event = definePart(
  'EventInvitation',
  { canceled: Type.Boolean() },
  {
    name: Line('Nome do evento'),
    description: Line('Descrição do evento'),
    place: Line('Onde é'),
    joinUrl: Link,
  },
  { startsAt: Timestamp, endsAt: Timestamp },
)
const referral = definePart(
  'Referral',
  {},
  {
    sourceType: Line('ad ou post'),
    sourceId: Line('Id do anúncio ou da publicação'),
    sourceUrl: Link,
    headline: Line('Título do anúncio'),
    body: Line('Texto do anúncio'),
    mediaUrl: Link,
    ctwaClid: Line('Identificador do clique, para a API de Conversões'),
    entryPoint: Line('Por onde a pessoa entrou, como a rede o chama'),
  },
  {},
)
const PARTS = { reply, order, product, groupInvitation, event }

/**
 * Structured content of a message that people see as text, such as a button reply or an order; exactly one field is
 * set.
 */
export const MessageDetails = Type.Object(
  {
    reply: Type.Optional(reply.record),
    order: Type.Optional(order.record),
    product: Type.Optional(product.record),
    groupInvitation: Type.Optional(groupInvitation.record),
    event: Type.Optional(event.record),
  },
  { title: 'MessageDetails', ...closed },
)
export type MessageDetails = Static<typeof MessageDetails>

/** The advertisement or post from which someone opened the chat (click to WhatsApp). */
export const Referral = referral.record
export type Referral = Static<typeof Referral>

/** What a virtual phone may add to a message; unknown fields are omitted. */
export const extrasDraft = {
  content: Type.Optional(
    Type.Object(
      {
        reply: Type.Optional(reply.draft),
        order: Type.Optional(order.draft),
        product: Type.Optional(product.draft),
        groupInvitation: Type.Optional(groupInvitation.draft),
        event: Type.Optional(event.draft),
      },
      { title: 'MessageDetailsDraft', ...closed },
    ),
  ),
  referral: Type.Optional(referral.draft),
  forwarded: Type.Optional(
    Type.Boolean({
      title: 'ForwardedDraft',
      description: 'Se a mensagem foi encaminhada de outra conversa',
    }),
  ),
}
const ExtrasDraft = Type.Object(extrasDraft)
export type ExtrasDraft = Static<typeof ExtrasDraft>

/** The fields of a stored message in addition to the content of its kind. */
export type MessageExtras = {
  details?: MessageDetails
  referral?: Referral
  forwarded?: boolean
  /** Delivered late, because the account was not connected when the message was sent. */
  recovered?: boolean
  /**
   * The album of a photo or video, identified by the network id of its first message. `header` is the number of items;
   * it is set only on the first item that this account sends.
   */
  album?: { id: string; header?: { images: number; videos: number } }
}

const complete = (names: string[], draft: object) => ({
  ...Object.fromEntries(names.map((name) => [name, null])),
  ...draft,
})

/** Returns the extras of a draft, with null for omitted fields. */
export function toExtras({ content, referral: source, forwarded }: ExtrasDraft): MessageExtras {
  const details = Object.entries(content ?? {}).map(([name, part]) => [
    name,
    complete(PARTS[name as keyof typeof PARTS].names, part),
  ])
  return {
    ...(details.length > 0 ? { details: Object.fromEntries(details) as MessageDetails } : {}),
    ...(source ? { referral: complete(referral.names, source) as Referral } : {}),
    ...(forwarded ? { forwarded } : {}),
  }
}
