import type { ChangeKind } from '../../kernel/change-kind.ts'
import { join } from 'node:path'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Logger } from 'pino'
import type { Config } from '../../kernel/config/config.ts'
import type { Db } from '../db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { SemaphoreTimeout } from '../../kernel/fair-semaphore.ts'
import { fail, type Failure } from '../../kernel/phrases/fail.ts'
import { renderFailure, toFailure } from './error-envelope.ts'
import { languageOf, translateResponses } from './languages.ts'
import { ANONYMOUS_LIMIT, limitBodies, tooLarge } from './body-limits.ts'
import type { Database } from '../db/database.ts'
import { sharesOf } from '../db/shares.ts'
import { limitRequests } from './fair-requests.ts'
import { watchHandlers } from './handled.ts'
import { hostnameOf } from './host.ts'
import { parseJsonBody } from './json-body.ts'
import { requireKnownInput } from './known-input.ts'
import { endSlowBodies, LONGEST_REQUEST_MS } from './slow-bodies.ts'
import { refuseTinyChunks } from './tiny-chunks.ts'
import { LONG_LISTS } from './json-structure.ts'
import { limitUnreadResponses } from './unread-responses.ts'
import { respondToMalformed, requireSingleHeaders } from './malformed-requests.ts'
import { watchMethods } from './methods.ts'
import { authorizeAgain, cookieNames } from './principal.ts'
import { setRateHeaders } from './rate-headers.ts'
import type { Authenticator } from '../auth/authenticator.port.ts'
import { createRefusalDelay } from './rejection-delay.ts'
import { addSecurityHeaders } from './security-headers.ts'
import { watchConnections } from './watch-connections.ts'
import { compileSchema } from './compile-schema.ts'
import { describeSchemaError, SchemaError, type FieldSentences } from '../../kernel/validation.ts'

/** Longer than any request line Node accepts. */
const MAX_PARAM_LENGTH = 20_000
/** Errors of callers without a credential, by network and minute, that are sent without delay. */
const UNDELAYED_ANONYMOUS_ERRORS = 600
/** The only path that is upgraded: elsewhere the request is answered as if it had not asked for it. */
const WEBSOCKET_PATH = /^\/v1\/events(\?|$)/

declare module 'fastify' {
  interface FastifyInstance {
    /** Responds to an unknown address with the panel's page; null if there is no panel. */
    sendPage: ((request: FastifyRequest, reply: FastifyReply) => unknown) | null
  }
  interface FastifyContextConfig {
    /** The route's own error sentences by field. */
    sentences?: FieldSentences
    /** The JSON body may have hundreds of thousands of values, such as the recipients of a campaign. */
    longLists?: true
    /** Excludes a route from the request log, which probes would fill. */
    unlogged?: boolean
    /** The route honors `Idempotency-Key`: its handler runs inside `idempotent`. */
    idempotent?: true
    /** The handler waits for a network. */
    asksNetwork?: true
    /** The handler may wait for something else than the database before its transaction. */
    waits?: true
    /** It sends messages, which are stored together with those of other Projects, or in turns of their own. */
    batched?: true
    /** The data a successful call changes; panels that display it are notified. */
    changes?: ChangeKind
    /**
     * `own`: names no instance, but a key restricted to some instances sees only theirs; `self`: about the key itself,
     * which needs no permission.
     */
    keyUse?: 'own' | 'self'
    /** The response may take long: it is a stream or a file, or waits for a network. */
    longLived?: boolean
    /** The handler makes requests of its own, which take their own slots. */
    nested?: true
  }
}

/** The Fastify server with this application's decorators. */
export type Server = ReturnType<typeof createBareServer>
/** The dependencies of the HTTP server. */
export type ServerOptions = {
  config: Config
  clock: Clock
  logger: Logger
  authenticator: Authenticator
  db: Pick<Database, 'poolSize'> & Db
}

