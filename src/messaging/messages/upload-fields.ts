import { Type, type TObject, type TSchema } from 'typebox'
import { validateBody } from '../../kernel/validation.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { allKinds, type AnyKind } from '../../model/kinds/index.ts'
import type { Send } from './send.ts'

/** The body schema of an upload, by kind. Built once, because each schema object is compiled and cached permanently. */
const UPLOAD_SCHEMAS = new Map<AnyKind, TSchema & { properties: TObject['properties'] }>(
  allKinds
    .filter((kind) => kind.path !== null && kind.media)
    .map((kind) => {
      const { media: _, ...properties } = kind.body.properties as TObject['properties']
      return [kind, Type.Object(properties, { additionalProperties: false })]
    }),
)

/**
 * Converts the text parts of an upload to the body that a JSON request would have, and validates it. Fields that are
 * not text are parsed as JSON. Throws 400 for an unknown type or an invalid field.
 */
export function readUploadFields(fields: Record<string, string[]>): {
  kind: AnyKind
  body: Send['body']
} {
  const { type: types = ['document'], ...rest } = fields
  const type = readField('type', types, undefined)
  const kind = [...UPLOAD_SCHEMAS.keys()].find(({ name }) => name === type)
  const schema = kind && UPLOAD_SCHEMAS.get(kind)
  if (!kind || !schema) {
    const values = [...UPLOAD_SCHEMAS.keys()].map(({ name }) => name).join(', ')
    throw fail('bad_request', (say) => say.http.wrongValue('type', values))
  }
  const { properties } = schema
  const body = Object.fromEntries(
    Object.entries(rest)
      .map(([name, values]) => [name, values.filter((value) => value !== '')] as const)
      .filter(([, values]) => values.length > 0)
      .map(([name, values]) => [name, readField(name, values, properties[name])]),
  )
  return { kind, body: validateBody(schema, body) as Send['body'] }
}

/** Reads a field: a list is a JSON array, or a part per item, as clients generated from OpenAPI send it. */
function readField(name: string, values: string[], schema: TSchema | undefined): unknown {
  const [first = '', second] = values
  const isList = schema !== undefined && 'type' in schema && schema.type === 'array'
  if (isList && (second !== undefined || !first.trimStart().startsWith('['))) return values
  if (second !== undefined)
    throw fail('bad_request', (say) => say.media.fieldTwice(name), { field: name })
  return isText(schema) ? first : readJson(name, first)
}

/** Whether a field is text or nullable text; an absent part means null. */
function isText(schema: TSchema | undefined): boolean {
  if (schema === undefined) return true
  const { type, anyOf = [] } = schema as { type?: string; anyOf?: TSchema[] }
  return type === 'string' || anyOf.some((one) => 'type' in one && one.type === 'string')
}

function readJson(field: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw fail('bad_request', (say) => say.media.fieldJson(field), { cause: error })
  }
}
