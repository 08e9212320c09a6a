import { Type, type Static } from 'typebox'
import { Cursor, Nullable, CursorPage, PageQuery, Timestamp } from '../../kernel/schemas.ts'

/** An API request as the panel displays it. */
export const ApiRequest = Type.Object(
  {
    id: Type.String({ description: 'O X-Request-Id da resposta' }),
    at: Timestamp,
    keyId: Type.String(),
    /** Null if the key was deleted with its account. */
    keyName: Nullable(Type.String()),
    keyPrefix: Nullable(Type.String()),
    method: Type.String(),
    /** Without the query string. */
    path: Type.String(),
    status: Type.Integer(),
    ms: Type.Number(),
    /** The error's `code`, `reason` and message; null if the request succeeded. */
    code: Nullable(Type.String()),
    reason: Nullable(Type.String()),
    message: Nullable(Type.String()),
  },
  {
    title: 'ApiRequest',
    examples: [
      {
        id: 'req_01jcqz3v8xf6k9m2n4p5r7s8t9',
        at: '2026-11-20T12:00:00.000Z',
        keyId: 'key_01jcqz3v8xf6k9m2n4p5r7s8t9',
        keyName: 'Integração do CRM',
        keyPrefix: 'svc_test_aB3dE6',
        method: 'POST',
        path: '/v1/instances/ins_01jcqz3v8xf6k9m2n4p5r7s8t9/messages',
        status: 409,
        ms: 4.2,
        code: 'CONFLICT',
        reason: 'INSTANCE_NOT_CONNECTED',
        message: 'instância não conectada',
      },
    ],
  },
)
export type ApiRequest = Static<typeof ApiRequest>

/** A page of the request log. */
export const ApiRequests = CursorPage(ApiRequest, 'ApiRequests')
/** Filters and cursor of the request log. */
export const ApiRequestQuery = Type.Object({
  limit: PageQuery.limit,
  before: Cursor('req'),
  result: Type.Optional(
    Type.Union([
      Type.Literal('success'),
      Type.Literal('failed'),
      Type.Literal('4xx'),
      Type.Literal('5xx'),
    ]),
  ),
  keyId: Type.Optional(Type.String({ maxLength: 100 })),
  /** A substring of the path, the id or the error message. */
  q: Type.Optional(Type.String({ maxLength: 200 })),
})
export type ApiRequestQuery = Static<typeof ApiRequestQuery>
