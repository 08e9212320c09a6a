import type { BusTopics } from '../bus/bus.port.ts'
import type { Db } from '../db/sql.ts'
import type { Activity } from '../lib/activity.ts'
import type { Clock } from '../lib/clock.ts'
import { createLoop } from '../lib/loop.ts'
import { findDue } from './campaigns.sql.ts'
import type { CampaignStepper } from './step-campaign.ts'

const POLL_MS = 1000
const SOONEST_MS = 10
/** Campaigns that take a step at the same time. */
const AT_ONCE = 4
const DUE_AT_ONCE = 64

export type CampaignsWorker = { stop(): Promise<void> }

/**
 * Takes the campaigns that are due a step further, here or on any other node, whichever comes first; and those whose
 * messages have just got somewhere, which may make room for more.
 */
export function startCampaignsWorker(deps: {
  db: Db
  clock: Clock
  activity: Activity
  bus: BusTopics
  step: CampaignStepper
  onError: (error: unknown) => void
}): CampaignsWorker {
  const { db, clock, activity, bus, step, onError } = deps
  const woken = new Set<string>()
  let nextAt = Infinity

  async function stepSafely(id: string): Promise<boolean> {
    try {
      return await step(id)
    } catch (error) {
      onError(error)
      return false
    }
  }

  async function run(): Promise<boolean> {
    const now = clock.now()
    const due = await findDue(db, new Date(now + POLL_MS), DUE_AT_ONCE)
    const ids = new Set(woken)
    woken.clear()
    nextAt = Infinity
    for (const { id, dueAt } of due) {
      if (dueAt.getTime() <= now) ids.add(id)
      else nextAt = Math.min(nextAt, dueAt.getTime())
    }
    const waiting = [...ids]
    let further = false
    const lane = async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        further = (await stepSafely(id)) || further
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    return further
  }

  const everyMs = () => Math.min(POLL_MS, Math.max(SOONEST_MS, nextAt - clock.now()))
  const loop = createLoop({ clock, activity, onError, everyMs, run })
  const unsubscribe = bus.subscribe('campaigns', (id) => {
    woken.add(id)
    loop.wake()
  })
  return {
    async stop() {
      unsubscribe()
      await loop.stop()
    },
  }
}
