import type { Config } from '../../kernel/config/config.ts'
import { errorCode } from '../db/database-errors.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'

/**
 * Converts an error of opening the listener to a StartFault that names the variable; returns other errors unchanged.
 */
export function listenFault(error: unknown, { port, host }: Config): unknown {
  const code = errorCode(error)
  if (code === 'EADDRINUSE') return new StartFault(say.start.portTaken(port), error)
  if (code === 'EACCES') return new StartFault(say.start.portForbidden(port), error)
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code)) {
    return new StartFault(say.start.hostInvalid(host), error)
  }
  return error
}
