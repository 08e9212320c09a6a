/** Lets the process end although the engine has left timers behind, which nobody waits for any more. */
export function unrefTimers(): void {
  const original = globalThis.setTimeout
  const unref = (...args: Parameters<typeof original>) => original(...args).unref()
  globalThis.setTimeout = Object.assign(unref, original)
}
