import { ConnectionError, UnexpectedResponseError } from '../../sdk/src/index.ts'
import { CommandError, EXIT } from './output.ts'
import { say } from './phrases.ts'
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
  const response = await fetchAny(request).catch((error: unknown) => {
    throw new ConnectionError(url, { cause: error })
  })
  if (response.status >= 300 && response.status < 400)
    throw Object.assign(new UnexpectedResponseError(url), {
      location: response.headers.get('location') ?? '',
    })
  const text = await response.text()
  try {
    const parsed: unknown = text === '' ? null : JSON.parse(text)
    return { status: response.status, body: parsed, date: response.headers.get('date') }
  } catch {
    throw new UnexpectedResponseError(url)
  }
}

/** Returns the body of a successful call. Throws the API's own sentence otherwise. */
export async function callOrThrow(
  session: Pick<Session, 'url' | 'apiKey'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const answer = await call(session, method, path, body)
  if (answer.status < 400) return answer.body
  const { error } = (answer.body ?? {}) as { error?: { message?: unknown } }
  // Other servers respond with JSON, too, such as {"error":"Not Found"}.
  if (typeof error?.message !== 'string') throw new UnexpectedResponseError(session.url)
  if (answer.status === 401) throw new CommandError(say.refusedKey(error.message), EXIT.key)
  throw new CommandError(error.message)
}
