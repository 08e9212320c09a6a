import { Recado } from '@recado/sdk'

const recado = new Recado({ apiKey: process.env.RECADO_KEY! })

for await (const message of recado.messages.list(process.env.INSTANCE!, {
  direction: 'outbound',
})) {
  console.log(message.createdAt, message.status, message.text)
}
