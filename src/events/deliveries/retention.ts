import type { DailyTable } from '../../platform/db/partitions.ts'
import { eventsNeeded } from './delivery-log.sql.ts'

/** Retention of the delivery log, 30 days (specification §8): a partition is dropped when its last row is older. */
export const LOG_KEPT_MS = 30 * 24 * 3600_000
/** Events hold message content: their partition is dropped soon after its day, once no delivery refers to it. */
const EVENTS_KEPT_MS = 3 * 3600_000

/** Retention of events and delivery attempts. */
export const deliveryTables: DailyTable[] = [
  {
    name: 'event',
    isOver: async (tx, dayEnd, now) =>
      dayEnd <= now - EVENTS_KEPT_MS && !(await eventsNeeded(tx, new Date(dayEnd))),
  },
  { name: 'delivery_log', isOver: (_tx, dayEnd, now) => dayEnd <= now - LOG_KEPT_MS },
]
