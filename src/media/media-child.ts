// Decodes untrusted files in a separate process, which `media-process.ts` starts, limits and stops.
import { fitImage, readRecording } from './media-jobs.ts'
import { makeVoiceNote } from './voice-note.ts'
import { MediaProblem } from './media-problem.ts'
import type { JobResponse, JobRequest, JobResult } from './media-process.ts'

function resultOf({ job, input }: JobRequest): Promise<JobResult> {
  switch (job) {
    case 'image':
      return fitImage(input)
    case 'recording':
      return readRecording(input)
    case 'voice':
      return makeVoiceNote(input)
  }
}

async function runJob(order: JobRequest): Promise<JobResponse> {
  try {
    return { result: await resultOf(order) }
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
