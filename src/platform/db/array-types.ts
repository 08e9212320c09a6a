import { parse } from 'postgres-array'

type Codec = { read: (text: string) => unknown; write: (value: unknown) => string }

const text: Codec = { read: String, write: String }
const number: Codec = { read: Number, write: String }
const time: Codec = {
  read: (value) => new Date(value),
  write: (value) => (value instanceof Date ? value : new Date(String(value))).toISOString(),
}
const json: Codec = { read: (value) => JSON.parse(value) as unknown, write: JSON.stringify }
const truth: Codec = { read: (value) => value === 't', write: (value) => (value ? 't' : 'f') }
const bytes: Codec = {
  read: (value) => Buffer.from(value.slice(2), 'hex'),
  write: (value) => `\\x${(value as Buffer).toString('hex')}`,
}

/** The PostgreSQL array types used by statements, with their OIDs, which are the same on every server. */
const ARRAYS: [oid: number, codec: Codec][] = [
  ...([1000] as const).map((oid): [number, Codec] => [oid, truth]),
  ...([1001] as const).map((oid): [number, Codec] => [oid, bytes]),
  // int2, int4, oid, float4, float8, int8
  ...([1005, 1007, 1028, 1021, 1022, 1016] as const).map((oid): [number, Codec] => [oid, number]),
  // "char", name, text, bpchar, varchar, numeric, uuid, inet, cidr
  ...([1002, 1003, 1009, 1014, 1015, 1231, 2951, 1041, 651] as const).map(
    (oid): [number, Codec] => [oid, text],
  ),
  // json, jsonb
  ...([199, 3807] as const).map((oid): [number, Codec] => [oid, json]),
  // timestamp, date, timestamptz
  ...([1115, 1182, 1185] as const).map((oid): [number, Codec] => [oid, time]),
]

/**
 * Parsers and serializers of arrays for the driver. With its own lookup of array types (`fetch_types`) the driver
 * queries them on the first connection and never awaits the result: if that connection is lost, the unhandled rejection
 * ends the process.
 */
export const arrayTypes = Object.fromEntries(
  ARRAYS.map(([oid, { read, write }]) => [
    `array${oid}`,
    {
      to: oid,
      from: [oid],
      parse: (value: string) => parse(value, read),
      serialize: (values: unknown) => writeArray(values, write),
    },
  ]),
)

function writeArray(values: unknown, write: Codec['write']): string {
  if (!Array.isArray(values)) return String(values)
  const items = values.map((value: unknown) =>
    value === null || value === undefined
      ? 'NULL'
      : `"${write(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
  )
  return `{${items.join(',')}}`
}
