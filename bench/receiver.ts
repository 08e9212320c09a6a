// The endpoint of `bench deliver`: answers at once, counts by id, and tells its parent how late each event was.
import { createServer } from 'node:http'

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
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  process.stdout.write(`${JSON.stringify({ port })}\n`)
})
process.on('message', () => {
  process.send?.({ received, distinct: ids.size, latenciesMs })
  latenciesMs = []
})
process.once('SIGTERM', () => process.exit(0))
