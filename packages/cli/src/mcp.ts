import { createInterface } from 'node:readline'
import { say } from './phrases.ts'
import { fetchAny, type Session } from './session.ts'

const TIMEOUT_MS = 60_000

type Message = {
  id?: number | string
  method?: string
  params?: { name?: string; _meta?: Record<string, unknown> }
}

/**
 * `recado mcp`: a server of the Model Context Protocol on stdin and stdout, for clients that start a program. Each line
 * is passed to `POST /mcp` with the key of the profile; the server offers what the key permits.
 */
export async function serveMcp({ url, apiKey }: Session, signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input: process.stdin, signal })
  let version = ''
  const write = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`)

  async function pass(line: string): Promise<void> {
    const message = JSON.parse(line) as Message
    const answer = await fetchAny(
      new Request(`${url.replace(/\/+$/, '')}/mcp`, {
        method: 'POST',
        body: line,
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headersOf(message, version),
        },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    )
    const text = await answer.text()
    // A stream of one response; notifications have none.
    const data = /^data: (.+)$/m.exec(text)?.[1] ?? text
    if (message.id === undefined) return
    const parsed =
      data === '' ? {} : (JSON.parse(data) as { result?: { protocolVersion?: string } })
    if ('error' in parsed && !('jsonrpc' in parsed)) {
      const { error } = parsed as { error: { message?: string } }
      write({
        jsonrpc: '2.0',
        id: message.id,
        error: { code: -32_000, message: error.message ?? '' },
      })
      return
    }
    version = parsed.result?.protocolVersion ?? version
    write(parsed)
  }

  for await (const line of lines) {
    if (line.trim() === '') continue
    try {
      await pass(line)
    } catch (error) {
      const { id = null } = safeParse(line)
      const unreadable = error instanceof SyntaxError
      const why = unreadable ? say.notRecado(url) : say.unreachable(url)
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

function safeParse(line: string): Message {
  try {
    return JSON.parse(line) as Message
  } catch {
    return {}
  }
}
