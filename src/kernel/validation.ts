import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { NOT_BLANK } from './not-blank.ts'
import { MAX_NAME_LENGTH } from './schemas.ts'
import { fail, type Failure } from './phrases/fail.ts'
import type { Phrases } from './phrases/spoken.ts'

/**
 * Error sentences of a route by field, used whatever is wrong with the field. `events/*` stands for the items of a
 * list.
 */
export type FieldSentences = Record<string, (say: Phrases, value: unknown) => string>

/** The sentence for a name that is missing, empty or too long. */
export const nameSentence =
  (required: (say: Phrases) => string) =>
  (say: Phrases, value: unknown): string =>
    typeof value === 'string' && value.length > MAX_NAME_LENGTH
      ? say.http.tooLong('name', MAX_NAME_LENGTH)
      : required(say)

/** Ajv's verbose errors are off because they would keep the last rejected body of every route in memory. */
const options = { allErrors: false, useDefaults: true, strict: false } as const
const bodyAjv = new Ajv({ ...options, coerceTypes: false })
/** Values in a URL or a header are text, so "50" is coerced to a number. */
const urlAjv = new Ajv({ ...options, coerceTypes: true })

/** A part of a request, as Fastify names it. */
export type HttpPart = 'body' | 'querystring' | 'params' | 'headers'
type Validated = { value: unknown } | { error: Error }

/**
 * Compiles the schema of one part of a request on first use: compiling hundreds of schemas at startup would delay it,
 * and unused ones would stay in memory. Unknown query parameters are errors.
 */
export function compilePart(schema: object, part: HttpPart): (value: unknown) => Validated {
  const ajv = part === 'body' ? bodyAjv : urlAjv
  let compiled: ValidateFunction | null = null
  return (value) => {
    const validate = (compiled ??= ajv.compile(schema))
    const fault = part === 'querystring' ? findQueryFault(schema, value) : null
    if (fault) return { error: fault }
    return validate(value) ? { value } : { error: extractError(validate, value) }
  }
}

type QuerySchema = { properties?: Record<string, { type?: string }> }

/**
 * Finds a query parameter that the route does not declare or that is repeated, or an integer that is not written in
 * plain decimal digits (without exponent, base prefix or spaces).
 */
function findQueryFault({ properties = {} }: QuerySchema, query: unknown): SchemaError | null {
  const faultOf = (name: string, keyword: string, params: object, value: unknown) =>
    new SchemaError({ instancePath: `/${name}`, schemaPath: '', keyword, params }, value)
  for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!property) return faultOf(name, UNKNOWN_PARAMETER, { name }, value)
    if (Array.isArray(value) && property.type !== 'array') {
      return faultOf(name, REPEATED_PARAMETER, {}, value)
    }
    if (property.type !== 'integer') continue
    if (typeof value !== 'string' || !/^-?\d+$/.test(value)) {
      return faultOf(name, 'type', { type: 'integer' }, value)
    }
  }
  return null
}
/** The error keyword for a query parameter that the route does not declare. */
const UNKNOWN_PARAMETER = 'unknownParameter'
/** The error keyword for a parameter of one value that has several. */
const REPEATED_PARAMETER = 'repeatedParameter'

/**
 * Validates a body that was not sent as JSON and returns it with defaults. Throws 400 with the same sentence as for
 * JSON.
 */
export function validateBody(schema: object, value: unknown): unknown {
  const validate = bodyAjv.compile(schema)
  if (validate(value)) return value
  throw describeSchemaError(extractError(validate, value), {})
}

/**
 * Returns the error of a failed validation and clears it on the validator, which would otherwise keep the value in
 * memory.
 */
function extractError(validate: ValidateFunction, value: unknown): SchemaError {
  const problem = joinLiterals(validate.errors ?? [])
  validate.errors = null
  return new SchemaError(problem, problem && valueAt(value, problem.instancePath))
}

/** Returns the first error. If it is about one literal of a union, it lists those of the others. */
function joinLiterals(errors: ErrorObject[]): ErrorObject | undefined {
  const [first] = errors
  if (first?.keyword !== 'const') return first
  const allowedValues = errors
    .filter(
      ({ keyword, instancePath }) => keyword === 'const' && instancePath === first.instancePath,
    )
    .map(({ params }) => params['allowedValue'] as unknown)
  return { ...first, keyword: 'enum', params: { allowedValues } }
}

/** The value at a JSON pointer, or undefined. */
function valueAt(value: unknown, pointer: string): unknown {
  let found = value
  for (const part of pointer.split('/').slice(1)) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Reflect.get(found, part.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return found
}

const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)? ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/**
 * Parses an ISO 8601 time of the years 0001 to 9999; without an offset, in UTC. Throws 400 for one that does not exist,
 * naming `field`.
 */
