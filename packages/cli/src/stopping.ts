import { EXIT } from './output.ts'

/** What is left to say and to close after an interruption gets this long. */
const GRACE_MS = 2000

const stopping = new AbortController()
/** Aborts when the user interrupts the program, and with it every request. */
export const { signal } = stopping

/** Ends the program with exit code 130 when it is interrupted; a second interruption ends it at once. */
export function stopOnSignals(): void {
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      process.exitCode = EXIT.interrupted
      stopping.abort()
      setTimeout(() => process.exit(), GRACE_MS).unref()
    })
}
