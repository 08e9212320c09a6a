import {
  ApiError,
  AuthenticationError,
  AbortError,
  ConnectionError,
  GatewayError,
  PermissionError,
  RecadoError,
  UnexpectedResponseError,
} from '../../sdk/src/index.ts'
import { say } from './phrases.ts'

/** Exit codes, as documented in `recado --help`. */
export const EXIT = { failed: 1, usage: 2, key: 3, server: 4, interrupted: 130 } as const

/** An error whose message is for the user, with the exit code of the program. */
export class CommandError extends Error {
  readonly exitCode: number
  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Prints a result: the sentence for people, the object with `--json`. */
export function print(asJson: boolean, sentence: string, value: object): void {
  process.stdout.write(`${asJson ? JSON.stringify(value) : sentence}\n`)
}

/** Prints a hint for people, which is not part of the output. */
export const note = (sentence: string): void => void process.stderr.write(`${sentence}\n`)

/** Says where a server redirects to: the origin, which is what --url takes. Within its origin, it is another program. */
export function explainRedirect(url: string, location: string): string {
  const target = URL.canParse(location, url) ? new URL(location, url).origin : location
  return target === new URL(url).origin ? say.notRecado(url) : say.redirected(url, target)
}

/** Returns the sentence and the exit code for an error. Throws what is neither the user's nor the server's fault. */
export function explain(error: unknown, url: string): CommandError {
  if (error instanceof CommandError) return error
  if (error instanceof RecadoError && error.idempotencyKey !== null)
    return new CommandError(say.maybeMade(url, error.idempotencyKey), EXIT.server)
  if (error instanceof AuthenticationError)
    return new CommandError(say.refusedKey(error.message, url), EXIT.key)
  if (error instanceof PermissionError) {
    const { message, reason } = error
    return new CommandError(reason ? say.refusedPermission(message) : message, EXIT.key)
  }
  if (error instanceof UnexpectedResponseError)
    return new CommandError(
      error.location === null ? say.notRecado(url) : explainRedirect(url, error.location),
      EXIT.server,
    )
  if (error instanceof GatewayError) return new CommandError(error.message, EXIT.server)
  if (error instanceof ConnectionError) return new CommandError(say.unreachable(url), EXIT.server)
  if (error instanceof ApiError) {
    const request = error.requestId ? ` (${error.requestId})` : ''
    return new CommandError(`${error.message}${request}`)
  }
  if (error instanceof AbortError) throw error
  // The event stream refuses a key with a close code.
  if (error instanceof RecadoError)
    return new CommandError(say.refusedEvents(error.message), EXIT.key)
  throw error
}
