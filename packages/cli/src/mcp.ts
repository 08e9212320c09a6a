import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { explainRedirect } from './output.ts'
import { say } from './phrases.ts'
import { fetchAny, type Session } from './session.ts'

const TIMEOUT_MS = 60_000
const MAX_TRIES = 3
const RETRY_MS = 500
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

type Message = {
  id?: number | string
  method?: string
  params?: {
    name?: string
    arguments?: Record<string, unknown>
    _meta?: Record<string, unknown>
  }
}

type ListedTool = { name: string; inputSchema?: { properties?: Record<string, unknown> } }

/** The connection of a call was lost, which may have run; `key` repeats it safely, if the tool takes one. */
class OutcomeUnknown extends Error {
  readonly key: string | null
  constructor(key: string | null, cause: unknown) {
    super('the connection was lost before the response', { cause })
    this.name = 'OutcomeUnknown'
    this.key = key
  }
}

/** The server redirects: following would turn the call into another one. */
class Redirected extends Error {
  readonly target: string
  constructor(target: string) {
    super(`redirected to ${target}`)
    this.name = 'Redirected'
    this.target = target
  }
}

/** Another server responded, or a proxy in front of this one. */
class NotRecado extends Error {
  constructor(text: string) {
    super(`neither a response of the protocol nor an error of the API: ${text.slice(0, 200)}`)
    this.name = 'NotRecado'
  }
}

/** Codes of requests that failed before anything was sent. */
const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|.*_CERT.*)$/
const isRefused = (error: unknown) =>
  UNSENT.test(((error as Error).cause as { code?: string } | undefined)?.code ?? '')

const givenKey = (given: Record<string, unknown> = {}): string =>
  typeof given['idempotencyKey'] === 'string' ? given['idempotencyKey'] : randomUUID()

/**
 * `recado mcp`: a server of the Model Context Protocol on stdin and stdout, for clients that start a program. Each line
 * is passed to `POST /mcp` with the key of the profile; the server offers what the key permits.
 */
export async function serveMcp({ url, apiKey }: Session, signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input: process.stdin, signal })
  let version = ''
  const write = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`)

  /** The tools that take an idempotencyKey, as far as the client has listed them. */
  const keyed = new Set<string>()

  const post = (message: Message, body: string) =>
    fetchAny(
      new Request(`${url.replace(/\/+$/, '')}/mcp`, {
        method: 'POST',
        body,
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headersOf(message, version),
        },
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    )

  /** Posts a message, again if the connection was lost: with one key, a call that changes something runs once. */
  async function postSafely(message: Message): Promise<string> {
    const call = message.method === 'tools/call' ? message.params : undefined
    const key = call && keyed.has(call.name ?? '') ? givenKey(call.arguments) : null
    const named = key === null ? call?.arguments : { ...call?.arguments, idempotencyKey: key }
    const sent =
      call && key !== null ? { ...message, params: { ...call, arguments: named } } : message
    const maxTries = call && key === null ? 1 : MAX_TRIES
    for (let tries = 1; ; tries++) {
      try {
        const answer = await post(message, JSON.stringify(sent))
        if (answer.status >= 300 && answer.status < 400)
          throw new Redirected(answer.headers.get('location') ?? '')
        return await answer.text()
      } catch (error) {
        if (error instanceof Redirected) throw error
        if (tries < maxTries) await pause(RETRY_MS * tries)
        else if (call && !isRefused(error)) throw new OutcomeUnknown(key, error)
        else throw error
      }
    }
  }

  async function pass(message: Message): Promise<void> {
    const text = await postSafely(message)
    // A stream of one response; notifications have none.
    const data = /^data: (.+)$/m.exec(text)?.[1] ?? text
    if (message.id === undefined) return
    const parsed =
      data === ''
        ? {}
        : (JSON.parse(data) as {
            result?: { protocolVersion?: string; tools?: ListedTool[] }
          } | null)
    if (typeof parsed !== 'object' || parsed === null) throw new NotRecado(data)
    if (data !== '' && !('jsonrpc' in parsed)) {
      const { error } = parsed as { error?: { message?: unknown } }
      if (typeof error?.message !== 'string') throw new NotRecado(data)
      write({ jsonrpc: '2.0', id: message.id, error: { code: -32_000, message: error.message } })
      return
    }
    version = parsed.result?.protocolVersion ?? version
    for (const { name, inputSchema } of parsed.result?.tools ?? [])
      if (inputSchema?.properties?.['idempotencyKey']) keyed.add(name)
    write(parsed)
  }

  for await (const line of lines) {
    if (line.trim() === '') continue
    const message = parse(line)
    if (typeof message === 'number') {
      write({ jsonrpc: '2.0', id: null, error: { code: message, message: say.notMessage } })
      continue
    }
    try {
      await pass(message)
    } catch (error) {
      const { id = null } = message
      const unreadable = error instanceof SyntaxError || error instanceof NotRecado
      const lost = error instanceof OutcomeUnknown ? say.outcomeUnknown(url, error.key) : null
      const moved = error instanceof Redirected ? explainRedirect(url, error.target) : null
      const why = moved ?? (unreadable ? say.notRecado(url) : (lost ?? say.unreachable(url)))
      write({ jsonrpc: '2.0', id, error: { code: -32_000, message: why } })
    }
  }
}

/** The headers that mirror the message, which the HTTP transport requires. */
function headersOf({ method, params }: Message, version: string): Record<string, string> {
  const own = params?._meta?.['io.modelcontextprotocol/protocolVersion']
  const spoken = typeof own === 'string' ? own : version
  return {
    ...(spoken ? { 'mcp-protocol-version': spoken } : {}),
    ...(typeof own === 'string' && method ? { 'mcp-method': method } : {}),
    ...(typeof own === 'string' && params?.name ? { 'mcp-name': params.name } : {}),
  }
}

/** Returns the message of a line, or the JSON-RPC code of its error: no JSON, or no object, such as a batch. */
function parse(line: string): Message | number {
  try {
    const parsed: unknown = JSON.parse(line)
    const isMessage = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    return isMessage ? parsed : INVALID_REQUEST
  } catch {
    return PARSE_ERROR
  }
}
