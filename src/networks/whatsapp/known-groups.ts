import type { GroupMetadata, WASocket } from 'baileys'
import type { Party } from '../../model/records.schemas.ts'
import { toParty } from './people.ts'

const MOST = 2000
const MAX_MEMBERS = 50_000

/**
 * The groups of an account as one line knows them: asked for once, and again after somebody changed them. Whoever
 * sends to a group needs its members.
 */
export function createKnownGroups(socketNow: () => WASocket | null) {
  const known = new Map<string, Promise<GroupMetadata>>()

  /** Members whose phone and LID are both known, by either. */
  const members = new Map<string, Party>()

  function learn({ participants }: GroupMetadata): void {
    if (members.size >= MAX_MEMBERS) members.clear()
    for (const { id, lid, phoneNumber } of participants) {
      const party = toParty([id, lid, phoneNumber])
      if (!party.phone || !party.lid) continue
      members.set(party.phone, party)
      members.set(party.lid, party)
    }
  }

  function keep(groupId: string, metadata: Promise<GroupMetadata>): Promise<GroupMetadata> {
    if (known.size >= MOST) known.clear()
    known.set(groupId, metadata)
    metadata.then(learn, () => {})
    // What failed is asked anew.
    metadata.catch(() => known.delete(groupId))
    return metadata
  }

  return {
    find(groupId: string): Promise<GroupMetadata> {
      const socket = socketNow()
      if (!socket) return Promise.reject(new Error('not connected'))
      return known.get(groupId) ?? keep(groupId, socket.groupMetadata(groupId))
    },

    /** Adds what the groups' lists of members say of somebody. */
    complete(party: Party): Party {
      const member = members.get(party.phone ?? party.lid ?? '')
      return member ? { ...party, phone: member.phone, lid: member.lid } : party
    },

    forget: (groupId: string) => void known.delete(groupId),

    /** All of them, asked at once. */
    async all(): Promise<GroupMetadata[]> {
      const groups = Object.values((await socketNow()?.groupFetchAllParticipating()) ?? {})
      for (const group of groups) void keep(group.id, Promise.resolve(group))
      return groups
    },
  }
}

export type KnownGroups = ReturnType<typeof createKnownGroups>
