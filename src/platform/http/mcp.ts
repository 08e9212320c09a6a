import type { FastifyReply, FastifyRequest } from 'fastify'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { Clock } from '../../kernel/clock.ts'
import type { KeyPermission } from '../../kernel/principal.ts'
import { fail, Failure } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Authenticator } from '../auth/authenticator.port.ts'
import type { Db } from '../db/sql.ts'
import type { Config } from '../../kernel/config/config.ts'
import { completeNational } from '../../kernel/national-number.ts'
import { phoneSpellings } from '../../kernel/phone-number.ts'
import {
  buildTools,
  describe,
  failed,
  findProblem,
  messageOf,
  namesInPath,
  WARNING,
  type Arguments,
  type Result,
  type Tool,
} from './mcp-tools.ts'
import { confirmationTokens } from './mcp-confirmation.ts'
import { createOriginCheck } from './mcp-origin.ts'
import { isNode } from './openapi-components.ts'
import { readDocument } from './openapi.ts'
import { bearerToken } from './principal.ts'
import { RATE_HEADERS, setRateHeaders } from './rate-headers.ts'
import type { Server } from './server.ts'

const MAX_BODY_BYTES = 256 * 1024
/** Digits that are searched among conversations; enough for any spelling of the number. */
const SEARCHED_DIGITS = 8

