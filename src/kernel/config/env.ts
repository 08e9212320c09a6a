/** The process environment; the only place that reads it. */
export function readEnv(): Record<string, string | undefined> {
  return process.env
}
