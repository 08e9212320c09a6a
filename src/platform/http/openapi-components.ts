// Shares the schemas and error responses of an OpenAPI document, so that generators give each a single type.
import { isDeepStrictEqual } from 'node:util'

/** Any object of an OpenAPI document. */
export type Node = Record<string, unknown>

/** The media type of every body that is not a file. */
export const JSON_TYPE = 'application/json'

/** Keywords that belong to the use of a schema rather than to its shape. */
const OF_PLACE = ['description', 'example', 'examples', 'default']

/** How many words of a description name a shared response. */
const MAX_WORDS = 3
/** Words that most descriptions have; without them, the names stay short. */
const COMMON_WORDS = new Set(['o', 'a', 'de', 'do', 'da'])
/** How the sentence of most 404s ends. */
const NOT_FOUND = / nao encontrad[oa]\b.*/

/** Whether a value is an object of the document. */
export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** Returns the object at `key`, or an empty one. */
export const nodeAt = (node: Node, key: string): Node => {
  const value = node[key]
  return isNode(value) ? value : {}
}

/** Copies an object with its keys in order. */
export const sortKeys = (node: Record<string, Node>): Record<string, Node> =>
  Object.fromEntries(Object.entries(node).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Returns the name of the referenced component, or undefined if the object is no reference. */
export const componentName = ({ $ref }: Node): string | undefined =>
  typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : undefined

/** Returns the parameters of an operation, each shared one in place of its reference. */
export function parametersOf(document: Node, operation: Node): Node[] {
  const shared = nodeAt(nodeAt(document, 'components'), 'parameters')
  const given = Array.isArray(operation['parameters']) ? (operation['parameters'] as Node[]) : []
  return given.map((parameter) => {
    const name = componentName(parameter)
    return name === undefined ? parameter : nodeAt(shared, name)
  })
}

/** The security requirement of an operation that accepts API keys and nothing else; the default of the document. */
export const KEY_SECURITY = [{ apiKey: [] }]
/** Whether the successes of an operation state the rate limit of their key: streams do not, which take tokens, too. */
export const statesRate = ({ security }: Node): boolean => isDeepStrictEqual(security, KEY_SECURITY)

/** A reference to a shared header, under its name. */
const refer = (name: string): Node => ({ [name]: { $ref: `#/components/headers/${name}` } })

/** The components collected so far, and functions that add to them. */
export type Components = {
  schemas: Record<string, Node>
  responses: Record<string, Node>
  parameters: Record<string, Node>
  examples: Record<string, Node>
  /** Replaces titled schemas in a value by references. Throws if two different shapes have the same title. */
  share(value: unknown): unknown
  /** Replaces an error response by a reference; its status or its sentence names it. */
  shareError(status: string, response: Node): Node
  /** Replaces a response with a reference, unless a different response has the same status and description. */
  shareResponse(status: string, response: Node): Node
  /** Replaces a parameter with a reference, unless a different parameter has the same name. */
  shareParameter(name: string, parameter: Node): Node
  /** Replaces the example of a shared schema with a reference, unless the schema already has a different one. */
  shareExample(content: Node): Node
}

/** Creates an empty collection of components. */
export function createComponents(): Components {
  const schemas: Record<string, Node> = {}
  /** The schemas without their examples, to compare them. */
  const shapes = new Map<string, Node>()
  const responses: Record<string, Node> = {}
  const parameters: Record<string, Node> = {}
  const examples: Record<string, Node> = {}

  /** Replaces the innermost schemas first. */
  function share(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(share)
    if (!isNode(value)) return value
    const shared: Node = Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        key === 'example' || key === 'examples' || key === 'default' ? item : share(item),
      ]),
    )
    const simple = mapDiscriminator(simplify(shared), schemas)
    return isNamedSchema(simple) ? reference(simple) : simple
  }

  function reference(schema: Node): Node {
    const name = String(schema['title'])
    const shape = { ...schema }
    for (const key of OF_PLACE) delete shape[key]
    const known = shapes.get(name)
    if (known && !isDeepStrictEqual(known, shape)) {
      throw new Error(`schema ${name} has two shapes: ${JSON.stringify([known, shape])}`)
    }
    shapes.set(name, shape)
    // The first example and description are shared; a different description is kept next to its reference.
    const first = schemas[name] ?? {}
    const { examples = first['examples'], description } = schema
    const described = first['description'] ?? description
    schemas[name] = {
      ...shape,
      ...(examples ? { examples } : {}),
      ...(described === undefined ? {} : { description: described }),
    }
    return {
      $ref: `#/components/schemas/${name}`,
      ...(description === undefined || description === described ? {} : { description }),
    }
  }

  function shareError(status: string, response: Node): Node {
    // Routes that return files or streams report errors as JSON, too.
    const [content] = Object.values(nodeAt(response, 'content')) as Node[]
    // The sentence is the description of the response already.
    const { description: _, ...schema } = nodeAt(content ?? {}, 'schema')
    const error: Node = {
      description: response['description'],
      headers: {
        ...refer('X-Request-Id'),
        ...refer('Content-Language'),
        ...(status === '416' ? refer('Content-Range') : {}),
        ...(['429', '503', '5XX'].includes(status) ? refer('Retry-After') : {}),
        ...(status === '429' ? { ...refer('RateLimit'), ...refer('RateLimit-Policy') } : {}),
      },
      ...(content ? { content: { [JSON_TYPE]: { ...content, schema } } } : {}),
    }
    return shareResponse(status, error)
  }

  function shareResponse(status: string, response: Node): Node {
    const name = nameResponse(status, String(response['description']))
    responses[name] ??= response
    return isDeepStrictEqual(responses[name], response)
      ? { $ref: `#/components/responses/${name}` }
      : response
  }

  function shareParameter(name: string, parameter: Node): Node {
    // The same name may be an id of a path here and a filter there, or have another default.
    const { default: initial = '' } = nodeAt(parameter, 'schema')
    const names = [name, `${name}.${String(parameter['in'])}`, `${name}.${String(initial)}`]
    for (const one of names) {
      parameters[one] ??= parameter
      if (isDeepStrictEqual(parameters[one], parameter))
        return { $ref: `#/components/parameters/${one}` }
    }
    return parameter
  }

  function shareExample({ example, ...content }: Node): Node {
    const name = componentName(nodeAt(content, 'schema')) ?? ''
    const shared = { value: example }
    if (example !== undefined && name in schemas) examples[name] ??= shared
    return isDeepStrictEqual(examples[name], shared)
      ? { ...content, examples: { [name]: { $ref: `#/components/examples/${name}` } } }
      : { ...content, ...(example === undefined ? {} : { example }) }
  }

  return {
    schemas,
    responses,
    parameters,
    examples,
    share,
    shareError,
    shareResponse,
    shareParameter,
    shareExample,
  }
}