/** The request that a tool call belongs to. */
type Caller = {
  apiKey: string
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
type Recipient = { phone: string | null; chatId: string }
type Known = { chat: { id: string }; contact: { phone: string | null } | null }

const isAllowed = ({ permission, ofProject }: Tool, { permissions, isRestricted }: Caller) =>
  (permission === null || permissions === null || permissions.includes(permission)) &&
  !(ofProject && isRestricted)

/** Whether these are the parameters of a tool's call: its name, and its arguments as an object or none. */
const isToolCall = (params: unknown) =>
  isNode(params) &&
  typeof params['name'] === 'string' &&
  (params['arguments'] === undefined || isNode(params['arguments']))

/**
 * Adds `POST /mcp`: the Model Context Protocol over stateless Streamable HTTP. Each tool is one request of the API with
 * the caller's own key, so rights, credits, limits, idempotency and logs are those of the API.
 */
export function addMcp(
  server: Server,
  deps: {
    db: Db
    clock: Clock
    authenticator: Authenticator
    version: string
    config: Pick<Config, 'publicUrl' | 'sandboxUrl'>
    /** Returns null for a text that names no recipient. */
    parseRecipient: (to: string) => Recipient | null
  },
): void {
  const { db, clock, authenticator, version, config, parseRecipient } = deps
  const checkOrigin = createOriginCheck(config)
  let handler: Promise<McpHttpHandler> | null = null
  /** The calls in progress by their HTTP request, which the protocol library passes on. */
  const callers = new WeakMap<globalThis.Request, Caller>()

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

  /** Returns the question to ask before a first message to someone, or null if none is needed. */
  async function askFirst(caller: Caller, tool: Tool, args: Arguments): Promise<Result | null> {
    const { to, instanceId, confirm } = args
    if (!tool.confirmsFirstContact || typeof to !== 'string') return null
    const recipient = await recipientOf(caller, to)
    // The API says what is wrong with it.
    if (!recipient) return null
    const { phone, chatId } = recipient
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
    const tokens = confirmationTokens(caller.apiKey, tool.name, args, clock.now())
    if (typeof confirm === 'string' && tokens.includes(confirm)) return null
    return failed(say.mcp.confirm(to, tokens[0] ?? ''))
  }

  async function run(caller: Caller, tool: Tool, args: Arguments): Promise<Result> {
    const problem = findProblem(tool, args)
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
    if (status >= 400) return failed(messageOf(body))
    const text = JSON.stringify(body)
    if (tool.ownTexts) return { content: [{ type: 'text', text }], structuredContent: body }
    const { untrusted } = say.mcp
    return {
      content: [{ type: 'text', text: `${untrusted}\n${text}` }],
      structuredContent: { [WARNING]: untrusted, ...body },
    }
  }

  /** Loaded on the first call: until then, the server holds no protocol library in memory. */
  async function openHandler(): Promise<McpHttpHandler> {
    const [protocol, document] = await Promise.all([
      import('@modelcontextprotocol/server'),
      readDocument(),
    ])
    const tools = buildTools(document)
    return protocol.createMcpHandler(
      ({ requestInfo }) => {
        const caller = requestInfo ? callers.get(requestInfo) : undefined
        if (!caller) throw new Error('an MCP request has no caller')
        const instance = new protocol.Server(
          { name: 'recado', version },
          { capabilities: { tools: {} }, instructions: say.mcp.instructions },
        )
        instance.setRequestHandler('tools/list', () => ({
          tools: [...tools.values()].filter((tool) => isAllowed(tool, caller)).map(describe),
        }))
        instance.setRequestHandler('tools/call', async ({ params }) => {
          const tool = tools.get(params.name)
          try {
            if (tool && isAllowed(tool, caller))
              return await run(caller, tool, params.arguments ?? {})
            await caller.count()
          } catch (error) {
            if (!(error instanceof Failure)) throw error
            const { rate } = error.details
            if (rate) setRateHeaders(caller.reply, rate)
            return failed(error.message)
          }
          throw new protocol.ProtocolError(
            protocol.ProtocolErrorCode.InvalidParams,
            say.mcp.unknownTool(params.name.slice(0, 100)),
          )
        })
        return instance
      },
      { maxSubscriptions: 0 },
    )
  }

  async function answer(incoming: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { principal, ip: address } = incoming
    if (principal?.kind !== 'key') throw new Error('no guard authenticated a key for /mcp')
    const { restrictions } = principal
    const host = incoming.headers.host ?? ''
    const rpc = incoming.body
    // The protocol has no batches any more: one would count as one request.
    if (!isNode(rpc)) throw fail('bad_request', (say) => say.mcp.oneCall)
    const { method } = rpc
    const caller: Caller = {
      apiKey: bearerToken(incoming) ?? '',
      host,
      address,
      permissions: restrictions?.permissions ?? null,
      isRestricted: (restrictions?.instanceIds ?? null) !== null,
      isCounted: false,
      reply,
      async count() {
        caller.isCounted = true
        const use = { permission: null, concerns: 'own', address } as const
        const rate = await authenticator.authorizeKey(principal, use)
        if (rate) setRateHeaders(reply, rate)
      },
    }
    const isCall = method === 'tools/call'
    const isValid = !isCall || isToolCall(rpc['params'])
    // A tool call is authorized and counted as the request that it makes.
    if (!isCall || !isValid) await caller.count()
    if (!isValid) throw fail('bad_request', (say) => say.mcp.toolCall)
    const headers = new Headers()
    for (const [name, value] of Object.entries(incoming.headers))
      if (typeof value === 'string' && name !== 'content-length') headers.set(name, value)
    const body = JSON.stringify(rpc)
    const outer = new Request(new URL('/mcp', config.publicUrl), { method: 'POST', headers, body })
    callers.set(outer, caller)
    handler ??= openHandler().catch((error: unknown) => {
      handler = null
      throw error
    })
    const { fetch: serve } = await handler
    const response = await serve(outer, { parsedBody: rpc })
    // The protocol rejects some calls before they reach a tool.
    if (!caller.isCounted) await caller.count()
    const type = response.headers.get('content-type')
    if (type !== null) void reply.type(type)
    return reply.code(response.status).send(await response.text())
  }

  server.post(
    '/mcp',
    {
      config: { nested: true },
      bodyLimit: MAX_BODY_BYTES,
      schema: { hide: true },
      async onRequest(incoming, reply) {
        await checkOrigin(incoming)
        void reply.header('www-authenticate', 'Bearer')
        const key = await authenticator.authenticateKey(bearerToken(incoming), incoming.mode)
        await authenticator.recheckKey(db, key.keyId)
        incoming.principal = key
        void reply.removeHeader('www-authenticate')
      },
    },
    answer,
  )
}
