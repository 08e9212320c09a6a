// A server in a process of its own that reads what it receives, and says how many bytes that were.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  let sizeBytes = 0
  request.on('data', (chunk: Buffer) => (sizeBytes += chunk.length))
  request.on('end', () => {
    response.writeHead(201, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
    response.end(JSON.stringify({ sizeBytes }))
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' && address ? address.port : 0}\n`)
})
