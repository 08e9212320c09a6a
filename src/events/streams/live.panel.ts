import { Type } from 'typebox'
import type { ChangeKind } from '../../kernel/change-kind.ts'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Db } from '../../platform/db/sql.ts'
import { permissionToRead, type Surface } from '../../platform/http/surfaces.ts'
import { scopeOf, userOf } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { openEventStream, type EventStream } from '../../platform/http/sse.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock, Timer } from '../../kernel/clock.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { Failure } from '../../kernel/phrases/fail.ts'
import type { SessionsService } from '../../company/sessions/sessions.service.ts'
import type { InstanceLookup, StreamsService } from './streams.service.ts'

const PING_MS = 25_000
/** The purpose whose permission is required to open the stream and to keep it open. */
const PURPOSE = 'chat'
const ALL_RESOURCES = '*'
/** How long a member is shown as writing; their panel renews this while they are typing. */
const TYPING_MS = 6000
const MIN_TYPING_GAP_MS = 1000
/** Maximum sessions whose last typing report is cached. */
const MAX_WRITING = 10_000
const TypingBody = Type.Object(
  { conversationId: Type.String({ maxLength: 60 }) },
  { additionalProperties: false },
)
/** Maximum streams per session, one per tab; beyond it, the oldest is closed. */
const MAX_PER_SESSION = 10
/** Resources shared by both modes. */
const ACCOUNT_WIDE: ReadonlySet<ChangeKind> = new Set<ChangeKind>([
  'members',
  'plan',
  'second-factor',
])

/**
 * Adds the panel's live stream of a mode, one connection per tab. Its events: `event`, an envelope as
 * delivered to webhooks; `instance` {"id","status"} for a changed instance; `changed` {"what":[]}, the resources
 * a call changed, such as `webhooks` or `*`; `typing` {"instanceId","chatId","ms","recording"} of a simulated instance;
 * `teammate` {"conversationId","userId","ms"}, another member who is typing; `ended` {"code"}. A
 * client that cannot keep up receives only the newest event of each name, and reloads its data.
 */
export function addLivePanelRoutes(
  server: Server,
  deps: {
    db: Db
    clock: Clock
    activity: PendingWork
    bus: BusTopics
    streams: StreamsService
    instances: InstanceLookup
    sessions: SessionsService
    surface: Surface
  },
): void {
  const { db, clock, activity, bus, streams, instances, sessions } = deps
  const guard = deps.surface.guard(PURPOSE)

  const open = new Map<string, Set<EventStream>>()

  server.get(
    '/live',
    { onRequest: guard, schema: {}, exposeHeadRoute: false, config: { longLived: true } },
    (request, reply) => {
      const scope = scopeOf(request)
      const { sessionId, userId } = userOf(request)
      let timer: Timer | null = null
      const stream = openEventStream(reply, clock, () => {
        leave()
        unsubscribeEvents()
        unsubscribeGaps()
        unsubscribe()
        unsubscribeChanges()
        unsubscribeSessions()
        unsubscribeTyping()
        unsubscribeTeammates()
        timer?.cancel()
      })
      const leave = registerStream(open, sessionId, stream)
      function sendChanged(...what: (ChangeKind | typeof ALL_RESOURCES)[]): void {
        stream.send('changed', { what }, (older, newer) => ({
          what: [...new Set([...older.what, ...newer.what])],
        }))
      }
      const unsubscribeEvents = streams.subscribe(scope, ({ body }) =>
        stream.send('event', JSON.parse(body) as object, (_older, newer) => {
          // The dropped event may concern any resource, so reload all of them.
          sendChanged(ALL_RESOURCES)
          return newer
        }),
      )
      const unsubscribeGaps = streams.subscribeToGaps(() => sendChanged(ALL_RESOURCES))
      const unsubscribe = bus.subscribe('instances', (changed) => {
        if (changed?.projectId !== scope.projectId || changed.mode !== scope.mode) return
        const load = () => instances.get(db, scope, changed.id)
        void activity.run(load).then(
          (instance) => stream.send('instance', { id: changed.id, status: instance.status }),
          () => {},
        )
      })

      const unsubscribeChanges = bus.subscribe('changes', ({ projectId, mode, what }) => {
        if (projectId === scope.projectId && (mode === scope.mode || ACCOUNT_WIDE.has(what))) {
          sendChanged(what)
          // The user may have lost the role that the stream needs.
          if (what === 'members') checkNow()
        }
      })

      const unsubscribeSessions = bus.subscribe('sessions', ({ userId: whose }) => {
        if (whose === userId) checkNow()
      })

      const unsubscribeTyping = bus.subscribe('typing', ({ projectId, mode, ...typing }) => {
        if (projectId === scope.projectId && mode === scope.mode) stream.send('typing', typing)
      })

      const unsubscribeTeammates = bus.subscribe(
        'teammates',
        ({ projectId, mode, ...teammate }) => {
          const isHere = projectId === scope.projectId && mode === scope.mode
          if (isHere && teammate.userId !== userId) stream.send('teammate', teammate)
        },
      )

      async function check(): Promise<void> {
        try {
          await sessions.requireLive(db, sessionId, permissionToRead(PURPOSE))
          stream.send('ping', {})
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          // Only the permission is lost: make the panel reload the permissions of its user.
          if (error.kind === 'forbidden') sendChanged('members')
          else stream.send('ended', { code: error.details.code ?? 'UNAUTHORIZED' })
          stream.end()
        }
      }

      // If the database is unavailable, end the stream: the tab reconnects and receives the current state.
      const checkNow = () => void activity.run(check).catch(() => stream.end())

      function ping(): void {
        checkNow()
        if (!stream.closed) timer = clock.after(PING_MS, ping)
      }
      stream.send('ready', { mode: scope.mode })
      timer = clock.after(PING_MS, ping)
    },
  )

  /** When the user of each session last reported that they are writing. */
  const writing = new Map<string, number>()

  /** Notifies the team that the user is writing in a conversation, at most once a second per session. */
  server.post(
    '/typing',
    { onRequest: guard, schema: { body: TypingBody, response: { 204: NoContent } } },
    async (request, reply) => {
      const { projectId, mode } = scopeOf(request)
      const { sessionId, userId } = userOf(request)
      const now = clock.now()
      if (now - (writing.get(sessionId) ?? -Infinity) >= MIN_TYPING_GAP_MS) {
        if (writing.size >= MAX_WRITING) writing.clear()
        writing.set(sessionId, now)
        const { conversationId } = request.body
        bus.publish('teammates', { projectId, mode, conversationId, userId, ms: TYPING_MS })
      }
      return reply.code(204).send(null)
    },
  )
}

/** Registers a stream of a session and ends the oldest one beyond the limit; returns a function that unregisters it. */
function registerStream(
  open: Map<string, Set<EventStream>>,
  sessionId: string,
  stream: EventStream,
): () => void {
  const streams = open.get(sessionId) ?? new Set()
  open.set(sessionId, streams)
  streams.add(stream)
  const [oldest] = streams
  if (streams.size > MAX_PER_SESSION) oldest?.end()
  return () => {
    streams.delete(stream)
    if (streams.size === 0 && open.get(sessionId) === streams) open.delete(sessionId)
  }
}
