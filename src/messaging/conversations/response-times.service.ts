import type { Clock } from '../../kernel/clock.ts'
import { saoPauloDay, startOfDay } from '../../kernel/day.ts'
import { SAO_PAULO } from '../../kernel/sao-paulo.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import {
  DEFAULT_DAYS,
  MAX_DAYS,
  type ResponseTimes,
  type ResponseTimesQuery,
} from './response-times.schemas.ts'
import { deleteWaits, readResponseTimes } from './response-times.sql.ts'

const DAY_MS = 24 * 3600_000
const NONE = { answered: 0, medianSeconds: null, p90Seconds: null }

/** Reports how long contacts wait for an answer; see `createResponseTimesService`. */
export type ResponseTimesService = ReturnType<typeof createResponseTimesService>

/** Reports how long contacts of direct chats wait for an answer. */
export function createResponseTimesService({ clock }: { clock: Clock }) {
  return {
    /** Deletes waits too old for any report. */
    sweep: (db: Db): Promise<void> =>
      deleteWaits(db, new Date(clock.now() - (MAX_DAYS + 1) * DAY_MS)),

    /** Reports the last days up to and including today, in São Paulo time; days without answers have null figures. */
    async report(db: Db, scope: Scope, query: ResponseTimesQuery): Promise<ResponseTimes> {
      const { days: count = DEFAULT_DAYS, instanceId = null, origin = null } = query
      const wanted = Array.from({ length: count }, (_, index) =>
        saoPauloDay(clock.now() - (count - 1 - index) * DAY_MS),
      )
      const since = new Date(startOfDay(SAO_PAULO, clock.now() - (count - 1) * DAY_MS))
      const now = new Date(clock.now())
      const rows = await readResponseTimes(db, scope, { since, instanceId, origin, now })
      const byDay = new Map(rows.map(({ day, ...figures }) => [day, figures]))
      return {
        total: byDay.get(null) ?? NONE,
        days: wanted.map((day) => ({ day, ...(byDay.get(day) ?? NONE) })),
      }
    },
  }
}
