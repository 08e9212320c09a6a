// Completes the document that the routes describe one by one: shared components, texts, examples and headers.
import {
  createComponents,
  isNode,
  JSON_TYPE,
  KEY_SECURITY,
  nodeAt,
  componentName,
  sortKeys,
  statesRate,
  type Components,
  type Node,
} from './openapi-components.ts'
import { finishSuccesses } from './openapi-successes.ts'
import { FAULT_EXAMPLES } from './responses.ts'

/** An OpenAPI document, or an object of one. */
export type OpenapiDocument = Node

/** Marks an operation that honors `Idempotency-Key`, until the headers are documented. */
export const IDEMPOTENT_MARK = 'x-idempotent'
const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete'])
const BINARY = 'application/octet-stream'
const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

/** Texts that the document shows; in the language of the reference. */
export type DocumentTexts = {
  /** Description of a path, query or header parameter by name. */
  parameters: Record<string, { description: string; example: unknown }>
  /** The `id` of a path by the collection it belongs to, such as `instances`. */
  ids: Record<string, { description: string; example: string }>
  /** A CSV body. */
  csv: string
  /** A valid JSON or multipart body by operationId. */
  bodies: Record<string, object>
  /** Descriptions of responses that have no other. */
  success: string
  noContent: string
  /** Description of the body of an error. */
  error: string
  /** Description of the faults of the server. */
  faults: string
  /** Description of a response header by name. */
  headers: Record<string, string>
  idempotentReplayed: string
  rateLimit: string
  rateLimitPolicy: string
  requestId: string
  retryAfter: string
}

/** The headers of a response that is a file, by its status. */
const FILE_HEADERS: Record<string, string[]> = {
  200: ['Accept-Ranges', 'Content-Disposition', 'ETag'],
  206: ['Accept-Ranges', 'Content-Disposition', 'Content-Range', 'ETag'],
  304: ['ETag'],
}
const isBinary = (response: unknown) =>
  Object.values(nodeAt(isNode(response) ? response : {}, 'content')).some(
    (body) => isNode(body) && nodeAt(body, 'schema')['format'] === 'binary',
  )

/** Default descriptions of successful responses. */
const SHARED = new Set(['204', '206', '304'])

/** The description of a response: its own, or that of its status; the swagger plugin's is dropped. */
function describeResponse(texts: DocumentTexts, status: string, response: Node): string {
  const own = String(response['description'])
  if (own !== 'Default Response') return own
  return status === '204' ? texts.noContent : texts.success
}

/** The range under which every operation lists the faults of the server. */
const FAULTS = '5XX'
const FAULT_CODES = new Set(Object.keys(FAULT_EXAMPLES))

/** Replaces the faults of the server by one response for their range; those with their own sentence stay. */
function mergeFaults(texts: DocumentTexts, responses: Node): Node {
  const rest = Object.entries(responses).filter(
    ([, response]) => !isNode(response) || !FAULT_CODES.has(String(response['description'])),
  )
  if (rest.length === Object.keys(responses).length) return responses
  const content = { schema: { $ref: '#/components/schemas/Error' }, examples: FAULT_EXAMPLES }
  return {
    ...Object.fromEntries(rest),
    [FAULTS]: { description: texts.faults, content: { [JSON_TYPE]: content } },
  }
}