/** Creates the HTTP server with everything that applies to all routes; `addRoutes` adds the routes of the modules. */
export async function createServer(
  options: ServerOptions,
  addRoutes: (server: Server) => Promise<void>,
): Promise<Server> {
  const server = createBareServer(options)
  const endConnections = watchConnections(server.server, options.clock)
  server.addHook('preClose', async () => endConnections())
  const answerOtherMethods = watchMethods(server)
  await addRoutes(server)
  answerOtherMethods()
  return server
}

function createBareServer({ config, clock, logger, authenticator, db }: ServerOptions) {
  // Fastify's own logger type: with pino's more specific type, this server's type would be incompatible with Fastify's
  // defaults.
  const loggerInstance: FastifyBaseLogger = logger
  const server = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    bodyLimit: ANONYMOUS_LIMIT,
    requestTimeout: LONGEST_REQUEST_MS,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    // A request without Host gets our own error envelope.
    http: {
      requireHostHeader: false,
      headersTimeout: 60_000,
      // Some clients offer h2c with every request; only WebSocket upgrades are accepted.
      shouldUpgradeCallback: ({ headers, url = '' }) =>
        headers.upgrade?.toLowerCase() === 'websocket' && WEBSOCKET_PATH.test(url),
    },
    genReqId: () => newId('req', clock.now()),
    clientErrorHandler: (error, socket) => respondToMalformed(clock, error, socket),
    // An id of any length reaches its handler, which authenticates the caller before it returns 404.
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) =>
      void sendFailure(
        request,
        reply as unknown as FastifyReply,
        fail('bad_request', (say) => say.http.malformedRequest, { cause: error }),
      ),
  }).withTypeProvider<TypeBoxTypeProvider>()

  // 100-continue is the only expectation there is; others are ignored (RFC 9110 §10.1.1).
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
  server.decorate('cookieNames', cookieNames(config.panelUrl.startsWith('https:')))
  server.decorateRequest('mode', 'production')
  server.decorateRequest('principal', null)
  server.decorateRequest('failure', null)
  server.setValidatorCompiler(compileSchema)
  // Response records are built field by field, so a slower schema-based serializer would have nothing to filter.
  server.setSerializerCompiler(() => JSON.stringify)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) =>
      parseJsonBody(body, request.routeOptions.config.longLists ? LONG_LISTS : undefined),
  )

  server.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id)
    request.mode = hostnameOf(request.headers).startsWith('sandbox') ? 'test' : 'production'
    requireSingleHeaders(request.raw)
  })
  refuseTinyChunks(server)
  endSlowBodies(server, clock)
  addSecurityHeaders(server)
  translateResponses(server)
  const handled = watchHandlers(server)
  const releaseSlot = limitRequests(server, clock, handled, sharesOf(db.poolSize))
  const delayRefusal = createRefusalDelay(clock)
  limitBodies(server, { clock, dir: join(config.dataDir, 'spool'), delayRefusal, handled })
  limitUnreadResponses(server)
  authorizeAgain(server)
  requireKnownInput(server)
  server.addHook('onResponse', async (request, reply) => {
    if (request.routeOptions.config.unlogged) return
    request.log.info(
      {
        method: request.method,
        // The template of the route, or the start of a path that has none: the rest may be a secret, such as that of a
        // link.
        path: request.routeOptions.url ?? request.url.split('?', 1)[0]?.split('/', 3).join('/'),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        mode: request.mode,
        projectId: request.principal?.projectId,
      },
      'request',
    )
  })

  server.decorate('sendPage', null)
  server.setNotFoundHandler((request, reply) =>
    server.sendPage && asksForPage(request)
      ? server.sendPage(request, reply)
      : sendFailure(
          request,
          reply,
          fail('not_found', (say) => say.http.routeNotFound),
        ),
  )
  const delayAnonymous = createRefusalDelay(clock, UNDELAYED_ANONYMOUS_ERRORS)
  handleErrors(server, { authenticator, db, releaseSlot, delayRefusal, delayAnonymous })
  return server
}

