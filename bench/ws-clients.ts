// The clients of `bench ws`, in a separate process: they connect, count frames and record latencies.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { WebSocket } from 'ws'

const [port = '', perKey = '', list = ''] = process.argv.slice(2)
const keys = readFileSync(list, 'utf8').split(',')
const AT_ONCE = 100
let received = 0
let latenciesMs: number[] = []

async function connect(key: string): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/events`, {
    headers: { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
  })
  socket.on('message', (data: Buffer) => {
    const at = /"sentAt":(\d+(?:\.\d+)?)/.exec(data.toString('latin1'))?.[1]
    if (!at) return
    received++
    latenciesMs.push(performance.timeOrigin + performance.now() - Number(at))
  })
  await once(socket, 'message')
}

const wanted = keys.flatMap((key) => Array.from({ length: Number(perKey) }, () => key))
for (let index = 0; index < wanted.length; index += AT_ONCE) {
  await Promise.all(wanted.slice(index, index + AT_ONCE).map(connect))
}
process.stdout.write('{}\n')
process.on('message', () => {
  process.send?.({ received, distinct: received, latenciesMs })
  latenciesMs = []
})
process.once('SIGTERM', () => process.exit(0))
