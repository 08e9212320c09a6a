import { Recado } from '@recado/sdk'

const recado = new Recado({ apiKey: process.env.RECADO_KEY! })

const send = () =>
  recado.messages.sendText(
    process.env.INSTANCE!,
    { to: '+55 11 99999-8888', text: 'Pedido 1043 confirmado.' },
    { idempotencyKey: 'pedido-1043' },
  )
const [first, second] = [await send(), await send()]
console.log(first.id === second.id) // true: one message
