import type { IncomingHttpHeaders } from 'node:http'

/**
 * The host name of the `Host` header in lower case without its port; empty if there is none. `X-Forwarded-Host` is
 * always ignored, because the host selects the mode.
 */
export function hostnameOf(headers: Pick<IncomingHttpHeaders, 'host'>): string {
  const host = (headers.host ?? '').toLowerCase()
  return /^\[[^\]]*\]/.exec(host)?.[0] ?? host.replace(/:\d*$/, '')
}
