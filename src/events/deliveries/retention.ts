import type { DailyTable } from '../../platform/db/partitions.ts'
import { eventsNeeded } from './delivery-log.sql.ts'

/** The log is kept 30 days (specification §8): a partition goes when its last row is older. */
export const LOG_KEPT_MS = 30 * 24 * 3600_000
/** Events are content of messages: their partition goes soon after their day, once nothing waits for it. */
const EVENTS_KEPT_MS = 3 * 3600_000

/** For how long events and what became of them are kept. */
export const deliveryTables: DailyTable[] = [
  {
    name: 'event',
    isOver: async (tx, dayEnd, now) =>
      dayEnd <= now - EVENTS_KEPT_MS && !(await eventsNeeded(tx, new Date(dayEnd))),
  },
  { name: 'delivery_log', isOver: (_tx, dayEnd, now) => dayEnd <= now - LOG_KEPT_MS },
]
