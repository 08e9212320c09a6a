/** Disk full, disk quota exceeded, and PostgreSQL's disk_full. */
const DISK = new Set(['ENOSPC', 'EDQUOT', '53100'])
/** No more file descriptors, in this process or on this machine. */
const FILES = new Set(['EMFILE', 'ENFILE'])
const MAX_CAUSE_DEPTH = 5

/**
 * The resource whose exhaustion caused an error, on this machine or its database, found by following `cause`. Null for
 * any other error.
 */
export function exhaustedResource(error: unknown): 'disk' | 'files' | null {
  let current = error
  for (let depth = 0; current instanceof Error && depth < MAX_CAUSE_DEPTH; depth++) {
    const code = 'code' in current && typeof current.code === 'string' ? current.code : ''
    if (DISK.has(code)) return 'disk'
    if (FILES.has(code)) return 'files'
    current = current.cause
  }
  return null
}
