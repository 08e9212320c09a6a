import { ConnectionError, UnexpectedResponseError } from '../../sdk/src/index.ts'
import { fetchAny, type Session } from './session.ts'

const TIMEOUT_MS = 30_000
/** Codes of requests that failed before anything was sent. */
const UNSENT =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ERR_(TLS|SSL)_.*|.*CERT_.*|UNABLE_TO_VERIFY_.*)$/

/** Whether a request failed before it was sent, so that nothing can have been done. */
export function isUnsent(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (UNSENT.test((cause as { code?: string }).code ?? '')) return true
  return false
}

/** A fault that Recado did not report itself, such as the page of a proxy: the call may have been made. */
export class FaultyResponse extends UnexpectedResponseError {}

/** Calls a path of the API; resolves with the status, the parsed body and the headers. Throws for anything but the API. */
export async function call(
  { url, apiKey }: Pick<Session, 'url' | 'apiKey'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown; headers: Headers }> {
  const request = new Request(`${url.replace(/\/+$/, '')}${path}`, {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // Following would lose the key, and turn a POST into a GET.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const lost = (error: unknown) => {
    throw new ConnectionError(url, { cause: error })
  }
  const response = await fetchAny(request).catch(lost)
  if (response.status >= 300 && response.status < 400)
    throw Object.assign(new UnexpectedResponseError(url), {
      location: response.headers.get('location') ?? '',
    })
  const text = await response.text().catch(lost)
  // Everything that Recado sends has a request id.
  if (!response.headers.has('x-request-id'))
    throw response.status < 500 ? new UnexpectedResponseError(url) : new FaultyResponse(url)
  try {
    const parsed: unknown = text === '' ? null : JSON.parse(text)
    return { status: response.status, body: parsed, headers: response.headers }
  } catch {
    throw new UnexpectedResponseError(url)
  }
}
