const TIMEOUT_MS = 10_000

/** Whether the server responds. Reloading the page while it does not would replace the panel by the browser's own page. */
export async function isServerReachable(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    return (await fetch('/entrar', { method: 'HEAD', cache: 'no-store', signal })).ok
  } catch {
    return false
  }
}
