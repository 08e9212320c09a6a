import type { Phrases } from '../../kernel/phrases/spoken.ts'
import { isNode } from './openapi-components.ts'

/** The errors of JSON-RPC and of the protocol for which Recado has sentences of its own. */
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const UNSUPPORTED_VERSION = -32022
const MAX_SHOWN = 100

/** What both generations of clients must accept; the library rejects clients that do not list both. */
export const ACCEPTED = 'application/json, text/event-stream'

/** A call, and what the server can do, as far as sentences need them. */
type Call = {
  method: unknown
  /** The header MCP-Protocol-Version. */
  version: string | undefined
  supportedVersions: readonly string[]
}

/**
 * Reads the library's response to one call, which is one message: the library sends it to older clients as a stream of events, but
 * every client reads JSON. Errors that clients show to people get the sentences of the caller's language.
 */
export async function readRpcResponse(
  response: Response,
  call: Call,
  say: Phrases,
): Promise<{ type: string | null; body: string }> {
  const text = await response.text()
  const type = response.headers.get('content-type')
  if (type === null) return { type, body: text }
  const message: unknown = JSON.parse(type.startsWith('text/event-stream') ? dataOf(text) : text)
  if (isNode(message) && isNode(message['error'])) {
    const { error } = message
    error['message'] = sentenceFor(error, call, say) ?? error['message']
  }
  return { type: 'application/json', body: JSON.stringify(message) }
}

/** The data of a stream's only event. */
function dataOf(stream: string): string {
  const lines = stream.split('\n').filter((line) => /^data: ?./.test(line))
  return lines.map((line) => line.replace(/^data: ?/, '')).join('\n')
}

function sentenceFor(
  { code, data }: Record<string, unknown>,
  { method, version = '', supportedVersions }: Call,
  { mcp }: Phrases,
): string | null {
  if (code === METHOD_NOT_FOUND) return mcp.unknownMethod(String(method).slice(0, MAX_SHOWN))
  if (code === INVALID_REQUEST) return mcp.invalidCall
  const isVersionKnown = version === '' || supportedVersions.includes(version)
  if (code !== UNSUPPORTED_VERSION && isVersionKnown) return null
  const requested = isNode(data) ? String(data['requested']) : version
  return mcp.unknownVersion(requested.slice(0, MAX_SHOWN), supportedVersions.join(', '))
}
