import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

/** A request that the endpoint received; `body` is the parsed JSON, or null. */
export type Received = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read envelopes of many shapes
  body: any
}

/** A webhook endpoint that records requests and responds through `answer`, by default with 200. */
export type Receiver = {
  url: string
  received: Received[]
  answer: (response: ServerResponse, request: Received) => void
  events(name: string): Received[]
  close(): void
}

/** Starts an endpoint on loopback. */
export async function startReceiver(): Promise<Receiver> {
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  const receiver: Receiver = {
    close,
    url: '',
    received: [],
    answer: (response) => void response.writeHead(200).end(),
    events: (name) => receiver.received.filter((request) => request.body?.event === name),
  }
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    const text = Buffer.concat(chunks).toString()
    const received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      text,
      body: text.startsWith('{') ? JSON.parse(text) : null,
    }
    receiver.received.push(received)
    receiver.answer(response, received)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  receiver.url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return receiver
}
