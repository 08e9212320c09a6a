/** The result of one check of the doctor. */
export type Check = {
  name: string
  ok: boolean
  /** The value that was found. */
  detail: string
  /** What to do if the check failed; null otherwise. */
  remedy: string | null
}

/** How long a check of something outside this process may take. */
export const CHECK_MS = 5000

/** A check whose `remedy` applies only if `ok` is false. */
export function check(name: string, ok: boolean, detail: string, remedy: string): Check {
  return { name, ok, detail, remedy: ok ? null : remedy }
}

/** The code of a failed connection (as in ECONNREFUSED), or else its message. */
export function describeFailure(error: unknown): string {
  if (error instanceof AggregateError) return describeFailure(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause ? describeFailure(error.cause) : error.message
}
