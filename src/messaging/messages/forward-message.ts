import type { Db, Scope } from '../../platform/db/sql.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { kindNamed, type MessageContent } from '../../model/kinds/index.ts'
import type { MessageRow } from '../../model/message.ts'
import type { ForwardBody } from './messages.schemas.ts'
import type { Send } from './send.ts'

/** Creates the function that builds the send that forwards a message to another chat of the same instance. */
export function createForwarder(deps: {
  /** Returns a message. Throws 404. */
  find: (db: Db, scope: Scope, instanceId: string, messageId: string) => Promise<MessageRow>
  /** Fetches a file that is still on the network. Throws 404 if it is no longer available. */
  fetchFile: (scope: Scope, instanceId: string, mediaId: string) => Promise<unknown>
}) {
  const { find, fetchFile } = deps
  /**
   * Returns a send of the content and the file of a message, marked as forwarded. Fetches the file if it is still on the
   * network. Throws 404, and 409 for a message that phones do not
   * forward: reactions, votes, view-once and deleted messages, and those without readable content.
   */
  return async function toForward(
    db: Db,
    scope: Scope,
    instanceId: string,
    messageId: string,
    body: ForwardBody,
  ): Promise<Send> {
    const { content, media, deletedAt } = await find(db, scope, instanceId, messageId)
    const kind = kindNamed(content.type)
    const once = 'viewOnce' in content && content.viewOnce
    if (!kind?.path || kind.target || once || deletedAt)
      throw fail('conflict', (say) => say.messages.notForwardable)
    if (media) await fetchFile(scope, instanceId, media.id)
    // Details of the original sender, such as an advertisement, are not forwarded.
    const {
      details: _d,
      referral: _r,
      recovered: _l,
      album: _a,
      ...said
    } = content as MessageContent
    return {
      kind,
      content: { ...said, forwarded: true },
      body: {
        ...body,
        ...(media ? { media: { mediaId: media.id }, voice: media.voice } : {}),
      },
    }
  }
}
