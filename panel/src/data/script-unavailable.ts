import { t } from '../phrases/phrases.ts'
import { isServerReachable } from './reachable.ts'

/** When the panel was last reloaded because a script was missing, in milliseconds since the epoch. */
const RELOADED_KEY = 'recado.recarregado'
/** A panel whose script is still missing after a reload is not reloaded again for this long. */
const RELOAD_PAUSE_MS = 60_000

/** A script of the panel could not be loaded. The browser's own message is in English and about modules. */
class ScriptUnavailable extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'ScriptUnavailable'
  }
}

/**
 * Returns the error to show for a script that could not be loaded. If the server responds, it was probably upgraded and
 * has scripts of other names: the panel is reloaded, at most once a minute, and the promise does not settle.
 */
export async function whyUnavailable(cause: unknown): Promise<Error> {
  if (!(await isServerReachable())) return new ScriptUnavailable(t.faults.offline, cause)
  const last = Number(sessionStorage.getItem(RELOADED_KEY) ?? 0)
  if (Date.now() - last < RELOAD_PAUSE_MS) return new ScriptUnavailable(t.faults.script, cause)
  sessionStorage.setItem(RELOADED_KEY, String(Date.now()))
  location.reload()
  return new Promise<never>(() => {})
}
