import { Type, type Static } from 'typebox'
import { KEY_PERMISSIONS } from '../../kernel/principal.ts'
import { MAX_NAME_LENGTH, Nullable, PageQuery, Timestamp } from '../../kernel/schemas.ts'

const permissions = Type.Array(Type.Enum(KEY_PERMISSIONS), {
  minItems: 1,
  uniqueItems: true,
  description:
    '`read` lê dados, `send` envia e responde mensagens, `manage` faz todo o resto; sem o campo, tudo',
})
const instanceIds = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description: 'As instâncias que a chave pode usar; sem o campo, todas',
})
const addresses = Type.Array(Type.String({ maxLength: 49 }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: 'Endereços IP e faixas de onde a chave pode ser usada; sem o campo, qualquer um',
})
const requestsPerMinute = Type.Integer({
  minimum: 1,
  maximum: 100_000,
  description: 'Requisições por minuto com esta chave; sem o campo, sem limite próprio',
})
const restrictionsExample = {
  permissions: ['read', 'send'],
  instanceIds: ['ins_01jcqz3v8xf6k9m2n4p5r7s8t9'],
  addresses: ['203.0.113.0/24'],
  requestsPerMinute: 600,
} as const

/** What a key may do; null where it has no limit of that kind. */
export const Restrictions = Type.Object(
  {
    permissions: Nullable(permissions),
    instanceIds: Nullable(instanceIds),
    addresses: Nullable(addresses),
    requestsPerMinute: Nullable(requestsPerMinute),
  },
  { title: 'KeyRestrictions', examples: [restrictionsExample] },
)

const RestrictionsInput = Type.Object(
  {
    permissions: Type.Optional(permissions),
    instanceIds: Type.Optional(instanceIds),
    addresses: Type.Optional(addresses),
    requestsPerMinute: Type.Optional(requestsPerMinute),
  },
  { additionalProperties: false, examples: [restrictionsExample] },
)
export type KeyRestrictionsInput = Static<typeof RestrictionsInput>

const fields = {
  id: Type.String(),
  name: Type.String(),
  keyPrefix: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('revoked'), Type.Literal('expired')]),
  lastUsedAt: Nullable(Timestamp),
  expiresAt: Nullable(Timestamp),
  revokedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  // Present only for restricted keys.
  restrictions: Type.Optional(Restrictions),
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
    name: Type.String({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      examples: ['Integração do CRM'],
    }),
    expiresInDays: Type.Optional(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [90] }),
    ),
    restrictions: Type.Optional(RestrictionsInput),
  },
  { additionalProperties: false },
)
export type CreateKeyBody = Static<typeof CreateKeyBody>

/** Pagination of a list that is complete if `limit` is missing (G13). */
export const WholeListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  offset: PageQuery.offset,
})
