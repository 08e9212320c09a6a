import { proto, type BinaryNode } from 'baileys'
import type { Person } from './person.ts'
import { bytesOf, child } from './stanza.ts'

/** A post as the followers of a channel see it. */
export type Post = {
  waMessageId: string
  message: proto.IMessage
  /** The handle of its file. */
  mediaId: string | null
  mediaType: string | null
  edited: boolean
  deleted: boolean
}

export type Channels = ReturnType<typeof createChannels>

/** Channels: what their owners post, in the clear. */
export function createChannels() {
  const posts = new Map<string, Post[]>()
  const owners = new Map<string, Person>()

  return {
    /** The owners of channels; anybody writes in one that has none. */
    owners,
    postsOf: (channelId: string): Post[] => posts.get(channelId) ?? [],

    /** A device posts in a channel, or changes a post. Returns the code of a refusal. */
    take(by: Person, node: BinaryNode): string | undefined {
      const { id = '', to = '', edit, media_id: mediaId = null } = node.attrs
      const owner = owners.get(to)
      if (owner && owner !== by) return '403'
      const plaintext = child(node, 'plaintext')
      const message = proto.Message.decode(bytesOf(plaintext))
      const known = posts.get(to) ?? []
      posts.set(to, known)
      const earlier = known.find(({ waMessageId }) => waMessageId === id)
      if (edit === '8' && earlier) earlier.deleted = true
      else if (edit === '3' && earlier) Object.assign(earlier, { message, edited: true })
      else if (edit !== undefined) return '404'
      else if (!earlier) {
        const mediaType = plaintext?.attrs['mediatype'] ?? null
        known.push({ waMessageId: id, message, mediaId, mediaType, edited: false, deleted: false })
      }
      return undefined
    },
  }
}
