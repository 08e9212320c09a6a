import { createClient } from './generated/client/index.ts'
import {
  ApiError,
  ConnectionError,
  createApiError,
  GatewayError,
  RecadoError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
} from './errors.ts'
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
  /** Finds out why a WebSocket was refused: throws the error of its path, unless it may pass. */
  probe(path: string, signal?: AbortSignal): Promise<void>
}

const LOCAL = { test: 'http://sandbox.localhost:3000', live: 'http://localhost:3000' }
const FIRST_DELAY_MS = 250
/** A message that is no longer pinned is still there. */
const DELETION = /^DELETE(?!.*\/pin$)/
const MAX_DELAY_MS = 8000
/** Causes of a connection that never opened. */
const UNSENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/
const PROBE_TIMEOUT_MS = 5000
const MAX_RETRY_AFTER_MS = 60_000

/** Creates the transport of an API key. The prefix of the key selects the host if `baseUrl` is not set. */
export function createTransport(options: TransportOptions): Transport {
  const { apiKey, timeoutMs: defaultTimeoutMs = 30_000, maxRetries = 4 } = options
  if (!/^svc_(test|live)_/.test(apiKey)) throw new RecadoError(say.noKey)
  const local = apiKey.startsWith('svc_test_') ? LOCAL.test : LOCAL.live
  const { process } = globalThis as { process?: { env?: { RECADO_URL?: string } } }
  const baseUrl = (options.baseUrl ?? process?.env?.RECADO_URL ?? local).replace(/\/+$/, '')
  if (!/^https?:\/\//.test(baseUrl)) throw new RecadoError(say.noUrl(baseUrl))
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
        headers: { ...input.headers, 'Idempotency-Key': key },
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
      if (error instanceof RecadoError) throw error
      signal?.throwIfAborted()
      if (timeout.aborted) throw new TimeoutError(say.timeout(baseUrl, timeoutMs), { cause: error })
      const { message } = ((error as Error).cause ?? error) as Error
      throw new ConnectionError(say.connection(baseUrl, message), { cause: error })
    }
  }

  return {
    baseUrl,
    apiKey,
    async probe(path, signal) {
      const timeout = AbortSignal.timeout(PROBE_TIMEOUT_MS)
      const either = signal ? AbortSignal.any([signal, timeout]) : timeout
      const init = { headers: { authorization }, redirect: 'manual' as const, signal: either }
      const response = await send(new Request(baseUrl + path, init)).catch(() => null)
      if (!response || response.status >= 500) return
      await check(baseUrl, response).catch((error: unknown) => {
        const isFinal = error instanceof ApiError && error.status < 405
        if (isFinal || error instanceof UnexpectedResponseError) throw error
      })
    },
    async call(operation, input, callOptions = {}, repeatable = true) {
      const key = callOptions.idempotencyKey ?? crypto.randomUUID()
      let mayHaveRun = false
      for (let failures = 0; ; failures++) {
        try {
          return await attempt(operation, input, key, callOptions, mayHaveRun)
        } catch (error) {
          const delayMs = failures < maxRetries ? retryDelay(error, failures, repeatable) : null
          const isLost = error instanceof ServerError || error instanceof ConnectionError
          mayHaveRun ||= isLost && !UNSENT.test(String(error))
          if (delayMs === null && mayHaveRun && 'body' in input)
            Object.assign(error as object, say.uncertain(error as Error, repeatable ? key : null))
          if (delayMs === null) throw error
          await wait(delayMs, callOptions.signal)
        }
      }
    },
  }
}

/** Whether Recado made a response: all of its have a request id and, if they have a body, a type other than a page's. */
function isRecado({ status, headers }: Response): boolean {
  const type = headers.get('content-type') ?? ''
  return headers.has('x-request-id') && (status === 204 || !/^(text\/html|$)/.test(type))
}

/** Returns a success; throws the error of any other response. */
async function check(baseUrl: string, response: Response): Promise<Response> {
  if (response.ok && isRecado(response)) return response
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    const location = response.headers.get('location')
    const to = location === null ? 'outro endereço' : new URL(location, baseUrl).origin
    throw Object.assign(new UnexpectedResponseError(say.redirected(baseUrl, to)), { location })
  }
  const { status, headers } = response
  // Other servers respond with JSON, too, such as {"error":"Not Found"}.
  const body = (await response.json().catch(() => null)) as Partial<ErrorEnvelope> | null
  if (typeof body?.error?.message === 'string') throw createApiError(status, body.error, headers)
  if (status === 429 || status >= 500) throw new GatewayError(say.gateway(baseUrl, status))
  throw new UnexpectedResponseError(say.foreign(baseUrl, status))
}

/** Milliseconds until the next attempt; null if it would fail again or could repeat a change. */
function retryDelay(error: unknown, failures: number, repeatable: boolean): number | null {
  const backoffMs = Math.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures)
  if (error instanceof ApiError) {
    const passing = error.status === 429 || (repeatable && error.status >= 500)
    // The daily cap lasts until midnight.
    if (!passing || error.reason === 'DAILY_CAP_REACHED' || error.status === 507) return null
    const askedMs = (error.retryAfter ?? 0) * 1000
    return askedMs > MAX_RETRY_AFTER_MS ? null : Math.max(askedMs, backoffMs)
  }
  return repeatable && error instanceof ConnectionError ? backoffMs : null
}

/** Resolves after `ms`; rejects when `signal` aborts. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
