import { createClient } from './generated/client/index.ts'
import * as errors from './errors.ts'
import type { Error as ErrorEnvelope } from './generated/types.gen.ts'
import { calls as say } from './phrases.ts'
/** Settings of a client. `apiKey` is `svc_test_…` or `svc_live_…`. */
export type TransportOptions = {
  apiKey: string
  /** Origin of the host for the key's mode. By default RECADO_URL, or that of a server on this machine. */
  baseUrl?: string
  /** Per attempt; an upload gets at least a second for 50 kB. Default: 30,000. */
  timeoutMs?: number
  /** Attempts after the first. Default: 4. */
  maxRetries?: number
  fetch?: (request: Request) => Promise<Response>
}
/** Options of one call. */
export type CallOptions = {
  signal?: AbortSignal
  timeoutMs?: number
  /** Identifies the operation across processes and restarts. By default a random key per call. */
  idempotencyKey?: string
}
type Input = { path?: object; query?: unknown; body?: unknown; headers?: object; minMs?: number }
type Operation<Response> = (options: never) => Promise<{ data: Response }>
/** Makes calls; see `createTransport`. */
export type Transport = {
  baseUrl: string
  apiKey: string
  call<Response>(
    operation: Operation<Response>,
    input: Input,
    options?: CallOptions,
    /** False for POSTs that do not honor Idempotency-Key. They are repeated only if they were not run. */
    repeatable?: boolean,
  ): Promise<Response>
  /** Requests a path, without interpreting its response. */
  get(path: string, signal: AbortSignal): Promise<Response>
}
const FIRST_DELAY_MS = 250
/** A message that is no longer pinned is still there. */
const DELETION = /^DELETE(?!.*\/pin$)/
const MAX_DELAY_MS = 8000
/** Causes of a connection that never opened. */
const UNSENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/
const MAX_RETRY_AFTER_MS = 60_000
/** After these, a call may have been made. */
const LOST = [errors.ServerError, errors.ConnectionError, errors.AbortError]
/** Creates the transport of an API key. The prefix of the key selects the host if `baseUrl` is not set. */
export function createTransport(options: TransportOptions): Transport {
  const { apiKey, timeoutMs: defaultTimeoutMs = 30_000, maxRetries = 4 } = options
  const [, mode] = /^svc_(test|live)_\w+$/.exec(apiKey) ?? []
  if (!mode) throw new errors.RecadoError(say.noKey)
  const local = `http://${mode === 'test' ? 'sandbox.' : ''}localhost:3000`
  const { process } = globalThis as { process?: { env?: { RECADO_URL?: string } } }
  const baseUrl = (options.baseUrl ?? process?.env?.RECADO_URL ?? local).replace(/\/+$/, '')
  if (!/^https?:\/\//.test(baseUrl)) throw new errors.RecadoError(say.noUrl(baseUrl))
  const send = options.fetch ?? ((request: Request) => fetch(request, { window: null }))
  const authorization = `Bearer ${apiKey}`
  const client = createClient({ baseUrl, throwOnError: true, headers: { authorization } })
  async function attempt<Response>(
    operation: Operation<Response>,
    input: Input,
    key: string,
    { signal, timeoutMs = Math.max(defaultTimeoutMs, input.minMs ?? 0) }: CallOptions,
    mayHaveRun: boolean,
  ): Promise<Response> {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const merged = {
        ...input,
        client,
        headers: { ...input.headers, 'Idempotency-Key': key.replace(/[^ -~]+/g, encodeURI) },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        // A redirect would turn a POST into a GET, which can succeed.
        redirect: 'manual' as const,
        fetch: async (request: Request) => {
          const response = await send(request)
          // What a lost attempt deleted is not there any more.
          const isGone = mayHaveRun && response.status === 404 && isRecado(response)
          const isDone = isGone && DELETION.test(request.method + request.url)
          return isDone ? new globalThis.Response(null, { status: 204 }) : check(baseUrl, response)
        },
      }
      return (await operation(merged as never)).data
    } catch (error) {
      if (error instanceof errors.RecadoError) throw error
      if (signal?.aborted) throw new errors.AbortError(say.aborted, { cause: signal.reason })
      if (timeout.aborted)
        throw new errors.TimeoutError(say.timeout(baseUrl, timeoutMs), { cause: error })
      const { message } = ((error as Error).cause ?? error) as Error
      throw new errors.ConnectionError(say.connection(baseUrl, message), { cause: error })
    }
  }
  return {
    baseUrl,
    apiKey,
    get: (path, signal) =>
      send(new Request(baseUrl + path, { headers: { authorization }, redirect: 'manual', signal })),
    async call(operation, input, callOptions = {}, repeatable = true) {
      const key = callOptions.idempotencyKey ?? crypto.randomUUID()
      let [mayHaveRun, sent] = [false, false]
      for (let [failures, delayMs] = [0, 0 as number | null]; ; failures++, sent = false) {
        try {
          if (failures > 0 || callOptions.signal?.aborted)
            await wait(delayMs ?? 0, callOptions.signal)
          sent = true
          return await attempt(operation, input, key, callOptions, mayHaveRun)
        } catch (error) {
          delayMs = failures < maxRetries ? retryDelay(error, failures, repeatable) : null
          const isLost = sent && LOST.some((Lost) => error instanceof Lost)
          mayHaveRun ||= isLost && !UNSENT.test(String(error))
          if (delayMs === null && mayHaveRun && 'body' in input)
            Object.assign(error as object, say.uncertain(error as Error, repeatable ? key : null))
          if (delayMs === null) throw error
        }
      }
    },
  }
}
/** Whether Recado made a response: all of its have a request id of its form and, if they have a body, a type. */
function isRecado({ status, headers }: Response): boolean {
  const isOwn = headers.get('x-request-id')?.startsWith('req_') === true
  return isOwn && (status === 204 || !/^(text\/html|$)/i.test(headers.get('content-type') ?? ''))
}
/** Returns a success; throws the error of any other response. */
export async function check(baseUrl: string, response: Response): Promise<Response> {
  if (response.ok && isRecado(response)) return response
  // Browsers hide a redirect: its status is 0.
  if (!response.ok && response.status < 400) {
    const location = response.headers.get('location')
    const isUrl = location !== null && URL.canParse(location, baseUrl)
    const to = isUrl ? new URL(location, baseUrl).origin : 'outro endereço'
    throw Object.assign(new errors.UnexpectedResponseError(say.redirected(baseUrl, to)), {
      location,
    })
  }
  const { status, headers } = response
  // Other servers respond with JSON, too, such as {"error":"Not Found"}.
  const body = (await response.json().catch(() => null)) as Partial<ErrorEnvelope> | null
  if (typeof body?.error?.message === 'string')
    throw errors.createApiError(status, body.error, headers)
  const retryAfter = Number(headers.get('retry-after')) || null
  if (status === 429 || status >= 500)
    throw Object.assign(new errors.GatewayError(say.gateway(baseUrl, status)), { retryAfter })
  throw new errors.UnexpectedResponseError(say.foreign(baseUrl, status))
}
/** Milliseconds until the next attempt; null if it would fail again or could repeat a change. */
function retryDelay(error: unknown, failures: number, repeatable: boolean): number | null {
  const backoffMs = Math.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures)
  if (error instanceof errors.ApiError) {
    const passing = error.status === 429 || (repeatable && error.status >= 500)
    // The daily cap lasts until midnight.
    if (!passing || error.reason === 'DAILY_CAP_REACHED' || error.status === 507) return null
  } else if (!(error instanceof errors.ConnectionError)) return null
  else if (!repeatable && !UNSENT.test(String(error))) return null
  const askedMs = (error.retryAfter ?? 0) * 1000
  return askedMs > MAX_RETRY_AFTER_MS ? null : Math.max(askedMs, backoffMs)
}
/** Resolves after `ms`; rejects with AbortError when `signal` aborts. */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  const done = new AbortController()
  const timer = await new Promise<ReturnType<typeof setTimeout>>((resolve) => {
    const pending = setTimeout(() => resolve(pending), signal?.aborted ? 0 : ms)
    signal?.addEventListener('abort', () => resolve(pending), { signal: done.signal })
  })
  clearTimeout(timer)
  done.abort()
  if (signal?.aborted) throw new errors.AbortError(say.aborted, { cause: signal.reason })
}
