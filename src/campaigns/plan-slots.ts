import type { Db } from '../platform/db/sql.ts'
import { random } from '../kernel/ids.ts'
import { countSent, findPaces, savePaces, type CampaignRow } from './campaigns.sql.ts'
import { findInstances, MAX_QUEUED, type Sender } from './senders.sql.ts'
import type { PauseReason } from './campaigns.schemas.ts'
import { startOfNextDay, startOfDay } from '../kernel/day.ts'
import { SAO_PAULO } from '../kernel/sao-paulo.ts'
import { opensAt } from './sending-window.ts'

/** Which instances may send now, and when to plan again. */
export type Slots = {
  /** The instance of each next message, round-robin. */
  order: string[]
  /** When to plan again, in epoch milliseconds; null: when message results arrive. */
  nextAt: number | null
  /** Why no instance can send, or null. */
  pause: { reason: PauseReason; willResume: boolean } | null
}

const none = (nextAt: number | null, pause: Slots['pause'] = null): Slots => ({
  order: [],
  nextAt,
  pause,
})

/**
 * Plans which instances send the next messages of a campaign: connected ones, within the sending
 * window, pacing and daily limit.
 */
export async function planSlots(
  tx: Db,
  campaign: CampaignRow,
  { most, now }: { most: number; now: number },
): Promise<Slots> {
  const { pacing } = campaign
  const scope = { projectId: campaign.projectId, mode: campaign.mode, keyId: null }
  const instances = await findInstances(tx, scope, campaign.instanceIds, new Date(now), {
    // Each message is shown as being typed before it leaves.
    isSlow: (campaign.message['typingMs'] ?? 0) > 0,
    hasWindow: pacing?.window != null,
  })
  const usable = instances.filter((one) => one.status === 'CONNECTED' && !one.restricted)
  if (usable.length === 0) {
    const restricted = instances.some(({ status }) => status === 'CONNECTED')
    const willResume = restricted || instances.some(({ returns }) => returns)
    const reason = restricted ? 'INSTANCE_RESTRICTED' : 'INSTANCE_NOT_CONNECTED'
    return none(null, { reason, willResume })
  }
  const opens = pacing?.window ? opensAt(pacing.window, now) : now
  if (opens > now) return none(opens)
  if (most <= 0) return none(null)
  const left = await remainingToday(tx, campaign, usable, now)
  const within = [...left].flatMap(([id, count]) => (count > 0 ? [id] : []))
  if (within.length === 0) return none(startOfNextDay(zoneOf(campaign), now))
  // A slow instance gets few at a time: a longer queue could outlast the sending window.
  for (const { id, waiting } of usable) {
    if (waiting !== null) left.set(id, Math.min(left.get(id) ?? 0, MAX_QUEUED - waiting))
  }
  if (within.every((id) => (left.get(id) ?? 0) <= 0)) return none(null)
  if (!pacing || pacing.maxDelayMs === 0)
    return {
      ...none(null),
      order: assignRoundRobin(within, left, most),
    }
  const paces = await findPaces(tx, campaign.id)
  const able = within.filter((id) => (left.get(id) ?? 0) > 0)
  const ready = able.filter((id) => (paces.get(id) ?? 0) <= now)
  const nextAt = Math.min(...able.map((id) => paces.get(id) ?? now))
  return { order: ready.slice(0, most), nextAt, pause: null }
}

/** Stores when each instance that has just sent may send again. */
export async function savePlan(
  tx: Db,
  { id, pacing }: CampaignRow,
  sent: string[],
  now: number,
): Promise<void> {
  if (!pacing || pacing.maxDelayMs === 0 || sent.length === 0) return
  const { minDelayMs, maxDelayMs } = pacing
  const paces = [...new Set(sent)].map((instanceId) => ({
    instanceId,
    nextAt: now + minDelayMs + Math.round(random() * (maxDelayMs - minDelayMs)),
  }))
  await savePaces(tx, id, paces)
}

const zoneOf = ({ pacing }: CampaignRow) => pacing?.window?.timeZone ?? SAO_PAULO

/** Returns how many campaign messages each instance may still send today, in the time zone of the campaign. */
async function remainingToday(
  tx: Db,
  campaign: CampaignRow,
  usable: Sender[],
  now: number,
): Promise<Map<string, number>> {
  const ids = usable.map(({ id }) => id)
  const limit = campaign.pacing?.dailyLimitPerInstance ?? null
  if (limit === null) return new Map(ids.map((id) => [id, Infinity]))
  const sent = await countSent(tx, ids, new Date(startOfDay(zoneOf(campaign), now)), limit)
  return new Map(ids.map((id) => [id, limit - (sent.get(id) ?? 0)]))
}

/** Assigns messages round-robin, up to what each instance has left. */
function assignRoundRobin(ids: string[], left: Map<string, number>, most: number): string[] {
  const order: string[] = []
  for (let round = 0; order.length < most; round++) {
    const able = ids.filter((id) => (left.get(id) ?? 0) > round)
    if (able.length === 0) break
    order.push(...able.slice(0, most - order.length))
  }
  return order
}
