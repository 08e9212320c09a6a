import type { DailyPartitionedTable } from '../../platform/db/partitions.ts'
import { hasDeliveriesBefore } from './delivery-log.sql.ts'

/** Retention of the delivery log, 30 days (G48): a partition is dropped when its last row is older. */
export const LOG_RETENTION_MS = 30 * 24 * 3600_000
/** Events hold message content: their partition is dropped soon after its day, once no delivery refers to it. */
const EVENT_RETENTION_MS = 3 * 3600_000

/** Retention of events and delivery attempts. */
export const deliveryRetention: DailyPartitionedTable[] = [
  {
    name: 'event',
    isExpired: async (tx, dayEnd, now) =>
      dayEnd <= now - EVENT_RETENTION_MS && !(await hasDeliveriesBefore(tx, new Date(dayEnd))),
  },
  { name: 'delivery_log', isExpired: (_tx, dayEnd, now) => dayEnd <= now - LOG_RETENTION_MS },
]
