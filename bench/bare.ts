// The baseline of `bench send`: a plain Fastify route with the same schema and no database.
import Fastify from 'fastify'
import { newId } from '../src/kernel/ids.ts'
import { sendSchema } from '../src/messaging/messages/messages.routes.ts'
import { exampleMessage } from '../src/model/records.schemas.ts'

const server = Fastify({ ajv: { customOptions: { strict: false } } })
server.post('/v1/instances/:id/messages', { schema: sendSchema }, async (request, reply) => {
  const { text } = request.body as { text: string }
  return reply.code(201).send({ ...exampleMessage, id: newId('msg', Date.now()), text })
})
await server.listen({ port: 0, host: '127.0.0.1' })
const address = server.server.address()
const port = typeof address === 'object' && address ? address.port : 0
process.stdout.write(`${JSON.stringify({ port })}\n`)
process.once('SIGTERM', () => process.exit(0))