/** Converts what routes throw to responses. Delays those that reject a caller for being too fast. */
function handleErrors(
  server: Pick<FastifyInstance, 'setErrorHandler'>,
  deps: Pick<ServerOptions, 'authenticator' | 'db'> & {
    releaseSlot: (request: FastifyRequest) => void
    delayRefusal: (address: string) => Promise<void>
    delayAnonymous: (address: string) => Promise<void>
  },
): void {
  const { authenticator, db, releaseSlot, delayRefusal, delayAnonymous } = deps
  server.setErrorHandler(async (error, request, reply) => {
    releaseSlot(request)
    let failure = toRequestFailure(error, request)
    if (UNGUARDED_FAILURES.has(failure.kind) && request.principal?.kind === 'key') {
      try {
        await authenticator.recheckKey(db, request.principal.keyId)
      } catch (refusal) {
        failure = toFailure(refusal)
      }
    }
    if (failure.kind === 'rate_limited') await delayRefusal(request.ip)
    else if (!request.principal && failure.kind !== 'forbidden') await delayAnonymous(request.ip)
    return sendFailure(request, reply, failure)
  })
}

/** Whether the request is a browser navigation on the panel's host; programs do not ask for HTML. */
function asksForPage({ method, mode, url, headers }: FastifyRequest): boolean {
  const opens = method === 'GET' && (headers.accept ?? '').includes('text/html')
  return opens && mode === 'production' && !/^\/(v1|panel)\//.test(url)
}

/** Failures that can occur before any statement has rechecked the caller's key. */
const UNGUARDED_FAILURES = new Set(['bad_request', 'payload_too_large', 'unsupported_media_type'])

function toRequestFailure(error: unknown, request: FastifyRequest): Failure {
  if (error instanceof SchemaError) {
    return describeSchemaError(error, request.routeOptions.config.sentences ?? {})
  }
  const code = (error as FastifyError).code
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return tooLarge(request.routeOptions.bodyLimit ?? ANONYMOUS_LIMIT)
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return fail('unsupported_media_type', (say) => say.http.mediaType)
  }
  // The connection was closed meanwhile: no client receives the response, and it is no fault of the server.
  if (request.raw.destroyed && (code === 'ECONNRESET' || request.raw.errored === error)) {
    return fail('bad_request', (say) => say.http.malformedRequest, { cause: error })
  }
  const { statusCode } = error as FastifyError
  // Fastify's own errors about a request, such as a method whose body has no content type.
  if (code?.startsWith('FST_ERR_') && statusCode !== undefined && statusCode < 500) {
    return fail('bad_request', (say) => say.http.malformedRequest, { cause: error })
  }
  return toFailure(error)
}

/** Whether the server refuses work for now, with the time to try again: a decision, without a fault behind it. */
const isRefusal = ({ kind, cause, details }: Failure) =>
  kind === 'unavailable' &&
  details.retryAfter !== undefined &&
  (cause === undefined || cause instanceof SemaphoreTimeout)

async function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  failure: Failure,
): Promise<FastifyReply> {
  const language = languageOf(request)
  const { status, body, retryAfter, rate } = renderFailure(failure, language)
  // Stored in Portuguese, like every sentence of a record: its readers may speak another language.
  request.failure = { ...body.error, message: failure.message }
  if (language !== 'pt-BR') void reply.header('content-language', language)
  if (isRefusal(failure)) {
    const { cause, details } = failure
    const internal = cause instanceof Error ? cause.message : details.internal
    request.log.warn({ internal, reason: failure.message }, 'unavailable')
  } else if (status >= 500) {
    request.log.error(
      { err: failure.cause ?? failure, internal: failure.details.internal },
      'failed',
    )
  } else if (failure.details.internal) {
    request.log.info({ internal: failure.details.internal }, 'refused')
  }
  if (retryAfter !== null) void reply.header('retry-after', String(retryAfter))
  if (rate !== null) setRateHeaders(reply, rate)
  return reply.header('x-request-id', request.id).code(status).type('application/json').send(body)
}
