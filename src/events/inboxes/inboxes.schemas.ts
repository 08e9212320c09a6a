import { Type, type Static } from 'typebox'
import { Page, Timestamp } from '../../kernel/schemas.ts'

/**
 * A test inbox: a webhook receiver inside the product that records requests. `answer` is its configured response;
 * `times` limits it to the next requests, `timeout` delays it beyond the timeout of a delivery (G55).
 */
export const Inbox = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    url: Type.String(),
    answer: Type.Object({
      status: Type.Integer(),
      times: Type.Optional(Type.Integer()),
      timeout: Type.Optional(Type.Literal(true)),
    }),
    createdAt: Timestamp,
  },
  {
    title: 'Inbox',
    examples: [
      {
        id: 'box_01jcqz3v8xf6k9m2n4p5r7s8t9',
        name: 'Tour',
        url: 'http://sandbox.localhost:3000/caixa/box_01jcqz3v8xf6k9m2n4p5r7s8t9',
        answer: { status: 200 },
        createdAt: '2026-11-20T12:00:00.000Z',
      },
    ],
  },
)
/** A test inbox as the API returns it. */
export type Inbox = Static<typeof Inbox>
/** A page of inboxes, newest first. */
export const InboxList = Page(Inbox, 'InboxList')

/** Body of the request that creates an inbox. */
export const CreateInboxBody = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 200, examples: ['Tour'] }) },
  { additionalProperties: false },
)

/** The response that an inbox returns from now on. */
export const InboxResponseBody = Type.Object(
  {
    status: Type.Integer({ minimum: 200, maximum: 599, examples: [503] }),
    times: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1e3,
        examples: [1],
        description: 'Só às próximas requisições, e depois 200; sem isto, até a próxima mudança.',
      }),
    ),
    timeout: Type.Optional(
      Type.Boolean({ description: 'Responde só depois de vencido o prazo de uma entrega (15 s).' }),
    ),
  },
  { additionalProperties: false },
)
/** A validated `InboxResponseBody`. */
export type InboxResponseBody = Static<typeof InboxResponseBody>

/** A request that an inbox received. */
export const InboxRequest = Type.Object(
  {
    id: Type.Integer(),
    method: Type.String(),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String(),
    receivedAt: Timestamp,
  },
  {
    title: 'InboxRequest',
    examples: [
      {
        id: 1,
        method: 'POST',
        headers: { 'x-service-event': 'message.received' },
        body: '{"event":"message.received"}',
        receivedAt: '2026-11-20T12:00:00.000Z',
      },
    ],
  },
)
type InboxRequest = Static<typeof InboxRequest>
/** A page of the requests of an inbox, newest first. */
export const InboxRequestList = Page(InboxRequest, 'InboxRequestList')
