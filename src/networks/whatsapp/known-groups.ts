import type { GroupMetadata, WASocket } from 'baileys'

const MOST = 2000

/**
 * The groups of an account as one line knows them: asked for once, and again after somebody changed them. Whoever
 * sends to a group needs its members.
 */
export function createKnownGroups(socketNow: () => WASocket | null) {
  const known = new Map<string, Promise<GroupMetadata>>()

  function keep(groupId: string, metadata: Promise<GroupMetadata>): Promise<GroupMetadata> {
    if (known.size >= MOST) known.clear()
    known.set(groupId, metadata)
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
