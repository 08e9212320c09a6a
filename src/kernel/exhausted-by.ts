/** No space is left, or none for this user; the last is PostgreSQL's. */
const DISK = new Set(['ENOSPC', 'EDQUOT', '53100'])
/** No file or socket can be opened, in this process or on this machine. */
const FILES = new Set(['EMFILE', 'ENFILE'])
const DEEPEST_CAUSE = 5

/** What this machine or its database has run out of, by an error or what caused it; null for any other error. */
export function exhaustedBy(error: unknown): 'disk' | 'files' | null {
  let current = error
  for (let depth = 0; current instanceof Error && depth < DEEPEST_CAUSE; depth++) {
    const code = 'code' in current && typeof current.code === 'string' ? current.code : ''
    if (DISK.has(code)) return 'disk'
    if (FILES.has(code)) return 'files'
    current = current.cause
  }
  return null
}
