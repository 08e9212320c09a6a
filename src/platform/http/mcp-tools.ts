// The tools of the MCP server; each maps to one operation of the API document.
import type { Tool as ProtocolTool } from '@modelcontextprotocol/server'
import type { KeyPermission } from '../../kernel/principal.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Phrases } from '../../kernel/phrases/spoken.ts'
import { isNode, nodeAt, parametersOf, componentName, type Node } from './openapi-components.ts'
import type { OpenapiDocument } from './openapi-document.ts'

/** A tool as it is declared here; its schemas come from the operation. */
type Declaration = {
  permission: KeyPermission | null
  /** The result contains no text by people outside the company; results of all other tools are marked as untrusted. */
  ownTexts?: true
  /** Writing to a new contact needs a second call that confirms it. */
  confirmsFirstContact?: true
  /** Concerns all instances, so it is refused to a key for some of them. */
  ofProject?: true
  destructive?: true
}

/** The operations offered as tools. Secrets, keys, deletions and Project-wide changes are excluded. */
const DECLARATIONS: Record<string, Declaration> = {
  getMe: { permission: null, ownTexts: true },
  getUsage: { permission: 'read', ofProject: true, ownTexts: true },
  listInstances: { permission: 'read', ownTexts: true },
  getInstance: { permission: 'read', ownTexts: true },
  listConversations: { permission: 'read' },
  getConversation: { permission: 'read' },
  listMessages: { permission: 'read' },
  getMessage: { permission: 'read' },
  listContacts: { permission: 'read' },
  listGroups: { permission: 'read' },
  listCalls: { permission: 'read' },
  listCampaigns: { permission: 'read', ofProject: true, ownTexts: true },
  getCampaign: { permission: 'read', ofProject: true, ownTexts: true },
  listWebhooks: { permission: 'read', ofProject: true, ownTexts: true },
  listDeliveries: { permission: 'read', ofProject: true, ownTexts: true },
  listRequests: { permission: 'read', ofProject: true, ownTexts: true },
  sendText: { permission: 'send', confirmsFirstContact: true },
  sendMedia: { permission: 'send', confirmsFirstContact: true },
  sendReaction: { permission: 'send' },
  markRead: { permission: 'send' },
  updateConversation: { permission: 'send' },
  pauseCampaign: { permission: 'manage', ofProject: true, destructive: true, ownTexts: true },
  resumeCampaign: { permission: 'manage', ofProject: true, ownTexts: true },
}
/** The argument name for a path's `{id}`, by collection. */
const ID_NAMES: Record<string, string> = {
  instances: 'instanceId',
  campaigns: 'campaignId',
  webhooks: 'webhookId',
}

/** The arguments of a call, as the client sent them. */
export type Arguments = Record<string, unknown>

/** What a tool returns to the client. */
export type Result = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}
/** The result of a call that failed; the agent reads why. */
export const failed = (text: string): Result => ({
  content: [{ type: 'text', text }],
  isError: true,
})

/** The sentence of an error of the API, with its reason. */
export function messageOf(body: Record<string, unknown>): string {
  const { error } = body as { error?: { message?: string; reason?: string } }
  return [error?.message, error?.reason].filter(Boolean).join(' · ')
}

/** A tool: its description for clients, and the API request that it makes. */
export type Tool = Declaration & {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; properties: Record<string, Node>; required: string[] }
  outputSchema: { type: 'object' } & Node
  method: 'GET' | 'POST' | 'PATCH'
  /** The path with the names of arguments, as in `/v1/instances/{instanceId}`. */
  path: string
  query: Set<string>
  idempotent: boolean
}

/** Inlines references, so that a schema is self-contained. */
function inline(value: unknown, schemas: Node): unknown {
  if (Array.isArray(value)) return value.map((item) => inline(item, schemas))
  if (!isNode(value)) return value
  const { $ref: _, ...rest } = value
  const name = componentName(value)
  if (name !== undefined) return inline({ ...nodeAt(schemas, name), ...rest }, schemas)
  return Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, inline(item, schemas)]))
}

