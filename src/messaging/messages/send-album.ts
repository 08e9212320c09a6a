import type { InstancesService } from '../../instances/instances.service.ts'
import { newWaMessageId } from '../../kernel/ids.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { kindNamed } from '../../model/kinds/index.ts'
import type { AlbumBody } from './messages.schemas.ts'
import type { Send } from './send.ts'

/**
 * Creates the function that builds the sends of an album, which must be
 * accepted together. The first one announces to the network how many follow.
 */
export function createAlbumBuilder({ instances }: { instances: Pick<InstancesService, 'get'> }) {
  return async function toAlbum(
    db: Db,
    scope: Scope,
    instanceId: string,
    { items, ...common }: AlbumBody,
  ): Promise<[Send, ...Send[]]> {
    // Files are not stored for an unknown instance.
    await instances.get(db, scope, instanceId)
    const id = newWaMessageId()
    const videos = items.filter(({ type }) => type === 'video').length
    const header = { images: items.length - videos, videos }
    const toSend = (item: AlbumBody['items'][number], index: number): Send => {
      const kind = kindNamed(item.type)
      if (!kind) throw new Error(`cannot send album ${id}: unknown kind ${item.type}`)
      const { caption = null, media } = item
      const content = kind.toContent({ caption } as never)
      const album = index === 0 ? { id, header } : { id }
      // Typing, mentions and the quote apply to the first message only.
      const { typingMs: _t, mentions: _m, quotedWaMessageId: _q, ...each } = common
      const body = index === 0 ? common : each
      return { kind, content: { ...content, album }, body: { ...body, media } }
    }
    const [first, ...rest] = items.map(toSend)
    if (!first) throw new Error(`cannot send album ${id} on instance ${instanceId}: no items`)
    return [first, ...rest]
  }
}
