import { Type, type Static } from 'typebox'
import { Nullable, PageQuery, Timestamp } from '../../kernel/schemas.ts'

const fields = {
  id: Type.String(),
  name: Type.String(),
  keyPrefix: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('revoked'), Type.Literal('expired')]),
  lastUsedAt: Nullable(Timestamp),
  expiresAt: Nullable(Timestamp),
  revokedAt: Nullable(Timestamp),
  createdAt: Timestamp,
}
const example = {
  id: 'key_01jcqz3v8xf6k9m2n4p5r7s8t9',
  name: 'Integração do CRM',
  keyPrefix: 'svc_test_aB3dE6',
  status: 'active',
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  createdAt: '2026-11-20T12:00:00.000Z',
}

/** An API key without its secret (G13). */
export const Key = Type.Object(fields, { title: 'Key', examples: [example] })
export type Key = Static<typeof Key>

/** A key in the response that creates it, with its secret. */
export const CreatedKey = Type.Object(
  { ...fields, key: Type.String({ description: 'A chave completa, mostrada só aqui' }) },
  {
    title: 'CreatedKey',
    examples: [{ ...example, key: 'svc_test_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6kL9n' }],
  },
)
export type CreatedKey = Static<typeof CreatedKey>

/** Body that creates a key. */
export const CreateKeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, examples: ['Integração do CRM'] }),
    expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500, examples: [90] })),
  },
  { additionalProperties: false },
)
export type CreateKeyBody = Static<typeof CreateKeyBody>

/** Pagination of a list that is complete if `limit` is missing (G13). */
export const WholeListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  offset: PageQuery.offset,
})
