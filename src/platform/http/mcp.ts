import type { FastifyReply, FastifyRequest } from 'fastify'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { Clock } from '../../kernel/clock.ts'
import { fail, Failure } from '../../kernel/phrases/fail.ts'
import { phrasesIn } from '../../kernel/phrases/phrases.ts'
import type { Authenticator } from '../auth/authenticator.port.ts'
import type { Db } from '../db/sql.ts'
import type { Config } from '../../kernel/config/config.ts'
import { languageOf } from './languages.ts'
import { createToolRunner, type Caller, type Recipient } from './mcp-call.ts'
import { createOriginCheck } from './mcp-origin.ts'
import { ACCEPTED, readRpcResponse } from './mcp-response.ts'
import { buildTools, describe, failed, type Tool } from './mcp-tools.ts'
import { isNode } from './openapi-components.ts'
import { readDocument } from './openapi.ts'
import { bearerToken } from './principal.ts'
import { setRateHeaders } from './rate-headers.ts'
import type { Server } from './server.ts'

const MAX_BODY_BYTES = 256 * 1024
/** The newest version of the protocol, which the library does not list among those that it negotiates. */
const LATEST_VERSION = '2026-07-28'

const isAllowed = ({ permission, ofProject }: Tool, { permissions, isRestricted }: Caller) =>
  (permission === null || permissions === null || permissions.includes(permission)) &&
  !(ofProject && isRestricted)

/** Whether these are the parameters of a tool's call: its name, and its arguments as an object or none. */
const isToolCall = (params: unknown) =>
  isNode(params) &&
  typeof params['name'] === 'string' &&
  (params['arguments'] === undefined || isNode(params['arguments']))

/** The protocol library's handler, and the versions that it speaks. */
type Protocol = { serve: McpHttpHandler['fetch']; supportedVersions: readonly string[] }

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
  const run = createToolRunner({ server, clock, parseRecipient })
  let handler: Promise<Protocol> | null = null
  /** The calls in progress by their HTTP request, which the protocol library passes on. */
  const callers = new WeakMap<globalThis.Request, Caller>()

  /** Loaded on the first call: until then, the server holds no protocol library in memory. */
  async function openHandler(): Promise<Protocol> {
    const [protocol, document] = await Promise.all([
      import('@modelcontextprotocol/server'),
      readDocument(),
    ])
    const tools = buildTools(document)
    const { fetch: serve } = protocol.createMcpHandler(
      ({ requestInfo }) => {
        const caller = requestInfo ? callers.get(requestInfo) : undefined
        if (!caller) throw new Error('an MCP request has no caller')
        const instance = new protocol.Server(
          { name: 'recado', version },
          { capabilities: { tools: {} }, instructions: caller.say.mcp.instructions },
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
            return failed(error.sentence(caller.say))
          }
          throw new protocol.ProtocolError(
            protocol.ProtocolErrorCode.InvalidParams,
            caller.say.mcp.unknownTool(params.name.slice(0, 100)),
          )
        })
        return instance
      },
      { maxSubscriptions: 0 },
    )
    return { serve, supportedVersions: [LATEST_VERSION, ...protocol.SUPPORTED_PROTOCOL_VERSIONS] }
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
    const language = languageOf(incoming)
    const caller: Caller = {
      apiKey: bearerToken(incoming) ?? '',
      language,
      say: phrasesIn(language),
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
    headers.set('accept', ACCEPTED)
    const body = JSON.stringify(rpc)
    const outer = new Request(new URL('/mcp', config.publicUrl), { method: 'POST', headers, body })
    callers.set(outer, caller)
    handler ??= openHandler().catch((error: unknown) => {
      handler = null
      throw error
    })
    const { serve, supportedVersions } = await handler
    const response = await serve(outer, { parsedBody: rpc })
    // The protocol rejects some calls before they reach a tool.
    if (!caller.isCounted) await caller.count()
    const version = headers.get('mcp-protocol-version') ?? undefined
    const call = { method, version, supportedVersions }
    const { type, body: answered } = await readRpcResponse(response, call, caller.say)
    if (type !== null) void reply.type(type)
    return reply.code(response.status).send(answered)
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
