import { Recado } from '@recado/sdk'

const recado = new Recado({ apiKey: process.env.RECADO_KEY! })
const instance = process.env.INSTANCE!

const inOneHour = new Date(Date.parse(process.env.NOW!) + 3_600_000)
const reminder = await recado.schedules.create(instance, {
  sendAt: inOneHour.toISOString(),
  message: { type: 'text', to: '+55 11 99999-8888', text: 'Sua consulta é hoje às 14h.' },
})
await recado.schedules.cancel(instance, reminder.id)
