import type { WASocket } from 'baileys'
import type { BusinessProfile } from '../../model/profile.schemas.ts'
import { NetworkRejection, type NetworkCommands } from '../network.port.ts'
import { rejectionOf } from './groups.ts'
import type { WhatsAppMedia } from './media.ts'
import { toParty } from './people.ts'
import type { OpenConnection } from './open-connection.ts'

/** Rejection codes for a profile that is empty or hidden from this account. */
const HIDDEN: Record<string, 'unknown'> = { 401: 'unknown', 403: 'unknown', 404: 'unknown' }

/** Creates the commands that read and change what people, groups and the account show about themselves. */
export function createProfileCommands(deps: {
  /** The current connection; throws while there is none. */
  line: () => OpenConnection
  media: Pick<WhatsAppMedia, 'readPicture'>
}): Pick<NetworkCommands, 'findProfile' | 'findPicture' | 'changeProfile' | 'setPicture'> {
  const { line, media } = deps
  const self = () => {
    const { phone } = toParty([line().state.creds.me?.id])
    return `${phone}@s.whatsapp.net`
  }
  return {
    async findProfile({ chatId }) {
      const { socket } = line()
      const jid = chatId ?? self()
      const about = await unlessHidden(() => findAbout(socket, jid))
      const business = await unlessHidden(() => findBusiness(socket, jid))
      return { about: about ?? null, business: business ?? null }
    },

    async findPicture({ chatId, preview }) {
      const { socket } = line()
      const size = preview ? 'preview' : 'image'
      const url = await unlessHidden(() => socket.profilePictureUrl(chatId ?? self(), size))
      return url ? (await media.readPicture(url)).toString('base64') : null
    },

    async changeProfile({ about }) {
      await line().socket.updateProfileStatus(about)
      return null
    },

    // The engine's own command would decode and scale the picture again, in this process.
    async setPicture({ groupId, picture }) {
      const image = { tag: 'picture', attrs: { type: 'image' } }
      try {
        await line().socket.query({
          tag: 'iq',
          attrs: {
            to: 's.whatsapp.net',
            type: 'set',
            xmlns: 'w:profile:picture',
            ...(groupId === null ? {} : { target: groupId }),
          },
          ...(picture === null
            ? {}
            : { content: [{ ...image, content: Buffer.from(picture, 'base64') }] }),
        })
      } catch (error) {
        throw rejectionOf(error) ?? error
      }
      return null
    },
  }
}

/** Returns the result; undefined if there is none, or none that this account may see. */
async function unlessHidden<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (rejectionOf(error, HIDDEN) instanceof NetworkRejection) return undefined
    throw error
  }
}

async function findAbout(socket: WASocket, jid: string): Promise<string | null> {
  const [found] = (await socket.fetchStatus(jid)) ?? []
  const { status } = (found?.['status'] ?? {}) as { status?: string | null }
  return status || null
}

async function findBusiness(socket: WASocket, jid: string): Promise<BusinessProfile | null> {
  const found = await socket.getBusinessProfile(jid)
  if (!found) return null
  const { description, category, email, address, website } = found
  return {
    description: description || null,
    category: category ?? null,
    email: email ?? null,
    address: address ?? null,
    websites: website,
  }
}
