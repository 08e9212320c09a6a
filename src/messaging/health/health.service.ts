import type { InstancesService } from '../../instances/instances.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import {
  HEALTH_DAYS,
  type HealthMetrics,
  type HealthReasonCode,
  type InstanceHealth,
} from './health.schemas.ts'
import { countForHealth } from './health.sql.ts'
import { newChatsAllowance } from '../../model/pace.schemas.ts'
import type { Pacer } from '../messages/pace.service.ts'
import { scoreHealth } from './score-health.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS
/** Maximum messages counted, which bounds the duration of a report; a busy number sends this many a day. */
const MAX_COUNTED_MESSAGES = 20_000

/** Reports the health of numbers; see `createHealthService`. */
export type HealthService = ReturnType<typeof createHealthService>

/** Creates the service that estimates how likely a number is to be restricted or banned, from its last seven days. */
export function createHealthService(deps: {
  clock: Clock
  instances: InstancesService
  pacer: Pick<Pacer, 'report'>
}) {
  const { clock, instances, pacer } = deps
  return {
    /** Reports the health of a number. Throws 404 for an unknown instance. */
    async report(db: Db, scope: Scope, instanceId: string): Promise<InstanceHealth> {
      const instance = await instances.get(db, scope, instanceId)
      const at = clock.now()
      const since = new Date(at - HEALTH_DAYS * DAY_MS)
      const settledBefore = new Date(at - HOUR_MS)
      const period = { since, settledBefore, most: MAX_COUNTED_MESSAGES, now: new Date(at) }
      const counts = await countForHealth(db, scope, instanceId, period)
      const { connectedShare, pairedAt } = await instances.uptime(db, scope, instanceId, since)
      const days = pairedAt === null ? 0 : (at - pairedAt.getTime()) / DAY_MS
      const {
        sent = 0,
        received = 0,
        settled = 0,
        delivered = 0,
        restricted = 0,
        wrongNumbers = 0,
        newChats = 0,
        newChatsAnswered = 0,
        mostNewChatsInADay = 0,
        counted = 0,
      } = counts ?? {}
      const metrics: HealthMetrics = {
        sent,
        received,
        settled,
        deliveredShare: shareOf(delivered, settled),
        restrictedShare: shareOf(restricted, sent),
        wrongNumberShare: shareOf(wrongNumbers, sent),
        newChats,
        newChatsAnswered,
        mostNewChatsInADay,
        newChatsAllowance: newChatsAllowance(days),
        connectedShare,
      }
      const banned = instance.status === 'BANNED'
      const state = { banned, restricted: !banned && instance.restriction !== null }
      const { score, level, reasons } = scoreHealth(metrics, state)
      return {
        score,
        level,
        since: since.toISOString(),
        reasons: reasons.map(({ code, points, figure }) => ({
          code,
          points,
          message: sentenceOf(code, figure),
        })),
        metrics,
        complete: counted < MAX_COUNTED_MESSAGES,
        pacing: await pacer.report(db, scope, instanceId),
      }
    },
  }
}

const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 1000) / 1000

/** Returns the sentence for a reason; `figure` is a share or a count. */
function sentenceOf(code: HealthReasonCode, figure: number): string {
  const sentence = say.health[code]
  if (typeof sentence === 'string') return sentence
  return sentence(code === 'TOO_MANY_NEW_CHATS' ? String(figure) : `${Math.round(figure * 100)}%`)
}
