import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { InstanceActivity } from './messages.schemas.ts'
import type { MessagesService } from './messages.service.ts'

/** The panel's private route for how much instances are used, under `/panel/api/:mode`. */
export function addActivityPanelRoute(
  server: Server,
  deps: { db: Db; messages: MessagesService; guard: Guard },
): void {
  const { db, messages, guard: onRequest } = deps

  /** Of each instance: its messages of the last 24 hours, 1,000 at the most, and when the last one came or went. */
  server.get(
    '/instance-activity',
    { onRequest, schema: { response: { 200: InstanceActivity } } },
    (request) => messages.activity(db, scopeOf(request)),
  )
}
