import type { FastifyReply } from 'fastify'
import type { Clock } from '../../kernel/clock.ts'
import { completeNational } from '../../kernel/national-number.ts'
import { phoneSpellings } from '../../kernel/phone-number.ts'
import type { Language } from '../../kernel/phrases/phrases.ts'
import type { Phrases } from '../../kernel/phrases/spoken.ts'
import type { KeyPermission } from '../../kernel/principal.ts'
import { confirmationTokens } from './mcp-confirmation.ts'
import {
  failed,
  findProblem,
  messageOf,
  namesInPath,
  WARNING,
  type Arguments,
  type Result,
  type Tool,
} from './mcp-tools.ts'
import { RATE_HEADERS } from './rate-headers.ts'
import type { Server } from './server.ts'

/** Digits that are searched among conversations; enough for any spelling of the number. */
const SEARCHED_DIGITS = 8

/** The request that a tool call belongs to. */
export type Caller = {
  apiKey: string
  language: Language
  /** The sentences in that language. */
  say: Phrases
  host: string
  address: string
  permissions: KeyPermission[] | null
  /** Whether the key is for some instances only. */
  isRestricted: boolean
  /** Counts a call that makes no API request against the rate limit of the key. Throws 429 beyond it. */
  count: () => Promise<void>
  /** The response, which carries the state of the rate limit. */
  reply: FastifyReply
  /** Whether the call has been counted, by itself or by a request that it made. */
  isCounted: boolean
}
/** The recipient that a `to` names, as far as tools need it. */
export type Recipient = { phone: string | null; chatId: string; chatType?: string }
/** Whether a chat is a status or a channel. */
const isPublic = ({ chatType }: { chatType?: string | undefined }) =>
  chatType === 'status' || chatType === 'channel'

type Known = { chat: { id: string }; contact: { phone: string | null } | null }

/**
 * Returns the function that runs a tool as one request of the API with the caller's own key. `parseRecipient` returns null
 * for a text that names no recipient.
 */
