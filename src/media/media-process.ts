import { fork, type ChildProcess } from 'node:child_process'
import { availableParallelism, setPriority } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock, Timer } from '../kernel/clock.ts'
import { createFairSemaphore } from '../kernel/fair-semaphore.ts'
import type { FittedPixels, ImageJob, Recording } from './media-jobs.ts'
import { MediaProblem, type MediaProblemKind } from './media-problem.ts'
import type { VoiceJob, VoiceNote } from './voice-note.ts'

type Jobs = {
  image: (input: ImageJob) => FittedPixels
  recording: (input: { path: string }) => Recording
  voice: (input: VoiceJob) => VoiceNote
}
/** A job for the media process. */
export type JobRequest =
  | { job: 'image'; input: ImageJob }
  | { job: 'recording'; input: { path: string } }
  | { job: 'voice'; input: VoiceJob }
/** What a job returns. */
export type JobResult = FittedPixels | Recording | VoiceNote
/** The result of a job, or its problem. */
export type JobResponse =
  | { result: JobResult }
  | { problem: { kind: MediaProblemKind; detail: string; because: string } }
  | { error: string }

class ChildExited extends Error {}

/** The process of a job has exited twice, or did not end in time: the file would do so again. */
export class JobLost extends Error {}

/** Runs jobs in the media process; see `createMediaProcess`. */
export type MediaProcess = {
  /** Runs a job. Rejects with MediaProblem, with SemaphoreTimeout, or after 30 seconds. */
  run<Job extends keyof Jobs>(
    projectId: string,
    job: Job,
    input: Parameters<Jobs[Job]>[0],
  ): Promise<ReturnType<Jobs[Job]>>
  close(): Promise<void>
}

const JOB_CONCURRENCY = Math.max(1, Math.floor(availableParallelism() / 2))
const MAX_WAITING = 500
const WAIT_MS = 60_000
const JOB_MS = 30_000
/** Idle processes are stopped: each one holds 60 to 100 MB. */
const IDLE_MS = 120_000
const HEAP_MB = 128
/** Low priority, so that decoding yields to everything else on the machine. */
const NICENESS = 10
/** Has the extension of this file: `.ts` in a clone, `.js` in the published package. */
const CHILD = fileURLToPath(new URL(`media-child${extname(import.meta.url)}`, import.meta.url))

/**
 * Decodes images and recordings in child processes: on half of the cores, at low priority, one file
 * at a time each. A hostile file affects neither the server nor, for long, the files of other
 * Projects.
 */
export function createMediaProcess(clock: Clock): MediaProcess {
  const gate = createFairSemaphore({
    clock,
    max: JOB_CONCURRENCY,
    maxPerKey: Math.max(1, JOB_CONCURRENCY - 1),
    maxWaiting: MAX_WAITING,
    timeoutMs: WAIT_MS,
  })
  const idle = new Set<ChildProcess>()
  const all = new Set<ChildProcess>()
  let timer: Timer | null = null
  let closed = false

  function start(): ChildProcess {
    const child = fork(CHILD, {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    if (child.pid !== undefined) lowerPriority(child.pid)
    all.add(child)
    child.on('error', () => {})
    child.once('exit', () => {
      all.delete(child)
      idle.delete(child)
    })
    return child
  }

  function end(children: Iterable<ChildProcess>): void {
    for (const child of children) {
      idle.delete(child)
      child.kill('SIGKILL')
    }
  }

  async function runInChild(order: JobRequest): Promise<JobResult> {
    const [child = start()] = idle
    idle.delete(child)
    timer?.cancel()
    const { promise, resolve, reject } = Promise.withResolvers<JobResponse>()
    const late = clock.after(JOB_MS, () => {
      reject(new JobLost(`${order.job}: no answer within ${JOB_MS} ms`))
      end([child])
    })
    const onExit = (code: number | null, signal: string | null) =>
      reject(new ChildExited(`${order.job}: the media process exited (${signal ?? code})`))
    child.once('message', resolve)
    child.once('exit', onExit)
    child.send(order, (error) => error && reject(new ChildExited(String(error))))
    try {
      const answer = await promise
      idle.add(child)
      if ('result' in answer) return answer.result
      if ('error' in answer) throw toError(answer.error)
      const { kind, detail, because } = answer.problem
      throw new MediaProblem(kind, detail, because)
    } finally {
      late.cancel()
      child.off('message', resolve)
      child.off('exit', onExit)
      timer?.cancel()
      timer = closed ? null : clock.after(IDLE_MS, () => end(idle))
    }
  }

  /** Retries once if the process was killed, for example for lack of memory. */
  async function runWithRetry(order: JobRequest): Promise<JobResult> {
    try {
      return await runInChild(order)
    } catch (error) {
      if (!(error instanceof ChildExited) || closed) throw error
      return runInChild(order).catch((again: unknown) => {
        throw again instanceof ChildExited && !closed
          ? new JobLost(again.message, { cause: again })
          : again
      })
    }
  }

  return {
    run: (projectId, job, input) =>
      gate(projectId, () => runWithRetry({ job, input } as JobRequest)) as Promise<never>,
    async close() {
      closed = true
      timer?.cancel()
      end(all)
    },
  }
}

/** The error of a child, with the code by which a full disk is known. */
function toError(text: string): Error {
  const code = /no space left|ENOSPC/i.test(text) ? { code: 'ENOSPC' } : {}
  return Object.assign(new Error(text), code)
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, NICENESS)
  } catch {
    // The process has exited, or the system forbids the change: it then runs at normal priority.
  }
}
