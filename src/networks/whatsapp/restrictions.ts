import type { BaileysEventMap, WASocket } from 'baileys'
import type { Restriction } from '../network-events.port.ts'

type TimeLock = NonNullable<BaileysEventMap['connection.update']['reachoutTimeLock']>

/** The server's codes for messages that it rejects because the account is restricted. */
const NEW_CHATS = '463'
const SENDING = '479'

/** Tracks WhatsApp's temporary restrictions of an account and reports when they start and when they are lifted. */
export function createRestrictions(deps: {
  socketNow: () => WASocket | null
  report: (restriction: Restriction | null) => Promise<void>
}) {
  const { socketNow, report: notify } = deps
  /** A restriction without a known end was reported: the next accepted message lifts it. */
  let openEnded = false
  let asking = false
  let lifting = false

  const toRestriction = ({ timeEnforcementEnds }: TimeLock): Restriction => ({
    type: 'new_chats',
    until: timeEnforcementEnds?.getTime() ?? null,
  })

  async function report(restriction: Restriction | null): Promise<void> {
    await notify(restriction)
    // Not before it is stored: the next accepted message then reports the end again.
    openEnded = restriction?.until === null
  }

  return {
    /** Handles the code of a rejected message. For `463`, queries WhatsApp for the end of the restriction. */
    async rejected(code: string): Promise<void> {
      if (code === SENDING) return report({ type: 'sending', until: null })
      if (code !== NEW_CHATS || asking) return
      asking = true
      const lock = await socketNow()
        ?.fetchAccountReachoutTimelock()
        .catch(() => null)
      asking = false
      // A single contact may block strangers with the same code; only WhatsApp can confirm a restriction.
      if (lock?.isActive) await report(toRestriction(lock))
    },

    /** Handles an accepted message. */
    async accepted(): Promise<void> {
      if (!openEnded || lifting) return
      lifting = true
      await report(null).finally(() => (lifting = false))
    },

    /** Handles a restriction that WhatsApp announces unasked. */
    async announced(lock: TimeLock): Promise<void> {
      if (!asking) await report(lock.isActive ? toRestriction(lock) : null)
    },
  }
}
