import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { isUnsent } from './call.ts'
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

type Answer = {
  jsonrpc?: string
  result?: { protocolVersion?: string; tools?: ListedTool[] }
  error?: { message?: unknown }
}
type ListedTool = { name: string; inputSchema?: { properties?: Record<string, unknown> } }

/** The response to a call was lost, which may have run; `key` repeats it safely, if the tool takes one. */
class OutcomeUnknown extends Error {
  readonly key: string | null
  constructor(key: string | null, cause: unknown) {
    super('the response to a call was lost', { cause })
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

/** The server failed or has no room for the request. */
class ServerFailed extends Error {
  override readonly name = 'ServerFailed'
}

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

  /** Posts a message once. Returns what the server answered, or null to a notification. Throws for anything else. */
  async function post(message: Message): Promise<Answer | null> {
    const response = await fetchAny(
      new Request(`${url.replace(/\/+$/, '')}/mcp`, {
        method: 'POST',
        body: JSON.stringify(message),
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
    if (response.status >= 300 && response.status < 400)
      throw new Redirected(response.headers.get('location') ?? '')
    const text = await response.text()
    // A stream of one response; notifications have none.
    const data = /^data: (.+)$/m.exec(text)?.[1] ?? text
    if (data === '' && response.ok) return null
    const answer = parseAnswer(data)
    if (answer.jsonrpc !== undefined) return answer
    const { error } = answer
    if (typeof error?.message !== 'string') throw new NotRecado(data)
    if (response.status >= 500) throw new ServerFailed(error.message)
    return { error: { message: error.message } }
  }

  /** Posts a message, again if its response was lost: with one key, a call that changes something runs once. */
  async function postSafely(message: Message): Promise<Answer | null> {
    const call = message.method === 'tools/call' ? message.params : undefined
    const key = call && keyed.has(call.name ?? '') ? givenKey(call.arguments) : null
    const named = { ...call?.arguments, idempotencyKey: key }
    const sent = key === null ? message : { ...message, params: { ...call, arguments: named } }
    const maxTries = call && key === null ? 1 : MAX_TRIES
    for (let tries = 1; ; tries++) {
      try {
        return await post(sent)
      } catch (error) {
        if (error instanceof Redirected) throw error
        // Without a key, the tool only reads, or says itself how to go on.
        if (error instanceof ServerFailed && key === null && tries === maxTries) throw error
        if (tries < maxTries && !signal.aborted) await pause(RETRY_MS * tries)
        else if (call && !isUnsent(error)) throw new OutcomeUnknown(key, error)
        else throw error
      }
    }
  }

  async function pass(message: Message): Promise<void> {
    const answer = await postSafely(message)
    if (message.id === undefined || answer === null) return
    if (answer.jsonrpc === undefined) {
      const { error } = answer
      write({ jsonrpc: '2.0', id: message.id, error: { code: -32_000, message: error?.message } })
      return
    }
    version = answer.result?.protocolVersion ?? version
    for (const { name, inputSchema } of answer.result?.tools ?? [])
      if (inputSchema?.properties?.['idempotencyKey']) keyed.add(name)
    write(answer)
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
      const why = explainLoss(error, url)
      write({ jsonrpc: '2.0', id, error: { code: -32_000, message: why } })
    }
  }
}

/** Parses a response. Throws NotRecado for anything but an object. */
function parseAnswer(data: string): Answer {
  try {
    const parsed: unknown = JSON.parse(data)
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // A page, such as that of a proxy.
  }
  throw new NotRecado(data)
}

/** Tells the client, which shows it to a person or an agent, why there is no response. */
function explainLoss(error: unknown, url: string): string {
  if (error instanceof Redirected) return explainRedirect(url, error.target)
  if (error instanceof OutcomeUnknown) return say.outcomeUnknown(url, error.key)
  if (error instanceof ServerFailed) return error.message
  return error instanceof NotRecado ? say.notRecado(url) : say.unreachable(url)
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
