import { createBatcher } from '../../kernel/batcher.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { CredentialStore } from '../network.port.ts'

/** The kind of the credentials that record attempts to send, by the message's own id. */
export const SENT = 'cloud_sent'
/** The kind of the credentials that map Meta's message ids to our own. */
export const WAMID = 'cloud_wamid'
/** Messages can be quoted, reacted to and read for about this long. */
const KEPT_MS = 30 * 24 * 3600_000
const MAX_BATCH = 128

/** An attempt to send a message; `wamid` is Meta's id of it once Meta has accepted it. */
export type Attempt = { at: number; chatId: string; wamid: string | null }

/** Maps the messages that an account has sent between their own ids and Meta's. */
export type SentMessages = ReturnType<typeof createSentMessages>

/**
 * Creates the record of the messages that an account has sent. Meta chooses the ids and does not recognize a repeated
 * send, so each attempt is stored before it is made: one without a `wamid` may have reached Meta.
 */
export function createSentMessages(deps: {
  clock: Clock
  activity: PendingWork
  credentials: CredentialStore
}) {
  const { clock, activity, credentials } = deps
  const entry = (waMessageId: string, attempt: Attempt | null) => ({
    kind: SENT,
    id: waMessageId,
    value: attempt && Buffer.from(JSON.stringify(attempt)),
    expiresAt: clock.now() + KEPT_MS,
  })
  const wamidEntry = (wamid: string, waMessageId: string) => ({
    kind: WAMID,
    id: wamid,
    value: Buffer.from(waMessageId),
    expiresAt: clock.now() + KEPT_MS,
  })
  type Change = { waMessageId: string; attempt: Attempt | null }

  const writer = createBatcher<Change, null>({
    async flush(changes) {
      const entries = changes.flatMap(({ waMessageId, attempt }) => [
        entry(waMessageId, attempt),
        ...(attempt?.wamid ? [wamidEntry(attempt.wamid, waMessageId)] : []),
      ])
      // The sender and a status may store the same message at the same time; the later one counts.
      const last = new Map(entries.map((one) => [`${one.kind} ${one.id}`, one]))
      await credentials.save([...last.values()])
      return changes.map(() => null)
    },
    maxItems: MAX_BATCH,
    maxInFlight: 1,
    activity,
  })

  return {
    /** Returns the attempts of these messages; those that were never sent are absent. */
    async attempts(waMessageIds: string[]): Promise<Map<string, Attempt>> {
      const found = await credentials.readMany(SENT, [...new Set(waMessageIds)])
      return new Map(
        [...found].map(([id, value]) => [id, JSON.parse(value.toString()) as Attempt] as const),
      )
    },
    /** Stores that a message is about to be sent. */
    begin: async ({ waMessageId, chatId }: { waMessageId: string; chatId: string }) => {
      await writer.add({ waMessageId, attempt: { at: clock.now(), chatId, wamid: null } })
    },
    /** Stores Meta's id of a message. */
    accepted: async (waMessageId: string, chatId: string, wamid: string): Promise<void> => {
      await writer.add({ waMessageId, attempt: { at: clock.now(), chatId, wamid } })
    },
    /** Stores that a message has not been sent after all. */
    unsent: async (waMessageId: string): Promise<void> => {
      await writer.add({ waMessageId, attempt: null })
    },
    /**
     * Returns Meta's id of a message: a received one has the same id there. Null for an own one that Meta has not
     * accepted.
     */
    async wamidOf(waMessageId: string, fromMe: boolean): Promise<string | null> {
      if (!fromMe) return waMessageId
      const value = await credentials.read(SENT, waMessageId)
      return value && (JSON.parse(value.toString()) as Attempt).wamid
    },
    /** Returns Recado's ids of messages by Meta's ids; messages of others keep theirs. */
    async ownIds(wamids: string[]): Promise<{ of(wamid: string): string }> {
      const known = await credentials.readMany(WAMID, [...new Set(wamids)])
      return { of: (wamid) => known.get(wamid)?.toString() ?? wamid }
    },
  }
}
