// Decodes untrusted files in a separate process, which `media-process.ts` starts, limits and stops.
import { fitImage, readRecording } from './media-jobs.ts'
import { MediaProblem } from './media-problem.ts'
import type { JobResponse, JobRequest } from './media-process.ts'

async function runJob(order: JobRequest): Promise<JobResponse> {
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
  (order: JobRequest) => void runJob(order).then((answer) => process.send?.(answer)),
)
process.once('disconnect', () => process.exit(0))
