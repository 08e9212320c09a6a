import { createServer } from 'node:http'
import { Recado } from '@recado/sdk'

const recado = new Recado({ apiKey: process.env.RECADO_KEY! })
const seen = new Set<string>() // a table with a unique column in a real system

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  try {
    const event = await recado.webhooks.verify(body, request.headers, process.env.WEBHOOK_SECRET!)
    response.writeHead(204).end()
    if (seen.has(event.data.eventId)) return
    seen.add(event.data.eventId)
    if (event.event === 'message.received') console.log(event.data.message.text)
  } catch {
    response.writeHead(400).end()
  }
}).listen(Number(process.env.PORT ?? 8080))
