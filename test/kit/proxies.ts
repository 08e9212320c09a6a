import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A proxy with password authentication that records the targets it was asked to connect to. */
export type Proxy = { url: string; targets: string[]; close(): void }

async function listen(server: Server, protocol: string, targets: string[]): Promise<Proxy> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => socket.destroy()))
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    targets,
    url: `${protocol}://ana:segredo@127.0.0.1:${port}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function join(left: Socket, host: string, port: number, ready: () => void): void {
  const right = connect(port, host, ready)
  left.pipe(right).pipe(left)
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    one.on('error', () => other.destroy()).on('close', () => other.destroy())
  }
}

/** Starts an HTTP proxy that supports CONNECT only. */
export function startHttpProxy(): Promise<Proxy> {
  const targets: string[] = []
  const login = `Basic ${Buffer.from('ana:segredo').toString('base64')}`
  const server = createHttpServer((_request, response) => void response.writeHead(405).end())
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    if (headers['proxy-authorization'] !== login) return socket.end('HTTP/1.1 407 No\r\n\r\n')
    targets.push(url)
    const [host = '', port] = url.split(':')
    join(socket, host, Number(port), () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
  })
  return listen(server, 'http', targets)
}

/** Starts a SOCKS5 proxy that supports CONNECT with a password (RFC 1928 and 1929). */
export function startSocksProxy(): Promise<Proxy> {
  const targets: string[] = []
  const next = (socket: Socket) =>
    new Promise<Buffer>((resolve) => socket.once('data', (bytes: Buffer) => resolve(bytes)))
  const server = createServer(async (socket) => {
    await next(socket)
    socket.write(Buffer.from([5, 2]))
    const login = (await next(socket)).toString('latin1')
    if (!login.includes('ana') || !login.includes('segredo')) return socket.end(Buffer.from([1, 1]))
    socket.write(Buffer.from([1, 0]))
    const asked = await next(socket)
    const named = asked[3] === 3
    const end = named ? 5 + (asked[4] ?? 0) : 8
    const host = named ? asked.toString('latin1', 5, end) : asked.subarray(4, 8).join('.')
    const port = asked.readUInt16BE(end)
    targets.push(`${host}:${port}`)
    socket.pause()
    join(socket, host, port, () => socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])))
  })
  return listen(server, 'socks5', targets)
}
