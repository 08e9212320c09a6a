import { fail } from '../../kernel/phrases/fail.ts'

/** Header names that a delivery sets itself, or that control the connection. */
const RESERVED =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|accept-encoding|user-agent|x-service-.*|webhook-.*)$/
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/
/** Visible ASCII, with spaces only inside: anything else could split the request. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,1998}[\x21-\x7e])?$/

/**
 * Returns the headers of a webhook with names in lower case. Throws 400 for a name that is invalid, reserved or given
 * twice, and for a value that is not visible ASCII.
 */
export function readHeaders(given: Record<string, string>): Record<string, string> {
  const headers = new Map<string, string>()
  for (const [written, value] of Object.entries(given)) {
    const name = written.toLowerCase()
    if (!HEADER_NAME.test(name) || headers.has(name))
      throw fail('bad_request', (say) => say.webhooks.headerName(written.slice(0, 100)), {
        field: 'headers',
      })
    if (RESERVED.test(name))
      throw fail('bad_request', (say) => say.webhooks.headerReserved(written), { field: 'headers' })
    if (!HEADER_VALUE.test(value))
      throw fail('bad_request', (say) => say.webhooks.headerValue(written), { field: 'headers' })
    headers.set(name, value)
  }
  return Object.fromEntries(headers)
}
