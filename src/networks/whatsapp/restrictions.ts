import type { BaileysEventMap, WASocket } from 'baileys'
import type { Restriction } from '../network.port.ts'

type TimeLock = NonNullable<BaileysEventMap['connection.update']['reachoutTimeLock']>

/** The server's codes for messages that it rejects because the account is restricted. */
const NEW_CHATS = '463'
const SENDING = '479'

/** Tracks WhatsApp's temporary restrictions of an account and reports when they start and when they are lifted. */
export function createRestrictions(deps: {
  socketNow: () => WASocket | null
  tell: (restriction: Restriction | null) => Promise<void>
}) {
  const { socketNow, tell } = deps
  /** A restriction without a known end was reported: the next accepted message lifts it. */
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
    /** Handles the code of a rejected message. For `463`, queries WhatsApp for the end of the restriction. */
    async refused(code: string): Promise<void> {
      if (code === SENDING) return say({ type: 'sending', until: null })
      if (code !== NEW_CHATS || asking) return
      asking = true
      const lock = await socketNow()
        ?.fetchAccountReachoutTimelock()
        .catch(() => null)
      asking = false
      // A single contact may block strangers with the same code; only WhatsApp can confirm a restriction.
      if (lock?.isActive) await say(toRestriction(lock))
    },

    /** Handles an accepted message. */
    async taken(): Promise<void> {
      if (endless) await say(null)
    },

    /** Handles a restriction that WhatsApp announces unasked. */
    async told(lock: TimeLock): Promise<void> {
      if (!asking) await say(lock.isActive ? toRestriction(lock) : null)
    },
  }
}
