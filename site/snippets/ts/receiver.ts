import { createServer } from 'node:http'
import { Recado, SignatureError, type WebhookEvent } from '@recado/sdk'

const recado = new Recado({ apiKey: process.env.RECADO_KEY! })
const events = new Map<string, WebhookEvent>() // a table with the id as its key in a real system

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  try {
    const event = await recado.webhooks.verify(body, request.headers, process.env.WEBHOOK_SECRET!)
    const isNew = !events.has(event.data.eventId)
    events.set(event.data.eventId, event) // before the 204, which says that you have it
    response.writeHead(204).end()
    if (isNew && event.event === 'message.received') console.log(event.data.message.text)
  } catch (error) {
    console.error(error)
    const status = error instanceof SignatureError ? 400 : 500
    if (!response.headersSent) response.writeHead(status).end()
  }
}).listen(Number(process.env.PORT ?? 8080))
