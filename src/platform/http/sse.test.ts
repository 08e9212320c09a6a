import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import Fastify from 'fastify'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { openEventStream, type EventStream } from './sse.ts'

const clock = createManualClock()
const server = Fastify()
let opened: (stream: EventStream) => void = () => {}
server.get('/', (_, reply) => {
  opened(openEventStream(reply, clock, () => {}))
})
await server.listen({ port: 0, host: '127.0.0.1' })
after(() => server.close())

/** Opens a stream whose client does not read until the test resumes it. */
async function stalledReader() {
  const stream = new Promise<EventStream>((resolve) => (opened = resolve))
  const address = server.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  return { stream: await stream, socket }
}
const CODES = 200_000
const numbersIn = (text: string) =>
  [...text.matchAll(/"code":(\d+)/g)].map((match) => Number(match[1]))

describe('an event stream with a stalled client', () => {
  it('a stalled client receives the newest event of each name in order and most older ones are dropped', async () => {
    const { stream, socket } = await stalledReader()
    const pad = 'x'.repeat(100)
    for (let code = 1; code <= CODES; code++) {
      stream.send('qr', { code, pad })
      if (code % 1000 === 0) await new Promise(setImmediate)
    }
    stream.send('status', { status: 'CONNECTED' })
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.resume()
    while (!text.includes('CONNECTED')) await once(socket, 'data')
    const codes = numbersIn(text)
    assert.equal(codes.at(-1), CODES)
    assert.ok(codes.length < CODES / 2, `${codes.length} of ${CODES} were kept`)
    assert.deepEqual(
      codes,
      codes.toSorted((a, b) => a - b),
    )
    socket.destroy()
  })

  it('a client that reads nothing for 30 seconds is disconnected', async () => {
    const { stream, socket } = await stalledReader()
    const pad = 'x'.repeat(100_000)
    for (let code = 1; code <= 200; code++) {
      stream.send('qr', { code, pad })
      await new Promise(setImmediate)
    }
    assert.equal(stream.closed, false)
    clock.jump(30_000)
    while (!stream.closed) await new Promise(setImmediate)
    socket.destroy()
  })
})