/**
 * Returns the fields of a body. A union of shapes is flattened into one object, because clients do not support
 * alternatives at the top level of an argument schema; the API still validates the body against each shape.
 */
function fieldsOf(shape: Node): { properties: Record<string, Node>; required: string[] } {
  const shapes = Array.isArray(shape['oneOf']) ? (shape['oneOf'] as Node[]) : [shape]
  const found = new Map<string, Node[]>()
  const requiredOf = (one: Node) =>
    Array.isArray(one['required']) ? (one['required'] as string[]) : []
  for (const one of shapes)
    for (const [name, field] of Object.entries(nodeAt(one, 'properties')))
      found.set(name, [...(found.get(name) ?? []), field as Node])
  return {
    properties: Object.fromEntries(
      [...found].map(([name, fields]) => [name, mergeAlternatives(fields)]),
    ),
    required: requiredOf(shapes[0] ?? {}).filter((name) =>
      shapes.every((one) => requiredOf(one).includes(name)),
    ),
  }
}

/** Merges the schemas that the shapes of a body give to one field. */
function mergeAlternatives(fields: Node[]): Node {
  const distinct = [...new Map(fields.map((field) => [JSON.stringify(field), field])).values()]
  const [only] = distinct
  if (only && distinct.length === 1) return only
  if (distinct.every((field) => Array.isArray(field['enum'])))
    return { ...only, enum: distinct.flatMap((field) => field['enum'] as unknown[]) }
  return { anyOf: distinct }
}

/** The field of a structured result that warns of untrusted text. */
export const WARNING = 'untrusted'

/** Adds the warning to the schema of a result. */
function withWarning(result: { type: 'object' } & Node): { type: 'object' } & Node {
  const properties = { [WARNING]: { type: 'string' }, ...nodeAt(result, 'properties') }
  return { ...result, properties, required: [WARNING] }
}

/** Levels of objects that the schema of a result describes: a list, and the fields of its items. */
const RESULT_LEVELS = 2
/** What the schema of a result says about a value. Limits and required fields concern requests. */
const RESULT_KEYS = new Set(['type', 'enum', 'const', 'description'])

/** Returns the outline of a result's schema: agents read every schema of the list of tools with each conversation. */
function outline(schema: Node, levels = RESULT_LEVELS): Node {
  const outlined = Object.fromEntries(
    Object.entries(schema).filter(([key]) => RESULT_KEYS.has(key)),
  )
  for (const key of ['anyOf', 'oneOf'])
    if (Array.isArray(schema[key]))
      outlined[key] = (schema[key] as Node[]).map((alternative) => outline(alternative, levels))
  if (isNode(schema['items'])) outlined['items'] = outline(schema['items'], levels)
  if (isNode(schema['properties']) && levels > 0)
    outlined['properties'] = Object.fromEntries(
      Object.entries(schema['properties']).map(([name, field]) => [
        name,
        outline(field as Node, levels - 1),
      ]),
    )
  return outlined
}

