import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { OutboundClient } from '../../platform/egress/outbound-client.ts'
import type { CloudAccount } from './account.ts'

const TIMEOUT_MS = 30_000
const UPLOAD_TIMEOUT_MS = 120_000
/** Larger responses come from a proxy, because none of the expected ones is as large. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
/** Whether a request failed before it was sent: `unsent` is the mark of an egress that found no connection. */
const isUnsentError = (error: unknown): boolean => {
  const { code = '', unsent = false } = error as { code?: string; unsent?: boolean }
  return unsent || ['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT'].includes(code)
}
/** Meta's file hosts reject requests without one. */
const USER_AGENT = 'Recado'

/** Meta responded with an error, so the request was not executed. */
export class GraphError extends Error {
  readonly status: number
  readonly code: number
  readonly subcode: number | null
  constructor(
    what: string,
    status: number,
    error: { code?: number; error_subcode?: number; message?: string },
  ) {
    super(
      `${what}: HTTP ${status}, code ${error.code ?? 'none'}: ${(error.message ?? '').slice(0, 300)}`,
    )
    this.name = 'GraphError'
    this.status = status
    this.code = error.code ?? -1
    this.subcode = error.error_subcode ?? null
  }
}

/** The request never reached Meta. */
export class GraphUnreachable extends Error {
  constructor(what: string, cause: unknown) {
    super(`${what}: Meta cannot be reached`, { cause })
    this.name = 'GraphUnreachable'
  }
}

/** Meta may or may not have executed the request. */
export class GraphUncertain extends Error {
  constructor(what: string, cause: unknown) {
    super(`${what}: Meta did not answer, and may have accepted it`, { cause })
    this.name = 'GraphUncertain'
  }
}

/** Calls of Meta's Graph API with the token of an account. */
export type Graph = ReturnType<typeof createGraph>

/**
 * Creates the client of Meta's Graph API. Each call throws GraphError if Meta rejects it, GraphUnreachable if it was not
 * sent, and GraphUncertain if its outcome is unknown.
 */
export function createGraph({
  dispatcher,
  baseUrl,
}: {
  dispatcher: OutboundClient['dispatcher']
  baseUrl: URL
}) {
  type Body = { json: object } | { stream: Readable; contentType: string; timeoutMs: number }

  async function request(
    { accessToken }: Pick<CloudAccount, 'accessToken'>,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body: Body | null,
  ): Promise<Record<string, unknown>> {
    const what = `${method} ${path.split('?')[0]} of the Graph API`
    const content = body && ('json' in body ? JSON.stringify(body.json) : body.stream)
    const type = body && ('json' in body ? 'application/json' : body.contentType)
    const timeoutMs = body && 'stream' in body ? body.timeoutMs : TIMEOUT_MS
    const answer = await dispatcher
      .request({
        origin: baseUrl.origin,
        path: `${baseUrl.pathname.replace(/\/$/, '')}/${path}`,
        method,
        headers: {
          host: baseUrl.host,
          'user-agent': USER_AGENT,
          authorization: `Bearer ${accessToken}`,
          ...(type ? { 'content-type': type } : {}),
        },
        body: content,
        signal: AbortSignal.timeout(timeoutMs),
        headersTimeout: timeoutMs,
      })
      .catch((error: unknown) => {
        throw isUnsentError(error)
          ? new GraphUnreachable(what, error)
          : new GraphUncertain(what, error)
      })
    const text = await readText(answer.body).catch((error: unknown) => {
      throw new GraphUncertain(what, error)
    })
    const parsed = parse(text)
    if (answer.statusCode < 300 && parsed) return parsed
    const { error } = (parsed ?? {}) as {
      error?: { code?: number; error_subcode?: number; message?: string }
    }
    // Without Meta's error object, a gateway responded, and the request may have passed through it.
    if (!error) throw new GraphUncertain(what, new Error(`HTTP ${answer.statusCode}`))
    throw new GraphError(what, answer.statusCode, error)
  }

  return {
    get: (account: CloudAccount, path: string) => request(account, 'GET', path, null),
    post: (account: CloudAccount, path: string, json: object) =>
      request(account, 'POST', path, { json }),
    remove: (account: CloudAccount, path: string, json: object | null = null) =>
      request(account, 'DELETE', path, json && { json }),

    /** Uploads a file; returns its id at Meta. */
    async upload(
      account: CloudAccount,
      file: { mimeType: string; fileName: string | null; open: () => Promise<Readable> },
    ): Promise<string> {
      const boundary = `recado${randomBytes(16).toString('hex')}`
      // Opened before the request, so that a missing file does not count as Meta's failure.
      const bytes = await file.open()
      const stream = Readable.from(multipart(boundary, file, bytes))
      const contentType = `multipart/form-data; boundary=${boundary}`
      const body = { stream, contentType, timeoutMs: UPLOAD_TIMEOUT_MS }
      try {
        const { id } = await request(account, 'POST', `${account.phoneNumberId}/media`, body)
        return String(id)
      } finally {
        // The form never begins to read it if there is no connection.
        bytes.on('error', () => {}).destroy()
      }
    },

    /** Streams a received file from Meta's host. */
    async download(account: CloudAccount, mediaId: string): Promise<Readable> {
      const { url } = await request(account, 'GET', encodeURIComponent(mediaId), null)
      const address = new URL(String(url))
      const answer = await dispatcher.request({
        origin: address.origin,
        path: address.pathname + address.search,
        method: 'GET',
        headers: {
          host: address.host,
          'user-agent': USER_AGENT,
          authorization: `Bearer ${account.accessToken}`,
        },
        signal: AbortSignal.timeout(UPLOAD_TIMEOUT_MS),
        headersTimeout: TIMEOUT_MS,
      })
      if (answer.statusCode === 200) return answer.body
      answer.body.on('error', () => {}).destroy()
      throw new GraphError(`file ${mediaId}`, answer.statusCode, {})
    },
  }
}

async function readText(body: Readable): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > MAX_RESPONSE_BYTES)
      throw new Error(`a response of more than ${MAX_RESPONSE_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** A form with one file, as a stream: files may have a hundred megabytes. */
async function* multipart(
  boundary: string,
  file: { mimeType: string; fileName: string | null },
  bytes: Readable,
): AsyncGenerator<Buffer | string> {
  const field = (name: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  // Quotes and line breaks would end the header.
  const name = (file.fileName ?? 'arquivo').replaceAll(/["\r\n\\]/g, '_')
  yield field('messaging_product', 'whatsapp')
  yield field('type', file.mimeType)
  yield `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: ${file.mimeType}\r\n\r\n`
  yield* bytes as AsyncIterable<Buffer>
  yield `\r\n--${boundary}--\r\n`
}
