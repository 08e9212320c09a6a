import type { HealthMetrics, HealthReasonCode } from './health.schemas.ts'

/** Minimum messages and chats for a meaningful share. */
const MIN_MESSAGES = 20
const MIN_CHATS = 10
/** Points lost per unit by which a share misses its usual value, and the maximum per rule. */
const RULES = {
  undelivered: { usual: 0.9, perPoint: 100, maxPoints: 25 },
  unanswered: { usual: 0.3, perPoint: 60, maxPoints: 18 },
  wrongNumbers: { usual: 0.05, perPoint: 100, maxPoints: 15 },
  restricted: { usual: 0, perPoint: 200, maxPoints: 30 },
  disconnected: { usual: 0.95, perPoint: 40, maxPoints: 20 },
} as const
const BAN_POINTS = 100
const RESTRICTION_POINTS = 40
const TOO_MANY_POINTS = 15
/** Minimum scores of the levels `good` and `attention`. */
const MIN_GOOD_SCORE = 80
const MIN_ATTENTION_SCORE = 50

/** A reason with the points that it costs and the figure that its sentence names. */
export type ScoredReason = { code: HealthReasonCode; points: number; figure: number }

/** Scores a number from 0 to 100, with the reason for every point lost, the most severe first. */
export function scoreHealth(
  metrics: HealthMetrics,
  state: { banned: boolean; restricted: boolean },
): { score: number; level: 'good' | 'attention' | 'risk'; reasons: ScoredReason[] } {
  const { sent, deliveredShare, restrictedShare, wrongNumberShare, connectedShare } = metrics
  const { newChats, newChatsAnswered, mostNewChatsInADay, newChatsAllowance: allowance } = metrics
  const enough = sent >= MIN_MESSAGES
  const settled = metrics.settled >= MIN_MESSAGES
  const found: (ScoredReason | null)[] = [
    state.banned ? { code: 'BANNED', points: BAN_POINTS, figure: 0 } : null,
    state.restricted ? { code: 'RESTRICTED', points: RESTRICTION_POINTS, figure: 0 } : null,
    scoreExcess('RESTRICTED_SENDS', restrictedShare, RULES.restricted),
    settled ? scoreShortfall('UNDELIVERED', deliveredShare, RULES.undelivered) : null,
    newChats >= MIN_CHATS
      ? scoreShortfall('COLD_UNANSWERED', newChatsAnswered / newChats, RULES.unanswered)
      : null,
    mostNewChatsInADay > allowance
      ? { code: 'TOO_MANY_NEW_CHATS', points: TOO_MANY_POINTS, figure: mostNewChatsInADay }
      : null,
    enough ? scoreExcess('WRONG_NUMBERS', wrongNumberShare, RULES.wrongNumbers) : null,
    scoreShortfall('DISCONNECTED', connectedShare, RULES.disconnected),
  ]
  const reasons = found
    .filter((reason) => reason !== null)
    .toSorted((left, right) => right.points - left.points)
  const score = Math.max(
    0,
    reasons.reduce((rest, { points }) => rest - points, 100),
  )
  const level =
    score >= MIN_GOOD_SCORE ? 'good' : score >= MIN_ATTENTION_SCORE ? 'attention' : 'risk'
  return { score, level, reasons }
}

type Rule = { usual: number; perPoint: number; maxPoints: number }

function scoreShortfall(
  code: HealthReasonCode,
  share: number | null,
  rule: Rule,
): ScoredReason | null {
  return share === null ? null : toReason(code, share, rule.usual - share, rule)
}

function scoreExcess(
  code: HealthReasonCode,
  share: number | null,
  rule: Rule,
): ScoredReason | null {
  return share === null ? null : toReason(code, share, share - rule.usual, rule)
}

function toReason(
  code: HealthReasonCode,
  figure: number,
  by: number,
  rule: Rule,
): ScoredReason | null {
  if (by <= 0) return null
  return {
    code,
    figure,
    points: Math.min(rule.maxPoints, Math.max(1, Math.round(by * rule.perPoint))),
  }
}
