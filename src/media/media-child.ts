// Decodes the files of strangers in a process of its own, which `media-process.ts` starts, limits and ends.
import { fitImage, readRecording } from './media-jobs.ts'
import { MediaProblem } from './media-problem.ts'
import type { JobAnswer, JobOrder } from './media-process.ts'

async function runJob(order: JobOrder): Promise<JobAnswer> {
  try {
    const { job, input } = order
    return { result: await (job === 'image' ? fitImage(input) : readRecording(input)) }
  } catch (error) {
    if (!(error instanceof MediaProblem)) return { error: String(error) }
    const { kind, detail, cause } = error
    return { problem: { kind, detail, because: cause instanceof Error ? cause.message : '' } }
  }
}

process.on(
  'message',
  (order: JobOrder) => void runJob(order).then((answer) => process.send?.(answer)),
)
process.once('disconnect', () => process.exit(0))
