import type { BusTopics } from '../platform/bus/bus.port.ts'
import { UNWATCHED_POLL_MS, type DueWatch } from '../platform/db/due-watch.ts'
import type { Db } from '../platform/db/sql.ts'
import type { PendingWork } from '../kernel/pending-work.ts'
import type { Clock } from '../kernel/clock.ts'
import { createLoop } from '../kernel/loop.ts'
import {
  anyCampaignDue,
  findBySender,
  findDue,
  orderByTurn,
  postponeCampaign,
} from './campaigns.sql.ts'
import type { CampaignStepper } from './step-campaign.ts'

/** Campaigns due within this time are advanced on time by a timer. */
const LOOKAHEAD_MS = 3000
const MIN_POLL_MS = 10
/** Campaign steps that run at the same time. */
const STEP_CONCURRENCY = 4
const DUE_BATCH_SIZE = 64
/** Maximum campaigns of one Project per run: a slow look-up on the network delays the whole run. */
const MAX_PER_PROJECT = 2
/** Delay before campaigns are selected again after the database failed. */
const FAILED_SELECT_RETRY_MS = 1000
/** Delay before a failed step is retried. */
const RETRY_DELAY_MS = 60_000

/** The worker that advances due campaigns. */
export type CampaignsWorker = { stop(): Promise<void> }

/**
 * Starts the worker that advances campaigns: those that are due, and those with new message
 * results, which may free slots. Every node runs one; a row lock gives each step to one node.
 */
export function startCampaignsWorker(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  bus: BusTopics
  dueWatch: DueWatch
  step: CampaignStepper
  onError: (error: unknown, task?: string) => void
}): CampaignsWorker {
  const { db, clock, activity, bus, dueWatch, step, onError } = deps
  const woken = new Set<string>()
  const instances = new Set<string>()
  let nextAt = Infinity

  async function stepSafely(id: string): Promise<boolean> {
    try {
      return await step(id)
    } catch (error) {
      onError(error, `campaign ${id}`)
      await postponeCampaign(db, id, new Date(clock.now() + RETRY_DELAY_MS)).catch(
        (error: unknown) => onError(error, `postponing campaign ${id}`),
      )
      return false
    }
  }

  /**
   * Selects the campaigns to advance: those that are due, have new results, or use an instance that changed. Those of a
   * Project beyond its share remain for the next run.
   */
  async function selectCampaigns(): Promise<{ ids: Set<string>; more: boolean }> {
    const now = clock.now()
    const changed = [...instances]
    const wokenBefore = [...woken]
    const ids = new Set<string>()
    instances.clear()
    woken.clear()
    nextAt = Infinity
    const until = new Date(now + LOOKAHEAD_MS)
    const find = async () => {
      const ofSenders = changed.length > 0 ? await findBySender(db, changed) : []
      const named = [...new Set([...wokenBefore, ...ofSenders])]
      return named.length > 0 ? orderByTurn(db, named) : []
    }
    const [named, due] = await Promise.all([
      find(),
      findDue(db, until, { most: DUE_BATCH_SIZE, perProject: MAX_PER_PROJECT }),
    ]).catch((error: unknown) => {
      // The next run, soon, selects them again.
      nextAt = now + FAILED_SELECT_RETRY_MS
      for (const id of changed) instances.add(id)
      for (const id of wokenBefore) woken.add(id)
      throw error
    })
    for (const { id, turn } of named) (turn > MAX_PER_PROJECT ? woken : ids).add(id)
    const isLeft = named.some(({ turn }) => turn > MAX_PER_PROJECT)
    for (const { id, dueAt, hasMore } of due) {
      if (dueAt.getTime() <= now) ids.add(id)
      if (dueAt.getTime() > now || hasMore) nextAt = Math.min(nextAt, dueAt.getTime())
    }
    return { ids, more: isLeft || (due.length === DUE_BATCH_SIZE && nextAt === Infinity) }
  }

  async function run(): Promise<boolean> {
    const { ids, more } = await selectCampaigns()
    const waiting = [...ids]
    let further = false
    const lane = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        further = (await stepSafely(id)) || further
      }
    }
    await Promise.all(Array.from({ length: STEP_CONCURRENCY }, lane))
    return further || more
  }

  const everyMs = () => Math.min(UNWATCHED_POLL_MS, Math.max(MIN_POLL_MS, nextAt - clock.now()))
  const loop = createLoop({ task: 'sending campaigns', clock, activity, onError, everyMs, run })
  const unsubscribe = [
    dueWatch.watch((now) => anyCampaignDue(db, new Date(now.getTime() + LOOKAHEAD_MS)), loop.wake),
    bus.subscribe('campaigns', ({ campaignId }) => {
      woken.add(campaignId)
      loop.wake()
    }),
    bus.subscribe('instances', (changed) => {
      if (changed) instances.add(changed.id)
      loop.wake()
    }),
  ]
  return {
    async stop() {
      for (const end of unsubscribe) end()
      await loop.stop()
    },
  }
}
