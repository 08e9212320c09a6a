/** Returns the process environment; no other code reads it. */
export function readEnv(): Record<string, string | undefined> {
  return process.env
}
