import type { BusTopics } from '../platform/bus/bus.port.ts'
import { UNWATCHED_POLL_MS, type DueWatch } from '../platform/db/due-watch.ts'
import type { Db } from '../platform/db/sql.ts'
import { createPendingWork, type PendingWork } from '../kernel/pending-work.ts'
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
/** Maximum steps of one Project at the same time: each may wait for a slow look-up on the network. */
const MAX_PER_PROJECT = 2
/** Delay before campaigns are selected again after the database failed. */
const FAILED_SELECT_RETRY_MS = 1000
/** Delay before a failed step is retried. */
const RETRY_DELAY_MS = 60_000

type Candidate = { id: string; projectId: string }

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
  /** The campaigns whose next step is under way, and those that wait for it. */
  const running = new Map<string, Candidate>()
  let waiting: Candidate[] = []
  const steps = createPendingWork()
  let isStopped = false
  /** Whether campaigns were left out of the last selection. */
  let isMore = false
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
   * Project beyond its share, and those whose step is under way, remain for the next run.
   */
  async function selectCampaigns(): Promise<void> {
    const now = clock.now()
    const changed = [...instances]
    const wokenBefore = [...woken].filter((id) => !running.has(id))
    instances.clear()
    for (const id of wokenBefore) woken.delete(id)
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
    const selected = new Map(waiting.map((one) => [one.id, one]))
    for (const { id, projectId, turn } of named) {
      if (turn > MAX_PER_PROJECT || running.has(id)) woken.add(id)
      else selected.set(id, { id, projectId })
    }
    for (const { id, projectId, dueAt } of due) {
      if (dueAt.getTime() > now) nextAt = Math.min(nextAt, dueAt.getTime())
      else if (!running.has(id)) selected.set(id, { id, projectId })
    }
    waiting = [...selected.values()]
    isMore = due.length === DUE_BATCH_SIZE || due.some(({ hasMore }) => hasMore)
  }

  /** Starts the steps of waiting campaigns, as far as there is room for them and for their Project. */
  function startSteps(): void {
    const stepsOf = (projectId: string) =>
      [...running.values()].filter((one) => one.projectId === projectId).length
    while (running.size < STEP_CONCURRENCY && !isStopped) {
      const next = waiting.find(({ projectId }) => stepsOf(projectId) < MAX_PER_PROJECT)
      if (!next) return
      waiting = waiting.filter((one) => one !== next)
      running.set(next.id, next)
      void activity.run(() => steps.run(() => runStep(next.id)))
    }
  }

  async function runStep(id: string): Promise<void> {
    const isFurther = await stepSafely(id)
    running.delete(id)
    if (isFurther) woken.add(id)
    startSteps()
    if (isMore || woken.size > 0 || instances.size > 0) loop.wake()
  }

  /** Starts the next steps. It waits for none: a Project whose steps are slow holds its share of the places. */
  async function run(): Promise<boolean> {
    // The next one that ends wakes the loop.
    if (running.size >= STEP_CONCURRENCY) {
      nextAt = Infinity
      return false
    }
    await selectCampaigns()
    startSteps()
    return false
  }

  const everyMs = () => Math.min(UNWATCHED_POLL_MS, Math.max(MIN_POLL_MS, nextAt - clock.now()))
  const loop = createLoop({ task: 'sending campaigns', clock, activity, onError, everyMs, run })
  const unsubscribe = [
    dueWatch.watch((now) => anyCampaignDue(db, new Date(now.getTime() + LOOKAHEAD_MS)), loop.wake),
    bus.subscribe('campaigns', ({ campaignId }) => {
      woken.add(campaignId)
      // The end of its step wakes the loop.
      if (!running.has(campaignId)) loop.wake()
    }),
    bus.subscribe('instances', (changed) => {
      if (changed) instances.add(changed.id)
      loop.wake()
    }),
  ]
  return {
    async stop() {
      isStopped = true
      for (const end of unsubscribe) end()
      await loop.stop()
      await steps.idle()
    },
  }
}
