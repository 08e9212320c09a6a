import type { GroupMetadata, WASocket } from 'baileys'
import type { Party } from '../../model/records.schemas.ts'
import type { Clock } from '../../kernel/clock.ts'
import { rejectionOf } from './groups.ts'
import { toParty } from './people.ts'

const MAX_GROUPS = 2000
const MAX_MEMBERS = 50_000
/** WhatsApp limits how often an account may read its groups: the pauses between attempts double. */
const FIRST_RETRY_MS = 30_000
const MAX_RETRY_MS = 900_000

/**
 * Creates one connection's cache of group metadata, which every send to a group needs for the member list. An entry is
 * fetched again after the group has changed.
 */
export function createGroupCache(deps: {
  clock: Clock
  getSocket: () => WASocket | null
  isCurrent: () => boolean
  inBackground: (work: () => Promise<void>) => void
  onError: (error: unknown, task?: string) => void
}) {
  const { clock, getSocket, isCurrent, inBackground, onError } = deps
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

  function find(groupId: string): Promise<GroupMetadata> {
    const socket = getSocket()
    if (!socket)
      return Promise.reject(new Error(`cannot query group ${groupId}: not connected to WhatsApp`))
    return known.get(groupId) ?? cache(groupId, socket.groupMetadata(groupId))
  }

  /** The tasks whose retry is scheduled. */
  const retrying = new Set<string>()

  /**
   * Runs `work` in the background, and again after a pause while it fails and the connection lasts. A task that waits
   * already is not begun a second time.
   */
  function persist(task: string, work: () => Promise<void>, pauseMs = FIRST_RETRY_MS): void {
    if (retrying.has(task)) return
    inBackground(async () => {
      try {
        await work()
      } catch (error) {
        if (!isCurrent()) return
        onError(error, task)
        retrying.add(task)
        clock.after(pauseMs, () => {
          retrying.delete(task)
          if (isCurrent()) persist(task, work, Math.min(MAX_RETRY_MS, pauseMs * 2))
        })
      }
    })
  }

  return {
    find,

    /** Fills in the missing phone or LID of a party from the groups' member lists. */
    fillInParty(party: Party): Party {
      const member = members.get(party.phone ?? party.lid ?? '')
      return member ? { ...party, phone: member.phone, lid: member.lid } : party
    },

    invalidate: (groupId: string) => void known.delete(groupId),

    /** Reports all groups of the account, which one query reads; retries it until it succeeds. */
    reportAll(report: (groups: GroupMetadata[]) => void, onReported: () => void): void {
      persist('reading the groups of the account', async () => {
        const groups = Object.values((await getSocket()?.groupFetchAllParticipating()) ?? {})
        for (const group of groups) void cache(group.id, Promise.resolve(group))
        report(groups)
        onReported()
      })
    },

    /** Reports one group, unless WhatsApp says that the account is not in it; retries the query until it succeeds. */
    reportOne: (groupId: string, report: (groups: GroupMetadata[]) => void): void =>
      persist(`reading the group ${groupId}`, async () => {
        try {
          report([await find(groupId)])
        } catch (error) {
          if (!rejectionOf(error)) throw error
        }
      }),
  }
}

/** The cache that `createGroupCache` returns. */
export type GroupCache = ReturnType<typeof createGroupCache>
