import type { IncomingHttpHeaders } from 'node:http'

/**
 * The hostname of the `Host` header in lower case, without its port; empty when there is none. Never of `X-Forwarded-Host`,
 * which decides nothing, whoever sends it: the host decides the mode.
 */
export function hostnameOf(headers: Pick<IncomingHttpHeaders, 'host'>): string {
  const host = (headers.host ?? '').toLowerCase()
  return /^\[[^\]]*\]/.exec(host)?.[0] ?? host.replace(/:\d*$/, '')
}
