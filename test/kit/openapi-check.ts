import { Ajv, type ValidateFunction } from 'ajv'
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

type Operation = {
  operationId?: string
  responses: Record<string, { content?: Record<string, { schema: object }> } | undefined>
}
/** The parts of an OpenAPI document that the check reads. */
export type OpenapiDocument = { paths: Record<string, Record<string, Operation>> }

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
/** Compiled validators by schema text: compiling takes a hundred times as long as validating. */
const compiled = new Map<string, ValidateFunction>()

function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema)
  const known = compiled.get(text)
  if (known) return known
  const validate = ajv.compile(closed(schema))
  compiled.set(text, validate)
  return validate
}

/** Operations of which this process has validated a success. */
const validated = new Set<string>()
/** The file that collects them from all processes of `npm test`. */
const collected = process.env['RECADO_TEST_RESPONSES']
if (collected) process.once('exit', () => appendFileSync(collected, [...validated, ''].join('\n')))

/** Streams, which tests read frame by frame. */
const STREAMS = new Set(['streamQr', 'streamEvents'])

/** The operations of which no test of this run has validated a success. */
export function findUnvalidated(file: string): string[] {
  const document = JSON.parse(
    readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
  ) as OpenapiDocument
  const seen = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
  return Object.values(document.paths)
    .flatMap((methods) => Object.values(methods).map(({ operationId = '' }) => operationId))
    .filter((name) => !seen.has(name) && !STREAMS.has(name))
}

/**
 * Returns a function that asserts that the document declares a response's status and that its body matches the schema.
 */
export function createOpenapiCheck(document: OpenapiDocument) {
  const routes = Object.entries(document.paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
    fixed: path.split('/').filter((part) => !part.startsWith('{')).length,
    operations,
  }))
  return (method: string, path: string, status: number, body: unknown): void => {
    const [found] = routes
      .filter((route) => route.pattern.test(path.split('?')[0] ?? ''))
      .toSorted((a, b) => b.fixed - a.fixed)
    const operation = found?.operations[method.toLowerCase()]
    if (!operation) return
    const answer = operation.responses[String(status)]
    assert.ok(answer, `${method} ${path} returned ${status}, which the document does not declare`)
    if (status < 300 && operation.operationId) validated.add(operation.operationId)
    const schema = answer.content?.['application/json']?.schema
    if (!schema || status === 204) return
    const validate = validatorOf(schema)
    assert.ok(
      validate(body),
      `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
    )
  }
}

/** Copies a document with every `$ref` replaced by its target. */
export function dereference<Document extends object>(document: Document): Document {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    if ('$ref' in value && typeof value.$ref === 'string') return resolve(targetOf(value.$ref))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]))
  }
  const targetOf = (reference: string): unknown => {
    const target = reference
      .split('/')
      .slice(1)
      .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document)
    assert.ok(target, `${reference} leads nowhere`)
    return target
  }
  return resolve(document) as Document
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
