import { setTimeout as pause } from 'node:timers/promises'
import { renderUnicodeCompact } from 'uqr'
import { keepTrying } from './keep-trying.ts'
import { CommandError, note, print } from './output.ts'
import { say } from './phrases.ts'
import type { Session } from './session.ts'

const PAIRING_POLL_MS = 1000

/** Shows each pairing code until a phone has scanned one or `signal` aborts. Throws if the instance cannot be paired. */
export async function pairInTerminal(
  { recado, globals, url }: Session,
  { id }: { id: string },
  signal: AbortSignal,
): Promise<void> {
  note(say.scanWith)
  const untilRead = keepTrying(url, signal)
  for (
    let shown = '';
    !signal.aborted;
    await pause(PAIRING_POLL_MS, null, { signal }).catch(() => {})
  ) {
    const poll = await untilRead(() => recado.instances.pollQr(id))
    if (poll === null) return
    const { status, code } = poll
    if (status === 'CONNECTED') {
      print(globals.json, say.paired(id), { id, status })
      return
    }
    if (['BANNED', 'STOPPED', 'PASSKEY_REQUIRED'].includes(status))
      throw new CommandError(say.stopped(status))
    if (!code || code === shown) continue
    print(globals.json, renderUnicodeCompact(code, { border: 2 }), { id, status, code })
    shown = code
  }
}