function finishResponses(
  { texts, components }: { texts: DocumentTexts; components: Components },
  operation: Node,
  idempotent: boolean,
): Node {
  const declared = nodeAt(operation, 'responses')
  const sendsFiles = Object.values(declared).some(isBinary)
  return Object.fromEntries(
    Object.entries(mergeFaults(texts, declared)).map(([status, response]) => {
      if (!isNode(response)) return [status, response]
      if (/^[45]/.test(status)) return [status, components.shareError(status, response)]
      const ofFile = sendsFiles ? (FILE_HEADERS[status] ?? []) : []
      const headers = {
        'X-Request-Id': header('X-Request-Id'),
        ...(status.startsWith('2') && statesRate(operation)
          ? { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimit-Policy') }
          : {}),
        ...(idempotent ? { 'Idempotent-Replayed': header('Idempotent-Replayed') } : {}),
        ...Object.fromEntries(ofFile.map((name) => [name, header(name)])),
      }
      const content = Object.entries(nodeAt(response, 'content')).map(([type, body]) => {
        const { format, contentMediaType } = nodeAt(isNode(body) ? body : {}, 'schema')
        // The swagger plugin takes every response for JSON.
        const own = typeof contentMediaType === 'string' ? contentMediaType : BINARY
        return [
          format === 'binary' ? own : type,
          isNode(body) ? components.shareExample(body) : body,
        ]
      })
      const finished = {
        ...response,
        description: describeResponse(texts, status, response),
        headers,
        ...(content.length > 0 ? { content: Object.fromEntries(content) as Node } : {}),
      }
      return [status, SHARED.has(status) ? components.shareResponse(status, finished) : finished]
    }),
  )
}

/** The collection that the `id` of a path belongs to. */
const collectionOf = (path: string): string => /([\w-]+)\/\{id\}/.exec(path)?.[1] ?? ''

function finishParameter(
  { texts, components }: { texts: DocumentTexts; components: Components },
  parameter: unknown,
  path = '',
): unknown {
  if (!isNode(parameter) || '$ref' in parameter) return parameter
  const name = String(parameter['name'])
  const { description, example } =
    (name === 'id' ? texts.ids[collectionOf(path)] : texts.parameters[name]) ?? {}
  const given = nodeAt(parameter, 'schema')
  const schema = components.schemas[componentName(given) ?? ''] ?? given
  const examples = Array.isArray(schema['examples']) ? (schema['examples'] as unknown[]) : []
  const shown = examples[0] ?? (schema['enum'] as unknown[] | undefined)?.[0] ?? example
  return {
    ...parameter,
    required: parameter['required'] === true && !('default' in schema),
    description: parameter['description'] ?? description,
    ...(shown === undefined ? {} : { example: shown }),
  }
}

/** Adds the example of a body. */
function finishBody(texts: DocumentTexts, operation: Node): Node {
  const body = nodeAt(operation, 'requestBody')
  const content = nodeAt(body, 'content')
  const example = texts.bodies[String(operation['operationId'])]
  const finished = Object.entries(content).map(([type, shape]) => [
    type,
    isNode(shape) && example
      ? { ...shape, example: type === 'text/csv' ? texts.csv : example }
      : shape,
  ])
  return { ...body, content: Object.fromEntries(finished) as Node }
}

function finishParameters(
  { texts, components }: { texts: DocumentTexts; components: Components },
  path: string,
  operation: Node,
): unknown[] {
  const given = Array.isArray(operation['parameters']) ? (operation['parameters'] as unknown[]) : []
  return given.map((parameter) => {
    const finished = finishParameter({ texts, components }, parameter, path)
    if (!isNode(finished) || '$ref' in finished) return finished
    const name = String(finished['name'])
    return components.shareParameter(name === 'id' ? `${collectionOf(path)}.id` : name, finished)
  })
}

function finishOperation(
  deps: { texts: DocumentTexts; components: Components },
  path: string,
  operation: Node,
): Node {
  const { [IDEMPOTENT_MARK]: mark, security, ...rest } = operation
  const parameters = finishParameters(deps, path, rest)
  if (mark === true) parameters.push({ $ref: '#/components/parameters/Idempotency-Key' })
  return {
    ...rest,
    ...(statesRate(operation) ? {} : { security }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...('requestBody' in rest ? { requestBody: finishBody(deps.texts, rest) } : {}),
    responses: finishResponses(deps, operation, mark === true),
  }
}

/**
 * Returns the document with shared components: each titled schema, example, parameter and error response once, behind a
 * `$ref`. Query parameters with a default are optional, parameters have their description and example, and headers are documented.
 * Throws if two different shapes have the same title.
 */
export function completeDocument(document: OpenapiDocument, texts: DocumentTexts): OpenapiDocument {
  const components = createComponents()
  const shared = components.share({
    paths: document['paths'],
    webhooks: document['webhooks'],
  }) as Node
  const paths = Object.fromEntries(
    Object.entries(nodeAt(shared, 'paths')).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(isNode(methods) ? methods : {}).map(([method, operation]) => [
          method,
          METHODS.has(method) && isNode(operation)
            ? finishOperation({ texts, components }, path, operation)
            : operation,
        ]),
      ),
    ]),
  )
  const webhooks = Object.fromEntries(
    Object.entries(nodeAt(shared, 'webhooks')).map(([event, methods]) => {
      const post = nodeAt(isNode(methods) ? methods : {}, 'post')
      const parameters = finishParameters({ texts, components }, '', post)
      return [event, { post: { ...post, parameters, security: [] } }]
    }),
  )
  finishSuccesses(paths, components)
  return {
    ...document,
    security: KEY_SECURITY,
    paths,
    webhooks,
    components: {
      ...nodeAt(document, 'components'),
      schemas: sortKeys({
        ...components.schemas,
        Error: { ...components.schemas['Error'], description: texts.error },
        ...unionOfEvents(components.schemas, nodeAt(shared, 'webhooks')),
      }),
      responses: sortKeys(components.responses),
      examples: sortKeys(components.examples),
      headers: {
        'Idempotent-Replayed': {
          description: texts.idempotentReplayed,
          schema: { type: 'string', enum: ['true'] },
        },
        RateLimit: { description: texts.rateLimit, schema: { type: 'string' } },
        'RateLimit-Policy': { description: texts.rateLimitPolicy, schema: { type: 'string' } },
        'Retry-After': { description: texts.retryAfter, schema: { type: 'integer', minimum: 1 } },
        'X-Request-Id': { description: texts.requestId, schema: { type: 'string' } },
        ...Object.fromEntries(
          Object.entries(texts.headers).map(([name, description]) => [
            name,
            { description, schema: { type: 'string' } },
          ]),
        ),
      },
      parameters: {
        ...sortKeys(components.parameters),
        'Idempotency-Key': finishParameter(
          { texts, components },
          {
            name: 'Idempotency-Key',
            in: 'header',
            schema: { type: 'string', minLength: 1, maxLength: 255 },
          },
        ),
      },
    },
  }
}

/** The union of all webhook bodies, discriminated by `event`. */
function unionOfEvents(schemas: Record<string, Node>, webhooks: Node): Record<string, Node> {
  const mapping = Object.fromEntries(
    Object.keys(webhooks).map((event) => {
      const name = eventSchemaName(event)
      if (!schemas[name]) throw new Error(`event ${event}: no schema ${name}`)
      return [event, `#/components/schemas/${name}`]
    }),
  )
  return {
    WebhookEvent: {
      title: 'WebhookEvent',
      oneOf: Object.values(mapping).map((target) => ({ $ref: target })),
      discriminator: { propertyName: 'event', mapping },
    },
  }
}

/** The name of an event's schema: `MessageReceivedEvent` for `message.received`. */
export function eventSchemaName(event: string): string {
  return `${event.replaceAll(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase())}Event`
}
