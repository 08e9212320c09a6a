import type { Socket } from 'node:net'

/** Thrown when a proxy does not respond. */
export class ProxyError extends Error {
  readonly code = 'EGRESS_PROXY'
}

const RESPONSE_TIMEOUT_MS = 15_000
const MAX_RESPONSE_BYTES = 8192

const PROXY_PROTOCOLS = new Set(['http:', 'socks5:'])
/** Of user name and password each, in SOCKS 5 (RFC 1929). */
const MAX_LOGIN_BYTES = 255

/** Parses a tenant's proxy URL. Returns null if it cannot be connected to, whatever is at the other end. */
export function parseProxyUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !PROXY_PROTOCOLS.has(url.protocol) || url.hostname === '') return null
  return canLogIn(url) ? url : null
}

function canLogIn(url: URL): boolean {
  try {
    const { userId, password } = loginOf(url) ?? { userId: '', password: '' }
    return [userId, password].every(
      (part) => !/\p{Cc}/u.test(part) && Buffer.byteLength(part) <= MAX_LOGIN_BYTES,
    )
  } catch {
    // A percent sign that encodes nothing.
    return false
  }
}

/**
 * Has the proxy at the other end of `socket` connect to a target, and returns the socket. Destroys the socket on
 * failure.
 */
export async function tunnelThrough(
  socket: Socket,
  proxy: URL,
  target: { host: string; port: number },
): Promise<Socket> {
  try {
    if (proxy.protocol === 'socks5:') await connectSocks(socket, proxy, target)
    else await connectHttp(socket, proxy, target)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function connectSocks(
  existing_socket: Socket,
  proxy: URL,
  destination: { host: string; port: number },
): Promise<void> {
  // Loaded on first use, because the package takes megabytes of memory.
  const { SocksClient } = await import('socks')
  const { userId, password } = loginOf(proxy) ?? {}
  await SocksClient.createConnection({
    proxy: {
      host: proxy.hostname,
      port: portOf(proxy),
      type: 5,
      ...(userId === undefined
        ? {}
        : {
            userId,
            password: password ?? '',
          }),
    },
    command: 'connect',
    destination,
    existing_socket,
    timeout: RESPONSE_TIMEOUT_MS,
  })
}

function connectHttp(
  socket: Socket,
  proxy: URL,
  { host, port }: { host: string; port: number },
): Promise<void> {
  const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const login = loginOf(proxy)
  const basic = login && Buffer.from(`${login.userId}:${login.password}`).toString('base64')
  return new Promise((resolve, reject) => {
    let answer = ''
    const fails = () => reject(new ProxyError(`proxy did not respond to CONNECT ${authority}`))
    const read = (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      if (!answer.includes('\r\n\r\n') && answer.length <= MAX_RESPONSE_BYTES) return
      socket.off('data', read).off('error', fails).off('close', fails)
      socket.setTimeout(0)
      if (!/^HTTP\/1\.[01] 2\d\d/.test(answer)) {
        // The proxy responded but could not reach the target, which counts as the target's failure.
        return reject(
          Object.assign(new Error(`proxy rejected CONNECT ${authority}`), { code: 'EHOSTUNREACH' }),
        )
      }
      // The client speaks first, so nothing can follow the response yet.
      resolve()
    }
    socket.setTimeout(RESPONSE_TIMEOUT_MS, fails)
    socket.on('data', read).once('error', fails).once('close', fails)
    socket.write(
      `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n` +
        `${basic ? `Proxy-Authorization: Basic ${basic}\r\n` : ''}\r\n`,
    )
  })
}

function loginOf({ username, password }: URL): { userId: string; password: string } | null {
  if (username === '') return null
  return { userId: decodeURIComponent(username), password: decodeURIComponent(password) }
}

/** The port of a proxy URL, or its protocol's default. */
export function portOf({ protocol, port }: URL): number {
  return Number(port || (protocol === 'socks5:' ? 1080 : 80))
}
