import { createHash } from 'node:crypto'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Failure, fail } from '../../kernel/phrases/fail.ts'
import { directChatId } from '../../model/recipient.ts'
import { createTokenBuckets } from '../../kernel/token-bucket.ts'
import type { MediaService } from '../../media/media.service.ts'
import type { MediaInput } from '../../model/media-fields.ts'
import type { NetworkProfile } from '../../networks/network.port.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { ContactsService } from '../contacts/contacts.service.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import type { GroupsService } from '../groups/groups.service.ts'
import type { Profile } from './profiles.schemas.ts'
import {
  deleteOldParts,
  deletePictures,
  findPart,
  writePart,
  type PartKey,
  type ProfilePart,
} from './profiles.sql.ts'

const HOUR_MS = 3600_000
/** How long a part is served before the network is queried again. */
const MAX_AGE_MS: Record<ProfilePart, number> = {
  details: HOUR_MS,
  preview: 24 * HOUR_MS,
  full: 24 * HOUR_MS,
}
/** Retention of outdated parts, which are served while the number is not connected. */
const RETENTION_MS = 30 * 24 * HOUR_MS
/** Requests per number, because WhatsApp stops responding to accounts that request many profiles. */
const RATE = { perSecond: 2, burst: 30 }
const BUSY_RETRY_AFTER_S = 5

/** A picture to serve: a JPEG. */
export type Picture = { bytes: Buffer; sha256: string }
type Size = 'preview' | 'full'

const pictureFrom = (bytes: Buffer | null): Picture | null =>
  bytes && { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }

/** Reads and changes profiles and pictures; see `createProfilesService`. */
export type ProfilesService = ReturnType<typeof createProfilesService>

/**
 * Creates the service for the profiles of people, groups and numbers. The network is queried at most once per
 * hour (texts) or day (pictures), and again after a picture has changed.
 */
