// Generates values for requests: mostly valid for their schema, sometimes values known to break servers.

/** The parts of a JSON schema that the generator uses. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  oneOf?: Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  additionalProperties?: boolean | Schema
  example?: unknown
  examples?: unknown[]
}

const HOSTILE_SHARE = 0.15
const MAX_DEPTH = 8

const nest = (depth: number): unknown => (depth === 0 ? null : [nest(depth - 1)])

const HOSTILE: unknown[] = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  'a\u0300'.repeat(500),
  '\u202e',
  '😀'.repeat(3000),
  'ﷺ',
  'x'.repeat(70_000),
  `${'a'.repeat(5000)}!`,
  '{{'.repeat(2000),
  '='.repeat(3000),
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '1e309',
  '0x10',
  '../../etc/passwd',
  '%00',
  '%2e%2e',
  "' or 1=1 --",
  '${7*7}',
  '<script>',
  '\r\nx: y',
  'http://127.0.0.1:1/',
  'http://[::1',
  'file:///etc/passwd',
  'http://a@b:99999/',
  'data:;base64,A',
  '9999-99-99',
  '0000-00-00T00:00:00Z',
  '+010000-01-01',
  '1970-01-01T00:00:00.000Z',
  '+5511988887777',
  '5511988887777@s.whatsapp.net',
  '1-2@g.us',
  '@',
  '0',
  '00000000000000000',
  0,
  -0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  Number.MIN_VALUE,
  true,
  false,
  null,
  [],
  {},
  [[]],
  [null],
  nest(60),
  { length: 1 },
  { toString: null },
  JSON.parse('{"__proto__":{"a":1},"constructor":1}'),
]

const HOSTILE_NAMES = HOSTILE.filter((value) => typeof value === 'string')

/** A random element, or undefined for an empty array. */
export const pick = <Value>(values: readonly Value[]): Value | undefined =>
  values[Math.floor(Math.random() * values.length)]
/** True with a probability of `share` (0 to 1). */
export const chance = (share: number): boolean => Math.random() < share

/** Returns a function that generates a value for a schema of `document`, resolving `$ref`. */
export function createMaker(document: { components?: { schemas?: Record<string, Schema> } }) {
  function resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1)
    return name === undefined ? schema : (document.components?.schemas?.[name] ?? {})
  }

  function text({ minLength = 0, maxLength = 40 }: Schema): string {
    const length = Math.min(minLength + Math.floor(Math.random() * 12), maxLength)
    const words = 'Olá pedido 5511988887777 https://exemplo.test/a teste {{nome}} '
    return words
      .repeat(20)
      .slice(Math.floor(Math.random() * 50))
      .slice(0, length)
  }

  return function make(given: Schema, depth = 0): unknown {
    if (chance(HOSTILE_SHARE)) return pick(HOSTILE)
    const schema = resolve(given)
    const { properties = {}, required = [], items, minimum = -1, maximum = 200 } = schema
    const options = schema.oneOf ?? schema.anyOf
    if (options) return make(pick(options) ?? {}, depth + 1)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return pick(schema.enum)
    if (schema.examples && chance(0.5)) return pick(schema.examples)
    const type = Array.isArray(schema.type) ? pick(schema.type) : schema.type
    switch (type) {
      case 'string':
        return text(schema)
      case 'integer':
      case 'number':
        return (
          minimum + Math.floor(Math.random() * (Math.min(maximum, minimum + 200) - minimum + 1))
        )
      case 'boolean':
        return chance(0.5)
      case 'null':
        return null
      case 'array':
        return depth > MAX_DEPTH
          ? []
          : Array.from({ length: Math.floor(Math.random() * 4) }, () =>
              make(items ?? {}, depth + 1),
            )
      default: {
        const entries = Object.entries(properties).filter(([name]) =>
          required.includes(name) ? chance(0.97) : chance(0.5),
        )
        const made = entries.map(([name, property]) => [name, make(property, depth + 1)])
        if (chance(0.03)) made.push([pick(HOSTILE_NAMES), pick(HOSTILE)])
        return depth > MAX_DEPTH ? {} : Object.fromEntries(made)
      }
    }
  }
}
