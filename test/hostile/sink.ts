// The endpoint of the hostile company, in a separate process: what it receives must not slow the measurements.
import { createServer } from 'node:http'

const server = createServer((incoming, response) => {
  incoming.resume()
  incoming.once('end', () => response.writeHead(204, { connection: 'close' }).end())
}).listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.once('disconnect', () => process.exit(0))