export function createProfilesService(deps: {
  clock: Clock
  instances: InstancesService
  commander: Pick<NetworkCommander, 'run'>
  contacts: Pick<ContactsService, 'get'>
  groups: Pick<GroupsService, 'get'>
  conversations: Pick<ConversationsService, 'get'>
  media: Pick<MediaService, 'portrait'>
}) {
  const { clock, instances, commander, contacts, groups, conversations, media } = deps
  const buckets = createTokenBuckets({ clock, maxWaitMs: 0 })

  /** Throws 503 if this number exceeds its request rate. */
  function requireRate(instanceId: string): void {
    if (buckets.take(instanceId, 1, RATE) === null)
      throw fail('unavailable', (say) => say.network.busy, { retryAfter: BUSY_RETRY_AFTER_S })
  }

  /** Identifies a part of a profile; `chat` null means the instance's own number. Throws 404. */
  async function keyOf(
    db: Db,
    scope: Scope,
    instanceId: string,
    chat: string | null,
    part: ProfilePart,
  ): Promise<PartKey> {
    const { phone } = await instances.get(db, scope, instanceId)
    const number = phone ?? ''
    return { instanceId, number, chatId: chat ?? ownChat(number), part }
  }

  /** Returns a part of a profile from the cache while fresh, else from the network; if that fails, the stale one. */
  async function cached(
    db: Db,
    scope: Scope,
    key: PartKey,
    read: () => Promise<Buffer | null>,
  ): Promise<Buffer | null> {
    const { instanceId, part } = key
    const known = await findPart(db, scope, key)
    if (known && clock.now() - known.fetchedAt.getTime() < MAX_AGE_MS[part]) return known.value
    try {
      await instances.account(db, scope, instanceId)
      requireRate(instanceId)
      const value = await read()
      await writePart(db, scope, key, value, new Date(clock.now()))
      return value
    } catch (error) {
      if (known && error instanceof Failure) return known.value
      throw error
    }
  }

  async function details(
    db: Db,
    scope: Scope,
    instanceId: string,
    chatId: string | null,
  ): Promise<{ key: PartKey; profile: NetworkProfile }> {
    const key = await keyOf(db, scope, instanceId, chatId, 'details')
    const stored = await cached(db, scope, key, async () =>
      encode(await commander.run(instanceId, 'findProfile', { chatId })),
    )
    return { key, profile: JSON.parse(String(stored)) as NetworkProfile }
  }

  async function picture(
    db: Db,
    scope: Scope,
    instanceId: string,
    chatId: string | null,
    size: Size,
  ): Promise<Picture | null> {
    const key = await keyOf(db, scope, instanceId, chatId, size)
    const bytes = await cached(db, scope, key, async () => {
      const input = { chatId, preview: size === 'preview' }
      const found = await commander.run(instanceId, 'findPicture', input)
      return found === null ? null : Buffer.from(found, 'base64')
    })
    return pictureFrom(bytes)
  }

  async function setPicture(
    db: Db,
    scope: Scope,
    instanceId: string,
    groupId: string | null,
    input: MediaInput | null,
  ): Promise<void> {
    const { self } = await instances.account(db, scope, instanceId)
    const portrait = input && (await media.portrait(db, scope, input))
    await commander.run(instanceId, 'setPicture', {
      groupId,
      picture: portrait?.toString('base64') ?? null,
    })
    await deletePictures(db, instanceId, groupId ?? ownChat(self.phone ?? ''))
  }

  /** Returns the chat of a contact. Throws 404. */
  async function chatOf(db: Db, scope: Scope, instanceId: string, address: string) {
    const contact = await contacts.get(db, scope, instanceId, address)
    return { contact, chatId: directChatId(contact) }
  }

  return {
    /** Returns the number's own profile. Throws 404, 409. */
    async own(db: Db, scope: Scope, instanceId: string): Promise<Profile> {
      const { profileName } = await instances.get(db, scope, instanceId)
      return { name: profileName, ...(await details(db, scope, instanceId, null)).profile }
    },

    /** Changes the number's own “about” text. Throws 404, 409, and 503 without a change. */
    async change(db: Db, scope: Scope, instanceId: string, about: string): Promise<Profile> {
      const { self } = await instances.account(db, scope, instanceId)
      const { key, profile } = await details(db, scope, instanceId, null)
      await commander.run(instanceId, 'changeProfile', { about })
      const changed = { ...profile, about: about || null }
      await writePart(db, scope, key, encode(changed), new Date(clock.now()))
      return { name: self.name, ...changed }
    },

    /** Returns the number's own picture, or null. Throws 404, 409. */
    ownPicture: (db: Db, scope: Scope, instanceId: string, size: Size) =>
      picture(db, scope, instanceId, null, size),

    /** Sets the number's own picture; null removes it. Throws 400, 404, 409, 413, 415. */
    setOwnPicture: (db: Db, scope: Scope, instanceId: string, input: MediaInput | null) =>
      setPicture(db, scope, instanceId, null, input),

    /** Returns the profile of a contact. Throws 404, 409. */
    async ofContact(db: Db, scope: Scope, instanceId: string, address: string): Promise<Profile> {
      const { contact, chatId } = await chatOf(db, scope, instanceId, address)
      return {
        name: contact.profileName,
        ...(await details(db, scope, instanceId, chatId)).profile,
      }
    },

    /** Returns the picture of a contact, or null if it shows none to this number. Throws 404, 409. */
    async contactPicture(db: Db, scope: Scope, instanceId: string, address: string, size: Size) {
      const { chatId } = await chatOf(db, scope, instanceId, address)
      return picture(db, scope, instanceId, chatId, size)
    },

    /** Returns the picture of the person or group of a conversation, or null. Throws 404, 409. */
    async chatPicture(
      db: Db,
      scope: Scope,
      instanceId: string,
      conversationId: string,
      size: Size,
    ) {
      const { chat } = await conversations.get(db, scope, instanceId, conversationId)
      return picture(db, scope, instanceId, chat.id, size)
    },

    /** Returns the stored picture of a conversation, however old, without querying the network; or null. Throws 404. */
    async storedChatPicture(
      db: Db,
      scope: Scope,
      instanceId: string,
      conversationId: string,
      size: Size,
    ) {
      const { chat } = await conversations.get(db, scope, instanceId, conversationId)
      const key = await keyOf(db, scope, instanceId, chat.id, size)
      return pictureFrom((await findPart(db, scope, key))?.value ?? null)
    },

    /** Returns the picture of a group, or null. Throws 404, 409. */
    async groupPicture(db: Db, scope: Scope, instanceId: string, groupId: string, size: Size) {
      await groups.get(db, scope, instanceId, groupId)
      return picture(db, scope, instanceId, groupId, size)
    },

    /** Sets the picture of a group; null removes it. Throws 400, 404, 409, 413, 415. */
    async setGroupPicture(
      db: Db,
      scope: Scope,
      instanceId: string,
      groupId: string,
      input: MediaInput | null,
    ): Promise<void> {
      await groups.get(db, scope, instanceId, groupId)
      await setPicture(db, scope, instanceId, groupId, input)
    },

    /** Deletes the cached picture of a chat after it has changed. */
    forgetPicture: deletePictures,

    /** Deletes outdated parts. */
    sweep: (patient: Db) => deleteOldParts(patient, new Date(clock.now() - RETENTION_MS)),
  }
}

/** The chat of the instance's own number. */
const ownChat = (phone: string): string => directChatId({ phone, lid: null })
const encode = (profile: NetworkProfile): Buffer => Buffer.from(JSON.stringify(profile))