/**
 * Returns the name of a shared response: its status if that is a range or its description is a code such as NOT_FOUND,
 * else the status and the first words of the description that are not common.
 */
export function nameResponse(status: string, description: string): string {
  if (/^[A-Z_]+$/.test(description) || status.endsWith('XX')) return status
  const plain = description
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replace(NOT_FOUND, '')
  const words = (plain.match(/[a-z0-9]+/g) ?? []).filter((word) => !COMMON_WORDS.has(word))
  return [status, ...words.slice(0, MAX_WORDS)].join('-')
}

/**
 * Writes a constant as an `enum` of one, a union of such strings as one `enum`, a value that may be null with two
 * types, and a map of any keys with `additionalProperties`, as the swagger plugin does in paths but not in webhooks.
 */
function simplify(schema: Node): Node {
  const { '^.*$': ofAnyKey } = nodeAt(schema, 'patternProperties')
  if (ofAnyKey) {
    const { patternProperties: _, ...rest } = schema
    return { ...rest, additionalProperties: ofAnyKey }
  }
  if ('const' in schema && 'type' in schema) {
    const { const: value, ...rest } = schema
    return { ...rest, enum: [value] }
  }
  const union = schema['anyOf']
  if (!Array.isArray(union)) return schema
  const [value, other] = union as unknown[]
  if (union.length === 2 && isNode(value) && isNode(other) && isPlain(value) && isNull(other)) {
    const { anyOf: _, ...rest } = schema
    const { type, enum: listed } = value
    const allowed = Array.isArray(listed) ? { enum: [...(listed as unknown[]), null] } : {}
    return { ...value, ...rest, type: [type, 'null'], ...allowed }
  }
  const values = union.flatMap((item: unknown) => {
    if (!isNode(item) || item['type'] !== 'string' || Object.keys(item).length !== 2) return []
    return Array.isArray(item['enum']) ? [item['enum'] as unknown[]] : []
  })
  if (values.length === 0 || values.length !== union.length) return schema
  const { anyOf: _, ...rest } = schema
  return { ...rest, type: 'string', enum: values.flat() }
}

/** A value of one type that is not a component. */
const isPlain = (value: Node): boolean => typeof value['type'] === 'string' && !isNamedSchema(value)
const isNull = ({ type }: Node): boolean => type === 'null'

/** A titled object schema, union or list; titles of fields are part of their object. */
const isNamedSchema = (value: Node): boolean =>
  typeof value['title'] === 'string' &&
  /^[A-Z]\w+$/.test(value['title']) &&
  ('type' in value || 'anyOf' in value || 'oneOf' in value)

/** Adds to a union's discriminator which value selects which schema. */
function mapDiscriminator(union: Node, schemas: Record<string, Node>): Node {
  const { propertyName, mapping } = nodeAt(union, 'discriminator')
  const branches = union['oneOf']
  if (typeof propertyName !== 'string' || mapping || !Array.isArray(branches)) return union
  const found = branches.map((branch: unknown) => {
    const target = isNode(branch) ? String(branch['$ref']) : ''
    const schema = schemas[target.split('/').at(-1) ?? ''] ?? {}
    const values = nodeAt(nodeAt(schema, 'properties'), propertyName)['enum']
    if (!Array.isArray(values))
      throw new Error(`${target}: ${propertyName} has no value of its own`)
    return [String(values[0]), target] as const
  })
  return { ...union, discriminator: { propertyName, mapping: Object.fromEntries(found) } }
}
