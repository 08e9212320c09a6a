// The endpoint of the delivery benchmarks: responds immediately, counts events by id, and reports
// latencies to its parent.
import { createServer } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'

let received = 0
const ids = new Set<string>()
let latenciesMs: number[] = []
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.writeHead(200, { 'content-length': '0' }).end()
    received++
    ids.add(String(request.headers['webhook-id']))
    const at = /"sentAt":(\d+(?:\.\d+)?)/.exec(Buffer.concat(chunks).toString('latin1'))?.[1]
    if (at) latenciesMs.push(performance.timeOrigin + performance.now() - Number(at))
  })
})
// Accepts connections and never responds.
const silent = createTcpServer(() => {})
const listen = (one: Server) =>
  new Promise<number>((resolve) => {
    one.listen(0, '0.0.0.0', 4096, () => {
      const address = one.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
const ports = { port: await listen(server), silentPort: await listen(silent) }
process.stdout.write(`${JSON.stringify(ports)}\n`)
process.on('message', () => {
  process.send?.({ received, distinct: ids.size, latenciesMs })
  latenciesMs = []
})
process.once('SIGTERM', () => process.exit(0))
