import { Type } from 'typebox'
import type { ProjectsService } from '../../company/projects/projects.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { MEDIA_LINK_PATH, readMediaLink } from '../../kernel/media-link.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { Db } from '../../platform/db/sql.ts'
import { sendFile } from '../../platform/http/send-bytes.ts'
import type { Server } from '../../platform/http/server.ts'
import type { MessagesService } from './messages.service.ts'

const MediaLinkParams = Type.Object({ token: Type.String() })

/**
 * Adds the route of the links that webhooks with `media: 'link'` receive. The token is the credential. Returns the file like
 * the route with a key does, or 404.
 */
export function addMediaLinkRoute(
  server: Server,
  deps: {
    db: Db
    clock: Clock
    seal: Seal
    messages: MessagesService
    projects: Pick<ProjectsService, 'isServed'>
  },
): void {
  const { db, clock, seal, messages, projects } = deps
  server.get(
    `${MEDIA_LINK_PATH}/:token`,
    {
      exposeHeadRoute: false,
      config: { longLived: true },
      // Not in the reference: clients receive the complete URL in a webhook.
      schema: { hide: true, params: MediaLinkParams },
    },
    async (request, reply) => {
      const link = readMediaLink(seal, request.params.token, clock.now())
      // A link works only on the host of its mode.
      if (!link || link.mode !== request.mode) throw fail('not_found', (say) => say.media.linkOver)
      const { projectId, mode, instanceId, messageId } = link
      if (!(await projects.isServed(db, projectId)))
        throw fail('not_found', (say) => say.media.linkOver)
      const scope = { projectId, mode, keyId: null }
      const { facts, open } = await messages.file(db, scope, instanceId, messageId)
      return sendFile(request, reply, facts, open)
    },
  )
}
