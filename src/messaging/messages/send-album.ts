import type { InstancesService } from '../../instances/instances.service.ts'
import { newWaMessageId } from '../../kernel/ids.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { kindNamed } from '../../model/kinds/index.ts'
import type { Message } from '../../model/records.schemas.ts'
import type { AlbumBody } from './messages.schemas.ts'
import type { createSender, Send } from './send-message.ts'

/**
 * Creates the function that sends photos and videos as one album: a message for each, accepted together or not at all.
 * The first message announces to the network how many follow.
 */
export function createAlbumSender({
  instances,
  sendTogether,
}: Pick<ReturnType<typeof createSender>, 'sendTogether'> & {
  instances: Pick<InstancesService, 'get'>
}) {
  return async function sendAlbum(
    db: Db,
    scope: Scope,
    instanceId: string,
    { items, ...common }: AlbumBody,
  ): Promise<{ items: Message[] }> {
    // Files are not stored for an unknown instance.
    await instances.get(db, scope, instanceId)
    const id = newWaMessageId()
    const videos = items.filter(({ type }) => type === 'video').length
    const header = { images: items.length - videos, videos }
    const toSend = (item: AlbumBody['items'][number], index: number): Send => {
      const kind = kindNamed(item.type)
      if (!kind) throw new Error(`cannot send album: unknown kind ${item.type}`)
      const { caption = null, media } = item
      const content = kind.toContent({ caption } as never)
      const album = index === 0 ? { id, header } : { id }
      // Typing, mentions and the quote apply to the first message only.
      const { typingMs: _t, mentions: _m, quotedWaMessageId: _q, ...each } = common
      const body = index === 0 ? common : each
      return { kind, content: { ...content, album }, body: { ...body, media } }
    }
    const [first, ...rest] = items.map(toSend)
    if (!first) throw new Error('cannot send album: no items')
    return { items: await sendTogether(db, scope, instanceId, [first, ...rest]) }
  }
}
