import { Ajv, type ValidateFunction } from 'ajv'
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

type Response = { content?: Record<string, { schema: object }> }
type Operation = { operationId?: string; responses: Record<string, Response | undefined> }
/** The parts of an OpenAPI document that the check reads. */
type OpenapiDocument = { paths: Record<string, Record<string, Operation>> }

/** The statuses that the document lists under their range. */
const FAULTS = new Set([500, 503, 507])
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })

/** Reads the committed document; a test holds that it is the one that the server serves. */
const readDocument = (): OpenapiDocument =>
  JSON.parse(
    readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
  ) as OpenapiDocument

/** Operations of which this process has validated a success. */
const validated = new Set<string>()
/** The file that collects them from all processes of `npm test`. */
const collected = process.env['RECADO_TEST_RESPONSES']
if (collected) process.once('exit', () => appendFileSync(collected, [...validated, ''].join('\n')))

/** Streams, which tests read frame by frame. */
const STREAMS = new Set(['streamQr', 'streamEvents'])

/** The operations of which no test of this run has validated a success. */
export function findUnvalidated(file: string): string[] {
  const document = readDocument()
  const seen = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
  return Object.values(document.paths)
    .flatMap((methods) => Object.values(methods).map(({ operationId = '' }) => operationId))
    .filter((name) => !seen.has(name) && !STREAMS.has(name))
}

type Route = { pattern: RegExp; fixed: number; operations: Record<string, Operation> }
/** The document and its routes, read by the first response: most files of pure logic make none. */
let loaded: { document: OpenapiDocument; routes: Route[] } | undefined
/** Compiled validators by response, or by what it refers to: compiling takes a hundred times as long as validating. */
const compiled = new Map<object | string, ValidateFunction | null>()

function load(): { document: OpenapiDocument; routes: Route[] } {
  if (loaded) return loaded
  const document = readDocument()
  const routes = Object.entries(document.paths)
    .map(([template, operations]) => ({
      pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`),
      fixed: template.split('/').filter((part) => !part.startsWith('{')).length,
      operations,
    }))
    .toSorted((a, b) => b.fixed - a.fixed)
  return (loaded = { document, routes })
}

function findOperation(method: string, path: string): Operation | undefined {
  const { routes } = load()
  const [plain = ''] = path.split('?')
  return routes.find(({ pattern }) => pattern.test(plain))?.operations[method.toLowerCase()]
}

/** Returns the validator of a response's JSON, or null if it has none. */
function validatorOf(response: Response & { $ref?: string }): ValidateFunction | null {
  const key = response.$ref ?? response
  const known = compiled.get(key)
  if (known !== undefined) return known
  const { content } = resolveIn(load().document, response) as Response
  const schema = content?.['application/json']?.schema
  const validate = schema ? ajv.compile(closed(schema)) : null
  compiled.set(key, validate)
  return validate
}

/** Asserts that the document declares a response's status and that its body matches the schema. */
export function checkResponse(method: string, path: string, status: number, body: unknown): void {
  const operation = findOperation(method, path)
  if (!operation) return
  const response =
    operation.responses[String(status)] ??
    (FAULTS.has(status) ? operation.responses['5XX'] : undefined)
  assert.ok(response, `${method} ${path} returned ${status}, which the document does not declare`)
  if (status < 300 && operation.operationId) validated.add(operation.operationId)
  const validate = status === 204 ? null : validatorOf(response)
  if (!validate) return
  assert.ok(
    validate(body),
    `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
  )
}

/** Copies a document with every `$ref` replaced by its target. */
export const dereference = <Document extends object>(of: Document): Document =>
  resolveIn(of, of) as Document

/** Copies a part of a document with every `$ref` replaced by its target. */
function resolveIn(whole: object, part: unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => resolveIn(whole, item))
  if (typeof part !== 'object' || part === null) return part
  if ('$ref' in part && typeof part.$ref === 'string')
    return resolveIn(whole, targetOf(whole, part.$ref))
  return Object.fromEntries(
    Object.entries(part).map(([key, item]) => [key, resolveIn(whole, item)]),
  )
}

function targetOf(whole: object, reference: string): unknown {
  const target = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], whole)
  assert.ok(target, `${reference} leads nowhere`)
  return target
}

/** Copies the schema with `additionalProperties: false` in every object that does not declare it. */
function closed(schema: unknown): object {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema as object
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  )
  const open = 'additionalProperties' in copy || 'patternProperties' in copy
  return copy['properties'] && !open ? { ...copy, additionalProperties: false } : copy
}
