import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { InstanceActivity } from './messages.schemas.ts'
import type { MessagesService } from './messages.service.ts'

/** Registers the panel's private route for instance activity, under `/panel/api/:mode`. */
export function addActivityPanelRoute(
  server: Server,
  deps: { db: Db; messages: MessagesService; guard: Guard },
): void {
  const { db, messages, guard: onRequest } = deps

  /**
   * Returns, per instance, the messages of the last 24 hours, counted up to 1,000, and the time of the last message.
   */
  server.get(
    '/instance-activity',
    { onRequest, schema: { response: { 200: InstanceActivity } } },
    (request) => messages.activity(db, scopeOf(request)),
  )
}
