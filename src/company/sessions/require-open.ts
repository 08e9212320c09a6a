import { fail } from '../../kernel/phrases/fail.ts'
import type { SessionRow } from './sessions.sql.ts'

/** Throws 401 unless the session is open, with the code SESSION_SUPERSEDED if another session ended it. */
export function requireOpen<Row extends Pick<SessionRow, 'supersededAt' | 'endedAt' | 'expiresAt'>>(
  row: Row | null,
  now: number,
): asserts row is Row {
  if (row?.supersededAt) {
    throw fail('unauthorized', (say) => say.auth.superseded, { code: 'SESSION_SUPERSEDED' })
  }
  if (!row || row.endedAt || row.expiresAt.getTime() <= now) {
    throw fail('unauthorized', (say) => say.auth.badRefresh)
  }
}
