import { ApiError } from './api.ts'

/** The keys of calls whose outcome is unknown, by what they ask. */
const unanswered = new Map<string, { key: string; at: number }>()
const MAX_UNANSWERED = 50
/** After this time, the same text is meant as another message. */
const REPEATED_WITHIN_MS = 60_000

/**
 * Calls with an Idempotency-Key. After a failure that does not say whether the call was carried out, such as a lost
 * connection, the same call gets the same key again: a person who repeats it sends nothing twice.
 */
export async function callOnce<Answer>(
  what: unknown,
  call: (key: string) => Promise<Answer>,
): Promise<Answer> {
  const asked = JSON.stringify(what)
  const before = unanswered.get(asked)
  const isRepeated = before !== undefined && Date.now() - before.at < REPEATED_WITHIN_MS
  const key = isRepeated ? before.key : randomKey()
  unanswered.delete(asked)
  try {
    return await call(key)
  } catch (error) {
    // A repetition that is refused says nothing about the call before it.
    const isUnknown =
      isRepeated ||
      !(error instanceof ApiError) ||
      error.status === 0 ||
      error.status >= 500 ||
      error.code === 'MALFORMED'
    if (isUnknown && unanswered.size < MAX_UNANSWERED) {
      unanswered.set(asked, { key, at: Date.now() })
    }
    throw error
  }
}

/** `crypto.randomUUID` exists only over HTTPS. */
const randomKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