function toTool(
  declaration: Declaration,
  {
    method,
    path,
    operation,
    components,
    parameters,
  }: { method: string; path: string; operation: Node; components: Node; parameters: Node[] },
): Tool {
  const schemas = nodeAt(components, 'schemas')
  const collection = /(\w+)\/\{id\}/.exec(path)?.[1] ?? ''
  const idName = ID_NAMES[collection] ?? 'id'
  const properties: Record<string, Node> = {}
  const required: string[] = []
  const query = new Set<string>()
  for (const parameter of parameters) {
    if (parameter['in'] === 'header') continue
    const own = String(parameter['name'])
    const name = own === 'id' ? idName : own
    const { schema, description } = parameter
    properties[name] = { ...(inline(schema, schemas) as Node), description }
    if (parameter['in'] === 'query') query.add(name)
    if (parameter['required'] === true) required.push(name)
  }
  const body = nodeAt(nodeAt(nodeAt(operation, 'requestBody'), 'content'), 'application/json')
  const shape = inline(body['schema'] ?? {}, schemas) as Node
  const fields = fieldsOf(shape)
  if ('schema' in body && Object.keys(fields.properties).length === 0)
    throw new Error(`the MCP tool of ${method} ${path} has a body without fields`)
  Object.assign(properties, fields.properties)
  required.push(...fields.required)
  const idempotent = parameters.some(({ name }) => name === 'Idempotency-Key')
  if (idempotent)
    properties['idempotencyKey'] = { type: 'string', description: say.mcp.idempotencyKey }
  if (declaration.confirmsFirstContact)
    properties['confirm'] = { type: 'string', description: say.mcp.confirmArgument }
  const answers = nodeAt(operation, 'responses')
  const given = nodeAt(answers, '200' in answers ? '200' : '201')
  const shared = componentName(given)
  const success = shared === undefined ? given : nodeAt(nodeAt(components, 'responses'), shared)
  const output = nodeAt(nodeAt(success, 'content'), 'application/json')['schema']
  const result = { ...outline(inline(output, schemas) as Node), type: 'object' as const }
  return {
    ...declaration,
    name: String(operation['operationId']).replace(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`),
    title: String(operation['summary']),
    description:
      String(operation['description']) +
      (declaration.ownTexts ? '' : ` ${say.mcp.untrustedResult}`),
    inputSchema: { type: 'object', properties, required },
    outputSchema: declaration.ownTexts ? result : withWarning(result),
    method: method.toUpperCase() as Tool['method'],
    path: path.replace('{id}', `{${idName}}`),
    query,
    idempotent,
  }
}

/** Builds the tools from the document of the API, by name. Throws if an operation is missing. */
export function buildTools(document: OpenapiDocument): Map<string, Tool> {
  const components = nodeAt(document, 'components')
  const tools = new Map<string, Tool>()
  for (const [path, methods] of Object.entries(nodeAt(document, 'paths'))) {
    for (const [method, operation] of Object.entries(isNode(methods) ? methods : {})) {
      if (!isNode(operation)) continue
      const declaration = DECLARATIONS[String(operation['operationId'])]
      if (!declaration) continue
      const parameters = parametersOf(document, operation)
      const tool = toTool(declaration, { method, path, operation, components, parameters })
      tools.set(tool.name, tool)
    }
  }
  const declared = Object.keys(DECLARATIONS)
  if (tools.size !== declared.length)
    throw new Error(`${declared.length} MCP tools are declared, ${tools.size} have an operation`)
  return tools
}

/** The names of the arguments in a tool's path. */
export const namesInPath = ({ path }: Tool) =>
  new Set([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''))

/** Whether a value can be a segment of a path; those of only dots would name another path. */
const isId = (value: unknown): value is string =>
  typeof value === 'string' && !/^\.{0,2}$/.test(value)

/** Returns the problem of the arguments that the API would not see, or null. */
export function findProblem(tool: Tool, args: Arguments, { http, mcp }: Phrases): string | null {
  const unknown = Object.keys(args).find(
    (name) => !Object.hasOwn(tool.inputSchema.properties, name),
  )
  if (unknown !== undefined) return http.unknownField(unknown)
  const missing = tool.inputSchema.required.find((name) => args[name] === undefined)
  if (missing !== undefined) return mcp.missing(missing)
  const notId = [...namesInPath(tool)].find((name) => !isId(args[name]))
  return notId === undefined ? null : mcp.badId(notId)
}

/** A tool as clients see it. */
export function describe({ name, title, description, inputSchema, outputSchema, ...tool }: Tool) {
  const readOnlyHint = tool.method === 'GET'
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as ProtocolTool['inputSchema'],
    outputSchema: outputSchema as NonNullable<ProtocolTool['outputSchema']>,
    annotations: {
      title,
      readOnlyHint,
      destructiveHint: tool.destructive === true,
      idempotentHint: readOnlyHint || tool.method === 'PATCH',
      openWorldHint: tool.permission === 'send',
    },
  }
}
