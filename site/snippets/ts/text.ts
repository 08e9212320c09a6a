import { Recado } from '@recado/sdk'

const recado = new Recado({ apiKey: process.env.RECADO_KEY! })

const message = await recado.messages.sendText(process.env.INSTANCE!, {
  to: '+55 11 99999-8888',
  text: 'Seu pedido saiu para entrega.',
})
console.log(message.id, message.status)
