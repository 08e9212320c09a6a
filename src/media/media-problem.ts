import { fail, type Failure } from '../kernel/phrases/fail.ts'
import type { MessageErrorCode } from '../model/records.schemas.ts'
import type { TargetProblem } from '../platform/egress/target-url.ts'

/** The kinds of problems with a file. */
export type MediaProblemKind =
  'empty' | 'broken' | 'too_large' | 'quota' | 'unsupported' | 'mismatch' | 'voice' | 'fetch_failed'

/** The type of a file whose bytes show none. */
export const UNKNOWN_TYPE = 'application/octet-stream'

/** What is wrong with a file. */
export class MediaProblem extends Error {
  readonly kind: MediaProblemKind
  /** The detected type, the exceeded limit or another reason. */
  readonly detail: string

  constructor(kind: MediaProblemKind, detail = '', cause?: unknown) {
    super(`media ${kind} ${detail}`, { cause })
    this.name = 'MediaProblem'
    this.kind = kind
    this.detail = detail
  }

  /** The error for the sender of the file. */
  toFailure(): Failure {
    const { detail } = this
    const cause = { cause: this }
    switch (this.kind) {
      case 'empty':
        return fail('bad_request', (say) => say.media.empty, cause)
      case 'broken':
        return fail('bad_request', (say) => say.media.broken, cause)
      case 'fetch_failed':
        return fail('bad_request', (say) => say.messages.errors.MEDIA_FETCH_FAILED, cause)
      case 'too_large':
        return fail('payload_too_large', (say) => say.media.tooLarge(detail), cause)
      case 'quota':
        return fail('payload_too_large', (say) => say.media.quota(Number(detail)), cause)
      case 'unsupported':
        return fail(
          'unsupported_media_type',
          (say) => (detail === UNKNOWN_TYPE ? say.media.unknown : say.media.unsupported(detail)),
          cause,
        )
      case 'mismatch':
        return fail('unsupported_media_type', (say) => say.media.mismatch(detail), cause)
      case 'voice':
        return fail('unsupported_media_type', (say) => say.media.voice, cause)
    }
  }

  /** Returns the error code for a message that was accepted before its file was fetched. */
  toErrorCode(): MessageErrorCode {
    if (this.kind === 'too_large' || this.kind === 'quota') return 'MEDIA_TOO_LARGE'
    return this.kind === 'fetch_failed' ? 'MEDIA_FETCH_FAILED' : 'MEDIA_UNSUPPORTED'
  }
}

/** Whether an error is a fault of this machine, such as a full disk, and not of the file. */
export const isMachineFault = (error: unknown): boolean =>
  error instanceof Error && /no space left|ENOSPC|EMFILE|ENFILE|EAGAIN|ENOMEM/i.test(error.message)

/** The error for a URL from which no file may be fetched. */
export function urlFailure(problem: TargetProblem): Failure {
  const field = 'media.url'
  return fail('bad_request', (say) => say.media.url(say.webhooks.urlProblem[problem]), { field })
}

/** Runs work on a file for a caller and turns its problems into error responses. */
export async function orFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof MediaProblem ? error.toFailure() : error
  }
}
