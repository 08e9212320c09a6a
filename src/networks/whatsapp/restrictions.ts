import type { BaileysEventMap, WASocket } from 'baileys'
import type { Restriction } from '../network.port.ts'

type TimeLock = NonNullable<BaileysEventMap['connection.update']['reachoutTimeLock']>

/** The server's codes for sends that it does not take from this account. */
const NEW_CHATS = '463'
const SENDING = '479'

/** What WhatsApp does not let an account do for a while: told once, and when it is over. */
export function createRestrictions(deps: {
  socketNow: () => WASocket | null
  tell: (restriction: Restriction | null) => Promise<void>
}) {
  const { socketNow, tell } = deps
  /** A restriction was told whose end nobody knows: the next message that is taken ends it. */
  let endless = false
  let asking = false

  const toRestriction = ({ timeEnforcementEnds }: TimeLock): Restriction => ({
    type: 'new_chats',
    until: timeEnforcementEnds?.getTime() ?? null,
  })

  async function say(restriction: Restriction | null): Promise<void> {
    endless = restriction?.until === null
    await tell(restriction)
  }

  return {
    /** A message was refused with this code. WhatsApp is asked how long it is meant to last. */
    async refused(code: string): Promise<void> {
      if (code === SENDING) return say({ type: 'sending', until: null })
      if (code !== NEW_CHATS || asking) return
      asking = true
      const lock = await socketNow()
        ?.fetchAccountReachoutTimelock()
        .catch(() => null)
      asking = false
      // One contact may refuse strangers: only WhatsApp itself says that the account is restricted.
      if (lock?.isActive) await say(toRestriction(lock))
    },

    /** A message was taken. */
    async taken(): Promise<void> {
      if (endless) await say(null)
    },

    /** WhatsApp tells of it by itself. */
    async told(lock: TimeLock): Promise<void> {
      if (!asking) await say(lock.isActive ? toRestriction(lock) : null)
    },
  }
}
