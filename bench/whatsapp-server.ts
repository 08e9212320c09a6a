// Runs the WhatsApp protocol server in a separate process. Accepts commands over IPC.
import { WhatsAppServer } from '../test/kit/whatsapp-server/server.ts'
import { root } from '../test/kit/whatsapp-server/certificate.ts'
import type { Person } from '../test/kit/whatsapp-server/person.ts'
import { serveCommands } from './orders.ts'

/** The process's first output line: its URL and its root certificate (base64). */
export type ServerReady = { url: string; rootKey: string }
/** IPC commands of the protocol server's process. */
export type ServerOrders = {
  /** Creates phones; returns their numbers. */
  people(input: { prefix: string; count: number }): string[]
  scan(input: { phone: string; code: string }): void
  /** Sends `count` messages to `to`, from the senders in turn. */
  write(input: { from: string[]; to: string; count: number }): Promise<void>
  /** Number of messages these phones have received. */
  received(input: { phones: string[] }): number
  /** Number of devices that are connected and have caught up since the last `cut`. */
  current(input: object): number
}

const server = new WhatsAppServer()
await server.listen()

function find(phone: string): Person {
  const person = server.find(`${phone}@s.whatsapp.net`)
  if (!person) throw new Error(`no phone with the number ${phone}`)
  return person
}

const orders: ServerOrders = {
  people: ({ prefix, count }) =>
    Array.from({ length: count }, (_, n) => {
      const phone = `${prefix}${String(n).padStart(13 - prefix.length, '0')}`
      return server.person(phone, `P${n}`).phone
    }),
  scan: ({ phone, code }) => void server.pairing.scan(find(phone), code),
  async write({ from, to, count }) {
    const people = from.map(find)
    const owner = find(to)
    for (let n = 0; n < count; n++) {
      const person = people[n % people.length]
      if (person) await server.messages.write(person, owner, { conversation: `mensagem ${n}` })
    }
  },
  received: ({ phones }) => phones.reduce((sum, phone) => sum + find(phone).inbox.length, 0),
  current: () => [...server.connections].filter(({ companion }) => companion?.current).length,
}

serveCommands(orders)
process.once('SIGTERM', () => process.exit(0))
const ready: ServerReady = {
  url: server.url,
  rootKey: Buffer.from(root.public).toString('base64'),
}
process.stdout.write(`${JSON.stringify(ready)}\n`)
