type Schema = {
  $ref?: string
  title?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
}
type Content = Record<string, { schema?: Schema }>
type Parameter = { $ref?: string; in: string; name: string; schema: Schema }
type Operation = {
  parameters?: Parameter[]
  requestBody?: { content?: Content }
  responses: Record<string, Response>
}
type Response = { $ref?: string; content?: Content }

type Document = {
  paths: Record<string, Record<string, Operation>>
  components?: {
    schemas?: Record<string, Schema>
    parameters?: Record<string, Parameter>
    responses?: Record<string, Response>
  }
}

/** Types by schema title. A different type with a title that is already taken is inlined. */
const named = new Map<string, string>()

/** The shared schemas, parameters and responses of the documents. */
const components = new Map<string, Schema>()
const parameters = new Map<string, Parameter>()
const responses = new Map<string, Response>()

/** The name of the component that a reference leads to; none for anything else. */
const nameOf = ({ $ref = '' }: { $ref?: string }) => $ref.split('/').at(-1) ?? ''

function toType(schema: Schema | undefined): string {
  if (!schema) return 'unknown'
  if (schema.$ref !== undefined) return toType(components.get(nameOf(schema)))
  const { title, ...bare } = schema
  if (title === undefined || !/^[A-Z]\w+$/.test(title)) return toBareType(bare)
  const text = toBareType(bare)
  if (!named.has(title)) named.set(title, text)
  return named.get(title) === text ? title : text
}

function toBareType(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ') || 'never'
  const union = schema.anyOf ?? schema.oneOf
  if (union) return [...new Set(union.map(toType))].join(' | ')
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => toType({ ...schema, type })).join(' | ')
  }
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return `(${toType(schema.items)})[]`
    default:
      return toObject(schema)
  }
}

function toObject({ properties, required = [], patternProperties, additionalProperties }: Schema) {
  const values =
    Object.values(patternProperties ?? {})[0] ??
    (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  if (!properties || Object.keys(properties).length === 0) {
    return `Record<string, ${values ? toType(values) : 'unknown'}>`
  }
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${toType(schema)}`,
  )
  return `{ ${fields.join('; ')} }`
}

const json = (content: Content | undefined) => content?.['application/json']?.schema

function toRoute(method: string, path: string, operation: Operation): string {
  const query = (operation.parameters ?? [])
    .map((given) => parameters.get(nameOf(given)) ?? given)
    .filter((parameter) => parameter.in === 'query')
  const asked = query.map(({ name, schema }) => `${JSON.stringify(name)}?: ${toType(schema)}`)
  const body = json(operation.requestBody?.content)
  const success = Object.entries(operation.responses).find(([status]) => /^2\d\d$/.test(status))
  const given = success?.[1] ?? {}
  const answer = json((responses.get(nameOf(given)) ?? given).content)
  return `  ${JSON.stringify(`${method.toUpperCase()} ${path}`)}: {
    query: { ${asked.join('; ')} }
    body: ${body ? toType(body) : 'undefined'}
    answer: ${answer ? toType(answer) : 'null'}
  }`
}

/** Renders TypeScript types of each route's query, body and response from OpenAPI documents (JSON texts). */
export function renderPanelTypes(documents: string[]): string {
  named.clear()
  components.clear()
  parameters.clear()
  responses.clear()
  const parsed = documents.map((text) => JSON.parse(text) as Document)
  for (const { components: shared } of parsed) {
    for (const [name, schema] of Object.entries(shared?.schemas ?? {})) components.set(name, schema)
    for (const [name, parameter] of Object.entries(shared?.parameters ?? {}))
      parameters.set(name, parameter)
    for (const [name, response] of Object.entries(shared?.responses ?? {}))
      responses.set(name, response)
  }
  const paths = parsed.map((document) => document.paths)
  const routes = Object.entries(Object.assign({}, ...paths) as (typeof paths)[number]).flatMap(
    ([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => toRoute(method, path, operation)),
  )
  const shapes = [...named].map(([name, shape]) => `export type ${name} = ${shape}`)
  const head =
    '// Written by scripts/write-panel-types.ts out of openapi.json and panel/openapi.json: npm run panel-types'
  const api = `/** Query, body and response types of each route. */\nexport type Api = {\n${routes.join('\n')}\n}`
  return `${[head, ...shapes, api].join('\n\n')}\n`
}
