/** Lets the process end although the engine has left timers behind that no code awaits. */
export function unrefTimers(): void {
  const original = globalThis.setTimeout
  const unref = (...args: Parameters<typeof original>) => original(...args).unref()
  globalThis.setTimeout = Object.assign(unref, original)
}
