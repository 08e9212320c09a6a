import { Type, type TSchema } from 'typebox'
import type { IdPrefix } from './ids.ts'

/** Response body of 202: the requested operation continues in the background. */
export const Accepted = Type.Object({}, { title: 'Accepted' })

/** Response body of 204. */
export const NoContent = Type.Null()

/** An ISO 8601 timestamp in UTC with milliseconds. */
export const Timestamp = Type.String({ format: 'date-time' })

/** A value or null, in the form that OpenAPI 3.1 client generators support best. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** The `limit` and `offset` query parameters of every list (G18). */
export const PageQuery = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
}

/** A page of a list. */
export function Page<Schema extends TSchema>(item: Schema, title: string) {
  return Type.Object(
    {
      items: Type.Array(item),
      limit: Type.Integer(),
      offset: Type.Integer(),
      hasMore: Type.Boolean(),
    },
    { title },
  )
}

/** A page of a list that grows at its head. `before` is the cursor of the next page, or null on the last one. */
export const CursorPage = <Schema extends TSchema>(item: Schema, title: string) =>
  Type.Object({ items: Type.Array(item), before: Nullable(Type.String()) }, { title })

/** Maximum characters of the name of a key or a webhook. */
export const MAX_NAME_LENGTH = 200

/** The cursor of a list of records whose ids have this prefix: the id of the last record that was read. */
export const Cursor = (prefix: IdPrefix) =>
  Type.Optional(Type.String({ pattern: `^${prefix}_[0-9a-z]{26}$` }))

/** Builds a page from rows read with `limit + 1`; the extra row sets `hasMore`. */
export function toPage<Item>(items: Item[], limit: number, offset: number) {
  return { items: items.slice(0, limit), limit, offset, hasMore: items.length > limit }
}

/** The schema of a string enum; one with a title is named in the API document. */
export function Words<const Values extends readonly string[]>(values: Values, title?: string) {
  const named = title === undefined ? {} : { title }
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...named })
}