export function parseTime(field: string, text: string): Date {
  const [matched, year = '', month = '', day = '', offset] = ISO_TIME.exec(text) ?? []
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  const exists = matched !== undefined && Number(day) <= lastDay
  const isLocal = text.length > 10 && offset === undefined
  const precise = text.replace(',', '.').replace(/(:\d\d(?:\.\d+)?) ?([+-]\d\d)$/, '$1$2:00')
  const time = new Date(exists ? Date.parse(isLocal ? `${precise}Z` : precise) : Number.NaN)
  // An offset may move a time out of the years that PostgreSQL and ISO 8601 share.
  const utcYear = time.getUTCFullYear()
  if (!(utcYear >= 1 && utcYear <= 9999))
    throw fail('bad_request', (say) => say.http.malformed(field), { field })
  return time
}

/** Parses a time at which something will be done. Throws 400 without an offset, since it might be wrong by hours. */
export function parseInstant(field: string, text: string): Date {
  const time = parseTime(field, text)
  if (!/:\d\d.*(Z|[+-]\d\d(:?\d\d)?)$/i.test(text))
    throw fail('bad_request', (say) => say.http.noOffset(field), { field })
  return time
}

/** Throws 400 if the time has passed. */
export function requireFuture(field: string, time: Date, now: number): void {
  if (time.getTime() <= now) throw fail('bad_request', (say) => say.http.past(field), { field })
}

/** A failed schema validation: Ajv's first error and the value it refers to. */
export class SchemaError extends Error {
  readonly problem: ErrorObject | undefined
  /** The value that failed validation. */
  readonly value: unknown
  constructor(problem: ErrorObject | undefined, value?: unknown) {
    super(problem?.message ?? 'invalid')
    this.problem = problem
    this.value = value
  }
}

/**
 * Converts a schema error to a 400 with one sentence that names the field and the problem. `sentences` takes
 * precedence over the generic sentences.
 */
export function describeSchemaError(error: SchemaError, sentences: FieldSentences): Failure {
  const { problem, value } = error
  if (!problem) return fail('bad_request', (say) => say.http.badRequest)
  const parts = problem.instancePath.split('/').slice(1)
  if (problem.keyword === 'required') parts.push(String(problem.params['missingProperty']))
  const path = parts.reduce(
    (above, part) => (/^\d+$/.test(part) ? `${above}[${part}]` : above ? `${above}.${part}` : part),
    '',
  )
  const field = problem.keyword === 'additionalProperties' ? unknownField(problem, path) : path
  const own = routeSentence(parts, sentences, problem, value)
  if (own) return fail('bad_request', (say) => own(say, value), { field })
  return fail('bad_request', (say) => sentenceFor(say, problem, field), { field })
}

/** The path of a field that the schema does not have, below `path`. */
function unknownField({ params }: ErrorObject, path: string): string {
  const name = String(params['additionalProperty'])
  return path ? `${path}.${name}` : name
}

function routeSentence(
  parts: string[],
  sentences: FieldSentences,
  problem: ErrorObject,
  value: unknown,
) {
  if (problem.keyword === 'additionalProperties') return undefined
  const pattern = parts.map((part) => (/^\d+$/.test(part) ? '*' : part)).join('/')
  if (pattern !== '') return Object.hasOwn(sentences, pattern) ? sentences[pattern] : undefined
  // The body itself is missing or not an object, so report its first field as missing.
  return value == null ? Object.values(sentences)[0] : undefined
}

function sentenceFor(say: Phrases, problem: ErrorObject, path: string): string {
  const words = say.http
  const field = path || words.body
  const { params } = problem
  switch (problem.keyword) {
    case 'required':
      return words.required(field)
    case 'additionalProperties':
      return words.unknownField(field)
    case UNKNOWN_PARAMETER:
      return words.unknownParameter(String(params['name']).slice(0, 100))
    case REPEATED_PARAMETER:
      return words.repeated(field)
    case 'type':
      return words.wrongType(field, typeName(say, params['type']))
    case 'enum':
      return words.wrongValue(field, (params['allowedValues'] as unknown[]).join(', '))
    case 'pattern':
      return params['pattern'] === NOT_BLANK.pattern
        ? words.required(field)
        : words.malformed(field)
    case 'minLength':
      return words.tooShort(field, Number(params['limit']))
    case 'maxLength':
      return words.tooLong(field, Number(params['limit']))
    case 'minItems':
      return words.tooFewItems(field, Number(params['limit']))
    case 'maxItems':
    case 'maxProperties':
      return words.tooManyItems(field, Number(params['limit']))
    case 'minimum':
      return words.tooSmall(field, Number(params['limit']))
    case 'maximum':
      return words.tooLarge(field, Number(params['limit']))
    default:
      return words.malformed(field)
  }
}

function typeName(say: Phrases, type: unknown): string {
  const names = Array.isArray(type) ? type : [type]
  return names
    .map((name) => say.http.types[name as keyof typeof say.http.types] ?? String(name))
    .join(' / ')
}
