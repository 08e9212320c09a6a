import type { InstancesService } from '../../instances/instances.service.ts'
import type { Ownership } from '../../instances/fence.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { saoPauloDay, startOfNextDay, timeToday } from '../../kernel/day.ts'
import { SAO_PAULO } from '../../kernel/sao-paulo.ts'
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
  hasChatStarted,
  findChatsOf,
  releaseWaiting,
  findPairedAt,
  postponeTurn,
  readPace,
  readPaced,
  requeueClaimed,
  claimTurn,
  type PacedMessage,
} from './pace.sql.ts'

const DAY_MS = 24 * 3600_000

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

/** Delays messages that start chats; see `createPacer`. */
export type Pacer = ReturnType<typeof createPacer>

/**
 * Creates the pacer. An instance with a pace starts chats one at a time, in the order of acceptance, with a pause after
 * each, within its hours and up to its daily limit; messages to people who have written, or have been written
 * to, are sent immediately (ADR 72).
 */
export function createPacer(deps: { clock: Clock; instances: Pick<InstancesService, 'get'> }) {
  const { clock, instances } = deps

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

  /** Claims the instance's turn for a message; returns false if it is not free, or outside the hours or daily limit. */
  async function tryClaimTurn(db: Db, id: string, rule: PaceRule, seq: number): Promise<boolean> {
    const now = clock.now()
    const day = saoPauloDay(now)
    const opens = withinHours(rule, now)
    const limit = most(rule, await findPairedAt(db, id))
    const { min, max } = rule.gapMs
    const freeAt = new Date(now + min + random() * (max - min))
    const turn = { now: new Date(now), freeAt, day, most: limit }
    if (opens <= now && (await claimTurn(db, { instanceId: id, seq }, turn))) return true
    const until = opens > now ? opens : withinHours(rule, startOfNextDay(SAO_PAULO, now))
    await postponeTurn(db, id, { until: new Date(until), now: new Date(now), day })
    return false
  }

  /** Splits messages into those to send now, those that wait for a turn, and those to requeue in order. */
  async function classify(
    db: Db,
    id: string,
    rule: PaceRule,
    paced: PacedMessage[],
    mayTakeTurn: boolean,
  ) {
    const [waiting, requeued] = [[] as number[], [] as number[]]
    const startedChats = new Set<string>()
    const held = new Set<string>()
    let turnRequested = !mayTakeTurn
    const takesTurn = async (seq: number) => {
      if (turnRequested) return false
      turnRequested = true
      return tryClaimTurn(db, id, rule, seq)
    }
    for (const { seq, conversationId, starts, behind } of paced) {
      if (starts && !startedChats.has(conversationId)) {
        if (!behind && !held.has(conversationId) && (await takesTurn(seq)))
          startedChats.add(conversationId)
        else {
          waiting.push(seq)
          held.add(conversationId)
        }
      } else if (behind) {
        // An earlier message of its chat still waits: requeue this one, so that the chat keeps its order.
        startedChats.add(conversationId)
        requeued.push(seq)
      }
    }
    return { waiting, requeued, startedChats: [...startedChats] }
  }

  return {
    /**
     * Returns the claimed messages of an instance that may be sent now, and puts the others back into the outbox.
     * Waiting messages are claimed again one at a time, when the turn of their instance is free. With `single`, at most one
     * is sent, and replies come before messages that start a chat.
     */
    async selectSendable<Claimed extends ClaimedMessage>(
      db: Db,
      owner: Ownership,
      { id, pace, single }: { id: string; pace: Pace; single: boolean },
      claimed: Claimed[],
    ): Promise<Claimed[]> {
      if (pace === 'off') return claimed
      const seqs = claimed.map(({ seq }) => seq)
      const paced = await readPaced(db, id, seqs)
      const isPaced = new Set(
        paced.flatMap(({ seq, starts, behind }) => (starts || behind ? [seq] : [])),
      )
      const others = claimed.filter(({ seq }) => !isPaced.has(seq))
      if (isPaced.size === 0 && !single) return claimed
      const mayTakeTurn = !single || others.length === 0
      const sorted = await classify(db, id, PACE_RULES[pace], paced, mayTakeTurn)
      const { waiting, startedChats } = sorted
      const back = new Set([...waiting, ...sorted.requeued])
      const sendable = claimed.filter(({ seq }) => !back.has(seq))
      const surplus = single ? sendable.slice(1) : []
      const requeued = [...sorted.requeued, ...surplus.map(({ seq }) => seq)]
      const now = new Date(clock.now())
      if (startedChats.length > 0) await releaseWaiting(db, id, startedChats)
      if (waiting.length > 0) await requeueClaimed(db, owner, id, waiting, { waits: true, now })
      if (requeued.length > 0) await requeueClaimed(db, owner, id, requeued, { waits: false, now })
      return single ? sendable.slice(0, 1) : sendable
    },

    /** Releases messages that wait to start a chat in which these messages of its phones are. */
    async releaseStartedChats(db: Db, instanceId: string, waMessageIds: string[]) {
      const ids = await findChatsOf(db, instanceId, waMessageIds)
      if (ids.length > 0) await releaseWaiting(db, instanceId, ids)
    },

    /** Throws 429 if a message to this chat would have to wait for the next opening hours or the next day. */
    async requireAllowance(
      db: Db,
      scope: Scope,
      instanceId: string,
      chat: Pick<SendDraft, 'chatId' | 'chatType' | 'conversationId'>,
    ): Promise<void> {
      const { settings, pairedAt } = await instances.get(db, scope, instanceId)
      if (settings.pace === 'off' || chat.chatType !== 'direct') return
      const now = clock.now()
      const at = new Date(now)
      if (await hasChatStarted(db, scope, instanceId, chat, at)) return
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
      const { started, waiting, freeAt } = await readPace(db, scope, instanceId, day, new Date(now))
      const { pace } = settings
      const nextAt = Math.max(now, freeAt?.getTime() ?? now)
      return {
        pace,
        startedToday: started,
        mostPerDay: pace === 'off' ? null : most(PACE_RULES[pace], toDate(pairedAt)),
        waiting: pace === 'off' ? 0 : waiting,
        nextAt: pace === 'off' || waiting === 0 ? null : new Date(nextAt).toISOString(),
      }
    },
  }
}
