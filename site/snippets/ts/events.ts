import { Recado } from '@recado/sdk'

const recado = new Recado({ apiKey: process.env.RECADO_KEY! })

for await (const event of recado.events({ events: ['message.received'] })) {
  if (event.event === 'gap') {
    console.log(`disconnected from ${event.from.toISOString()}: list what arrived since`)
  } else {
    console.log(event.data)
    break // your program stays in the loop
  }
}
