import type { BinaryNode, GroupMetadata, SignalRepositoryWithLIDStore } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'

/** How long a user with unusable keys is left out of group sends. */
const EXCLUDED_MS = 5 * 60_000
const MAX_REFUSED = 1000

/** The operations that `createKeyGuard` returns. */
export type KeyGuard = ReturnType<typeof createKeyGuard>

/**
 * Isolates devices whose keys the server rejects or whose keys are forged. At the first unusable entry the engine
 * abandons the whole key response, and with it the message to every other device.
 */
export function createKeyGuard(clock: Clock) {
  /** Users (phone or LID digits) with unusable keys, and the monotonic time until which they are left out. */
  const excluded = new Map<string, number>()

  function exclude(jid: string): void {
    if (excluded.size >= MAX_REFUSED) excluded.clear()
    excluded.set(userOf(jid), clock.monotonic() + EXCLUDED_MS)
  }

  const isRefused = (jid: string | undefined) =>
    jid !== undefined && (excluded.get(userOf(jid)) ?? 0) > clock.monotonic()

  return {
    /** Removes unusable entries from a key response, in place, before the engine reads it. */
    filterResponse(frame: unknown): void {
      const list = keyListOf(frame)
      if (!list || !Array.isArray(list.content)) return
      list.content = list.content.filter((user) => {
        if (user.tag !== 'user' || isBundle(user)) return true
        exclude(user.attrs['jid'] ?? '')
        return false
      })
    },

    /** Limits the failure of a bundle with a forged signature to its own device. */
    guardSessions(repository: SignalRepositoryWithLIDStore): SignalRepositoryWithLIDStore {
      return {
        ...repository,
        async injectE2ESession(input) {
          try {
            await repository.injectE2ESession(input)
          } catch {
            // Without a session the engine's next step fails for this device alone.
            exclude(input.jid)
          }
        },
      }
    },

    hasExcluded: () => [...excluded.values()].some((until) => until > clock.monotonic()),

    /** Returns the people that can be encrypted for. */
    withoutExcludedJids: (jids: string[]): string[] => jids.filter((jid) => !isRefused(jid)),

    /** Returns the group without members that cannot be encrypted for; their devices request the message again. */
    withoutExcluded(group: GroupMetadata): GroupMetadata {
      const usable = group.participants.filter(
        ({ id, lid, phoneNumber }) => ![id, lid, phoneNumber].some(isRefused),
      )
      return usable.length === group.participants.length
        ? group
        : { ...group, participants: usable }
    },
  }
}

const userOf = (jid: string) => jid.split(/[:@]/)[0] ?? ''

function childOf(node: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  return Array.isArray(node?.content) ? node.content.find((one) => one.tag === tag) : undefined
}

/** Returns the list of a key response. In other responses the users have no keys and no errors of their own. */
function keyListOf(frame: unknown): BinaryNode | undefined {
  if (frame instanceof Uint8Array || (frame as BinaryNode).tag !== 'iq') return undefined
  const list = childOf(frame as BinaryNode, 'list')
  const users = Array.isArray(list?.content) ? list.content : []
  return users.some(
    (user) => childOf(user, 'error') ?? childOf(user, 'registration') ?? childOf(user, 'skey'),
  )
    ? list
    : undefined
}

/** Returns whether an entry has all keys that a new session needs; the one-time key is optional. */
function isBundle(user: BinaryNode): boolean {
  const bytes = (node: BinaryNode | undefined, tag: string, sizes: number[]) => {
    const content = childOf(node, tag)?.content
    return content instanceof Uint8Array && sizes.includes(content.length)
  }
  const signed = childOf(user, 'skey')
  const oneTime = childOf(user, 'key')
  return (
    !childOf(user, 'error') &&
    bytes(user, 'registration', [4]) &&
    bytes(user, 'identity', [32, 33]) &&
    bytes(signed, 'id', [3]) &&
    bytes(signed, 'value', [32, 33]) &&
    bytes(signed, 'signature', [64]) &&
    (oneTime === undefined || (bytes(oneTime, 'id', [3]) && bytes(oneTime, 'value', [32, 33])))
  )
}
