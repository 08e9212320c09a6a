import { setTimeout as pause } from 'node:timers/promises'
import type { Message } from '../../sdk/src/index.ts'
import { CommandError, EXIT, explain } from './output.ts'
import { say } from './phrases.ts'
import type { Session } from './session.ts'

const POLL_MS = 500
const MAX_WAIT_MS = 60_000

/** Resolves with a message once the network has taken or refused it. Throws after a minute. */
export async function waitForOutcome(
  { recado, url }: Session,
  instanceId: string,
  accepted: Message,
  signal: AbortSignal,
): Promise<Message> {
  const until = Date.now() + MAX_WAIT_MS
  let message = accepted
  while (message.status === 'queued' || message.status === 'sending') {
    if (Date.now() > until)
      throw new CommandError(say.stillWaiting(message.id, message.status), EXIT.failed)
    await pause(POLL_MS, undefined, { signal })
    message = await recado.messages.get(instanceId, message.id).catch((error: unknown) => {
      if (signal.aborted) throw error
      const { message: why, exitCode } = explain(error, url)
      throw new CommandError(say.acceptedOnly(accepted.id, why), exitCode)
    })
  }
  return message
}
