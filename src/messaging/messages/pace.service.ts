import type { InstancesService } from '../../instances/instances.service.ts'
import type { Ownership } from '../../instances/fence.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { SAO_PAULO, saoPauloDay, startOfNextDay, timeToday } from '../../kernel/day.ts'
import { random } from '../../kernel/ids.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import {
  newChatsAllowance,
  PACE_RULES,
  type Pace,
  type PaceRule,
} from '../../model/pace.schemas.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { SendDraft } from './accept.sql.ts'
import type { ClaimedMessage } from './outbound.sql.ts'
import {
  chatHasBegun,
  deletePaceDaysBefore,
  findLastSlot,
  findPairedAt,
  findStarters,
  holdPlaces,
  readPace,
  takeNewChat,
} from './pace.sql.ts'

const DAY_MS = 24 * 3600_000
/** Counts of past days are kept this long. */
const RETENTION_MS = 8 * DAY_MS

/** Of one instance, in milliseconds since the epoch. */
type Times = { freeAt: number; tail: number }

/** What the pace of an instance allows now. */
export type PacingReport = {
  pace: Pace
  startedToday: number
  /** Null without a limit. */
  mostPerDay: number | null
  waiting: number
  nextAt: string | null
}

const toDate = (text: string | null) => (text === null ? null : new Date(text))

/** Holds back messages that start chats; see `createPacer`. */
export type Pacer = ReturnType<typeof createPacer>

/**
 * Creates the pacer. An instance with a pace starts chats one at a time, with a pause after each, within its hours, and
 * not more than its limit per day; messages to people who have written, or have been written to, leave at once (ADR 72).
 */
export function createPacer(deps: { clock: Clock; instances: Pick<InstancesService, 'get'> }) {
  const { clock, instances } = deps
  const times = new Map<string, Times>()

  const most = (rule: PaceRule, pairedAt: Date | null) => {
    const days = pairedAt === null ? 0 : (clock.now() - pairedAt.getTime()) / DAY_MS
    return newChatsAllowance(days) * rule.allowances
  }

  /** Returns `at`, or the next opening of the rule's hours after it. */
  function withinHours({ hours }: PaceRule, at: number): number {
    if (!hours) return at
    const [opens, closes] = [
      timeToday(SAO_PAULO, at, hours.from),
      timeToday(SAO_PAULO, at, hours.to),
    ]
    if (at < opens) return opens
    return at < closes ? at : timeToday(SAO_PAULO, startOfNextDay(SAO_PAULO, at), hours.from)
  }

  /** When the instance may start its next chat, and when the last waiting message may leave. */
  async function timesOf(db: Db, instanceId: string): Promise<Times> {
    const known = times.get(instanceId)
    if (known) return known
    const tail = (await findLastSlot(db, instanceId))?.getTime() ?? -Infinity
    const read = { freeAt: -Infinity, tail }
    times.set(instanceId, read)
    return read
  }

  return {
    /**
     * Returns those of the claimed messages of one instance that may leave now, and returns the others to the outbox
     * until their time. A message whose time has come leaves, unless the hours or the day's limit forbid it.
     */
    async admit(
      db: Db,
      owner: Ownership,
      instance: { id: string; pace: Pace },
      claimed: ClaimedMessage[],
      claimedAt: number,
    ): Promise<ClaimedMessage[]> {
      const { id, pace } = instance
      if (pace === 'off') return claimed
      const rule = PACE_RULES[pace]
      const now = clock.now()
      const starters = await findStarters(
        db,
        id,
        claimed.map(({ seq }) => seq),
        new Date(claimedAt),
      )
      if (starters.length === 0) return claimed
      const limit = most(rule, await findPairedAt(db, id))
      const held = new Map<number, Date>()
      const known = await timesOf(db, id)
      const afterGap = (at: number) =>
        at + rule.gapMs.min + random() * (rule.gapMs.max - rule.gapMs.min)
      const begun = new Set<string>()
      for (const { seq, slotted, conversationId } of starters) {
        if (begun.has(conversationId)) continue
        // A message without a slot queues behind those that have one.
        const inTurn = slotted || known.tail <= now
        const free = inTurn && known.freeAt <= now && withinHours(rule, now) <= now
        if (free && (await takeNewChat(db, id, saoPauloDay(now), limit))) {
          known.freeAt = afterGap(now)
          begun.add(conversationId)
          continue
        }
        const earliest = free ? startOfNextDay(SAO_PAULO, now) : Math.max(now, known.freeAt)
        const until = withinHours(rule, Math.max(earliest, afterGap(known.tail)))
        known.tail = until
        held.set(seq, new Date(until))
      }
      const places = [...held].map(([seq, until]) => ({ seq, until }))
      if (places.length > 0) await holdPlaces(db, owner, id, places, new Date(now))
      return claimed.filter(({ seq }) => !held.has(seq))
    },

    /** Throws 429 if a message to this chat would have to wait for the hours or the next day. */
    async requireRoom(
      db: Db,
      scope: Scope,
      instanceId: string,
      chat: Pick<SendDraft, 'chatId' | 'chatType' | 'conversationId'>,
    ): Promise<void> {
      const { settings, pairedAt } = await instances.get(db, scope, instanceId)
      if (settings.pace === 'off' || chat.chatType === 'group') return
      const now = clock.now()
      const at = new Date(now)
      if (await chatHasBegun(db, scope, instanceId, chat, at)) return
      const rule = PACE_RULES[settings.pace]
      const { started, waiting } = await readPace(db, scope, instanceId, saoPauloDay(now), at)
      const full = started + waiting >= most(rule, toDate(pairedAt))
      const opens = withinHours(rule, full ? startOfNextDay(SAO_PAULO, now) : now)
      if (opens <= now) return
      const retryAfter = Math.ceil((opens - now) / 1000)
      throw fail('rate_limited', (say) => say.messages.overPace, {
        reason: 'PACE_LIMIT',
        retryAfter,
      })
    },

    /** Reports what the pace allows today. Throws 404. */
    async report(db: Db, scope: Scope, instanceId: string): Promise<PacingReport> {
      const { settings, pairedAt } = await instances.get(db, scope, instanceId)
      const now = clock.now()
      const day = saoPauloDay(now)
      const { started, waiting, nextAt } = await readPace(db, scope, instanceId, day, new Date(now))
      const { pace } = settings
      return {
        pace,
        startedToday: started,
        mostPerDay: pace === 'off' ? null : most(PACE_RULES[pace], toDate(pairedAt)),
        waiting,
        nextAt: nextAt?.toISOString() ?? null,
      }
    },

    /** Deletes the counts of past days. */
    sweep: (patient: Db) => deletePaceDaysBefore(patient, saoPauloDay(clock.now() - RETENTION_MS)),
  }
}
