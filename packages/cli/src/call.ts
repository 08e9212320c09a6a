import { ConnectionError, UnexpectedResponseError } from '../../sdk/src/index.ts'
import { fetchAny, type Session } from './session.ts'

const TIMEOUT_MS = 30_000

/** Calls a path of the API; resolves with the status and the parsed body. Throws for anything but the API. */
export async function call(
  { url, apiKey }: Pick<Session, 'url' | 'apiKey'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown; date: string | null }> {
  const request = new Request(`${url.replace(/\/+$/, '')}${path}`, {
    method,
    headers: {
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
  if (!response.headers.has('x-request-id')) throw new UnexpectedResponseError(url)
  try {
    const parsed: unknown = text === '' ? null : JSON.parse(text)
    return { status: response.status, body: parsed, date: response.headers.get('date') }
  } catch {
    throw new UnexpectedResponseError(url)
  }
}
