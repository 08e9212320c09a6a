import type { GroupMetadata, WASocket } from 'baileys'
import type { Party } from '../../model/records.schemas.ts'
import { toParty } from './people.ts'

const MAX_GROUPS = 2000
const MAX_MEMBERS = 50_000

/**
 * Creates one connection's cache of group metadata, which every send to a group needs for the member list. An entry is
 * fetched again after the group has changed.
 */
export function createGroupCache(getSocket: () => WASocket | null) {
  const known = new Map<string, Promise<GroupMetadata>>()

  /** Members with a known phone and LID, by either of the two. */
  const members = new Map<string, Party>()

  function indexMembers({ participants }: GroupMetadata): void {
    if (members.size >= MAX_MEMBERS) members.clear()
    for (const { id, lid, phoneNumber } of participants) {
      const party = toParty([id, lid, phoneNumber])
      if (!party.phone || !party.lid) continue
      members.set(party.phone, party)
      members.set(party.lid, party)
    }
  }

  function cache(groupId: string, metadata: Promise<GroupMetadata>): Promise<GroupMetadata> {
    if (known.size >= MAX_GROUPS) known.clear()
    known.set(groupId, metadata)
    metadata.then(indexMembers, () => {})
    // A failed query must not stay in the cache.
    metadata.catch(() => known.delete(groupId))
    return metadata
  }

  return {
    find(groupId: string): Promise<GroupMetadata> {
      const socket = getSocket()
      if (!socket)
        return Promise.reject(new Error(`cannot query group ${groupId}: not connected to WhatsApp`))
      return known.get(groupId) ?? cache(groupId, socket.groupMetadata(groupId))
    },

    /** Fills in the missing phone or LID of a party from the groups' member lists. */
    fillInParty(party: Party): Party {
      const member = members.get(party.phone ?? party.lid ?? '')
      return member ? { ...party, phone: member.phone, lid: member.lid } : party
    },

    invalidate: (groupId: string) => void known.delete(groupId),

    /** Fetches all groups of the account in one query. */
    async fetchAll(): Promise<GroupMetadata[]> {
      const groups = Object.values((await getSocket()?.groupFetchAllParticipating()) ?? {})
      for (const group of groups) void cache(group.id, Promise.resolve(group))
      return groups
    },
  }
}

/** The cache that `createGroupCache` returns. */
export type GroupCache = ReturnType<typeof createGroupCache>
