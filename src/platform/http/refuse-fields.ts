import { fail } from '../../kernel/phrases/fail.ts'

/**
 * Refuses the JSON body of a request to a route that takes none: a caller who sends fields expects them to have an
 * effect. Throws 400, naming the first.
 */
export function refuseFields(body: unknown): void {
  if (body === undefined || body === null || Buffer.isBuffer(body)) return
  // PHP writes an empty array for an object without fields.
  if (Array.isArray(body) && body.length === 0) return
  if (typeof body !== 'object' || Array.isArray(body))
    throw fail('bad_request', (say) => say.http.malformed('body'), { field: 'body' })
  const field = Object.keys(body)[0]?.slice(0, 100)
  if (field !== undefined)
    throw fail('bad_request', (say) => say.http.unknownField(field), { field })
}
