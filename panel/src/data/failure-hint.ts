import { t } from '../phrases/phrases.ts'

/** The code of a network error within the reason of an attempt, such as `ENOTFOUND`. */
const CODE = /\b(?:E[A-Z]{4,}|[A-Z]+(?:_[A-Z]+)+)\b/
/** How long an attempt may take; one that took as long ended because of that. */
const ATTEMPT_MS = 15_000

/** What an attempt ended with. */
type Ending = { statusCode: number | null; errorReason: string | null; durationMs: number }

/** Returns what the owner of an endpoint can check after an attempt failed; null if nothing is known of the cause. */
export function failureHint({ statusCode, errorReason, durationMs }: Ending): string | null {
  const { hints } = t
  if (statusCode !== null) {
    if (statusCode === 401 || statusCode === 403) return hints.refused
    if (statusCode === 404 || statusCode === 405 || statusCode === 410) return hints.path
    if (statusCode === 413) return hints.tooLarge
    if (statusCode === 429) return hints.tooFast
    if (statusCode >= 300 && statusCode < 400) return hints.redirect
    return statusCode >= 500 ? hints.crash : hints.rejected
  }
  const code = CODE.exec(errorReason ?? '')?.[0]
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return hints.name
    case 'ECONNREFUSED':
      return hints.closed
    case 'ECONNRESET':
    case 'EPIPE':
      return hints.cut
    default:
      return durationMs >= ATTEMPT_MS ? hints.slow : null
  }
}