export function createToolRunner(deps: {
  server: Pick<Server, 'inject'>
  clock: Clock
  parseRecipient: (to: string) => Recipient | null
}): (caller: Caller, tool: Tool, args: Arguments) => Promise<Result> {
  const { server, clock, parseRecipient } = deps

  /** Makes the tool's request with the caller's key. */
  async function request(
    caller: Caller,
    { method, path }: Pick<Tool, 'method' | 'path'>,
    options: { query?: Record<string, string>; body?: object; idempotencyKey?: string },
  ) {
    const { query, body, idempotencyKey } = options
    caller.isCounted = true
    const answer = await server.inject({
      method,
      url: path,
      ...(query ? { query } : {}),
      ...(body ? { payload: body } : {}),
      remoteAddress: caller.address,
      headers: {
        host: caller.host,
        authorization: `Bearer ${caller.apiKey}`,
        'accept-language': caller.language,
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
    })
    for (const name of RATE_HEADERS) {
      const state = answer.headers[name]
      if (state !== undefined) void caller.reply.header(name, state)
    }
    const parsed: unknown = answer.payload === '' ? {} : JSON.parse(answer.payload)
    return { status: answer.statusCode, body: parsed as Record<string, unknown> }
  }

  /** Resolves the `to` of a send with the Project's calling code; null if it is invalid. */
  async function recipientOf(caller: Caller, to: string): Promise<Recipient | null> {
    const { body } = await request(caller, { method: 'GET', path: '/v1/me' }, {})
    const country = (body['project'] as { defaultCountry?: string | null } | undefined)
      ?.defaultCountry
    return parseRecipient(completeNational(to.trim(), country ?? null))
  }

  /** Whether a conversation is a status or a channel; true if the key may not read it. */
  async function isPublished(caller: Caller, conversationId: string): Promise<boolean> {
    const path = `/v1/conversations/${encodeURIComponent(conversationId)}`
    const { status, body } = await request(caller, { method: 'GET', path }, {})
    const { type: chatType } = (body['chat'] ?? {}) as { type?: string }
    return status === 403 || isPublic({ chatType })
  }

  /** Returns the question to ask before a call that needs a confirmation; null if it has one. */
  function askToConfirm(
    caller: Caller,
    tool: Tool,
    args: Arguments,
    question: (token: string) => string,
  ): Result | null {
    const tokens = confirmationTokens(caller.apiKey, tool.name, args, clock.now())
    const { confirm } = args
    const isConfirmed = typeof confirm === 'string' && tokens.includes(confirm)
    return isConfirmed ? null : failed(question(tokens[0]))
  }

  /** Returns the question to ask before a post, or a first message to someone; null if none is needed. */
  async function askFirst(caller: Caller, tool: Tool, args: Arguments): Promise<Result | null> {
    const { to, instanceId, conversationId } = args
    if (!tool.confirmsFirstContact) return null
    const askToPublish = () => askToConfirm(caller, tool, args, caller.say.mcp.confirmPost)
    if (typeof conversationId === 'string' && (await isPublished(caller, conversationId)))
      return askToPublish()
    if (typeof to !== 'string') return null
    const recipient = await recipientOf(caller, to)
    // The API says what is wrong with it.
    if (!recipient) return null
    const { phone, chatId } = recipient
    if (isPublic(recipient)) return askToPublish()
    const path = `/v1/instances/${encodeURIComponent(String(instanceId))}/conversations`
    const query = { q: (phone ?? chatId).slice(-SEARCHED_DIGITS), limit: '20' }
    const { status, body } = await request(caller, { method: 'GET', path }, { query })
    if (status === 404) return failed(messageOf(body))
    // Without the read permission, every recipient counts as new.
    const known = status === 200 ? (body['items'] as Known[]) : []
    const spellings = phone === null ? [] : phoneSpellings(phone)
    const isKnown = known.some(
      ({ chat, contact }) => chat.id === chatId || spellings.includes(contact?.phone ?? ''),
    )
    if (isKnown) return null
    return askToConfirm(caller, tool, args, (token) => caller.say.mcp.confirm(to, token))
  }

  async function run(caller: Caller, tool: Tool, args: Arguments): Promise<Result> {
    const problem = findProblem(tool, args, caller.say)
    if (problem !== null) {
      await caller.count()
      return failed(problem)
    }
    const inPath = namesInPath(tool)
    const question = await askFirst(caller, tool, args)
    if (question) return question
    const { idempotencyKey, confirm: _, ...given } = args
    const path = tool.path.replace(/\{(\w+)\}/g, (__, name: string) =>
      encodeURIComponent(String(given[name])),
    )
    const pick = (wanted: (name: string) => boolean) =>
      Object.fromEntries(Object.entries(given).filter(([name]) => wanted(name)))
    const query = pick((name) => tool.query.has(name))
    const { status, body } = await request(
      caller,
      { method: tool.method, path },
      {
        query: Object.fromEntries(
          Object.entries(query).map(([name, value]) => [name, String(value)]),
        ),
        ...(tool.method === 'GET'
          ? {}
          : { body: pick((name) => !inPath.has(name) && !tool.query.has(name)) }),
        ...(tool.idempotent && typeof idempotencyKey === 'string' ? { idempotencyKey } : {}),
      },
    )
    if (status >= 500 && tool.method !== 'GET') {
      const key = tool.idempotent && typeof idempotencyKey === 'string' ? idempotencyKey : null
      return failed(`${messageOf(body)}. ${caller.say.mcp.uncertain(key)}`)
    }
    if (status >= 400) return failed(messageOf(body))
    const text = JSON.stringify(body)
    if (tool.ownTexts) return { content: [{ type: 'text', text }], structuredContent: body }
    const { untrusted } = caller.say.mcp
    return {
      content: [{ type: 'text', text: `${untrusted}\n${text}` }],
      structuredContent: { [WARNING]: untrusted, ...body },
    }
  }

  return run
}
