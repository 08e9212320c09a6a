import { buildPath, type Mode } from './api.ts'
import type { Conversation, Instance } from './api-types.ts'

/** The address of the picture of a chat; null while the network cannot be asked for it. */
export const chatPicture = (
  mode: Mode,
  { id, status }: Instance,
  conversation: Conversation,
): string | null =>
  status === 'CONNECTED'
    ? buildPath(
        '/panel/api/{mode}/v1/instances/{id}/conversations/{conversationId}/picture',
        [mode, id, conversation.id],
        { size: 'preview' },
      )
    : null

/**
 * The address of the stored picture of a chat, for lists: a number that asks its network for everyone's picture at once
 * is ignored by it.
 */
export const storedPicture = (mode: Mode, { id, instanceId }: Conversation): string =>
  buildPath(
    '/panel/api/{mode}/v1/instances/{id}/conversations/{conversationId}/picture',
    [mode, instanceId, id],
    { size: 'preview', cached: 'true' },
  )
