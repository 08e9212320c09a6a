// Completes the successful responses of an OpenAPI document: each has an example, and identical ones are shared.
import {
  isNode,
  JSON_TYPE,
  nameResponse,
  nodeAt,
  componentName,
  type Node,
} from './openapi-components.ts'

/** The example values of a page's other fields, for a first and only page. */
const PAGE: Node = { limit: 50, offset: 0, hasMore: false, before: null }

/** The components of the document, by kind. */
type Shared = Record<'schemas' | 'examples' | 'responses', Record<string, Node>>

/**
 * Adds examples to pages and to responses whose schema has one elsewhere, moves the examples of schemas there, and
 * replaces responses that occur more than once by references. Changes `paths` and `shared`.
 */
export function finishSuccesses(paths: Node, shared: Shared): void {
  const successes = [...listSuccesses(paths)]
  const shown = new Set<string>()
  for (const { response } of successes) {
    const content = nodeAt(nodeAt(response, 'content'), JSON_TYPE)
    const name = nameOf(nodeAt(content, 'schema'))
    if (!('schema' in content)) continue
    if (!('example' in content || 'examples' in content) && addExample(name, shared))
      content['examples'] = { [name]: { $ref: `#/components/examples/${name}` } }
    shown.add(name)
    shown.add(itemNameOf(shared.schemas[name] ?? {}))
  }
  for (const name of shown) {
    const { examples: _, ...schema } = shared.schemas[name] ?? {}
    if (name in shared.schemas) shared.schemas[name] = schema
  }
  shareRepeated(successes, shared.responses)
}

type Success = { responses: Node; status: string; response: Node }

function* listSuccesses(paths: Node): Generator<Success> {
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(isNode(operations) ? operations : {})) {
      const responses = nodeAt(isNode(operation) ? operation : {}, 'responses')
      for (const [status, response] of Object.entries(responses)) {
        if (status.startsWith('2') && isNode(response) && !('$ref' in response))
          yield { responses, status, response }
      }
    }
  }
}

const nameOf = (schema: Node): string => componentName(schema) ?? ''
const itemNameOf = (page: Node): string =>
  nameOf(nodeAt(nodeAt(nodeAt(page, 'properties'), 'items'), 'items'))

/**
 * Makes the schema's example a component, and returns whether it has one: its own, or a page with its items' example.
 */
function addExample(name: string, { schemas, examples }: Shared): boolean {
  const value = examples[name]?.['value'] ?? exampleOf(schemas[name] ?? {}, { schemas, examples })
  if (value === undefined) return false
  examples[name] ??= { value }
  return true
}

function exampleOf(
  schema: Node,
  { schemas, examples }: Pick<Shared, 'schemas' | 'examples'>,
): unknown {
  const [own] = (schema['examples'] ?? []) as unknown[]
  if (own !== undefined) return own
  const itemName = itemNameOf(schema)
  if (itemName === '') return undefined
  const item =
    examples[itemName]?.['value'] ?? exampleOf(schemas[itemName] ?? {}, { schemas, examples })
  const rest = Object.entries(PAGE).filter(([field]) => field in nodeAt(schema, 'properties'))
  return item === undefined ? undefined : { items: [item], ...Object.fromEntries(rest) }
}

/** Names a repeated response after its schema, or after its description if it is a file. */
function shareRepeated(successes: Success[], shared: Record<string, Node>): void {
  const uses = new Map<string, Success[]>()
  for (const success of successes) {
    const text = JSON.stringify(success.response)
    uses.set(text, [...(uses.get(text) ?? []), success])
  }
  for (const places of uses.values()) {
    const [first] = places
    if (!first || places.length < 2) continue
    const { response, status } = first
    const schema = nameOf(nodeAt(nodeAt(nodeAt(response, 'content'), JSON_TYPE), 'schema'))
    const plain = schema || nameResponse(status, String(response['description']))
    // The same shape also is the response of operations that honor an Idempotency-Key.
    const name = plain in shared ? `${plain}-replayable` : plain
    if (name in shared) throw new Error(`two responses would be called ${name}`)
    shared[name] = response
    for (const place of places)
      place.responses[place.status] = { $ref: `#/components/responses/${name}` }
  }
}
