// Runs the engine alone with keys in memory, as the adapter's baseline. Accepts commands over IPC.
import makeWASocket, {
  type AuthenticationCreds,
  initAuthCreds,
  type SignalDataTypeMap,
  type WASocket,
} from 'baileys'
import { pino } from 'pino'
import { measureMemory, serveCommands } from './orders.ts'

/** IPC commands of the engine and adapter processes. */
export type BareOrders = {
  /** Opens one connection per phone; each pairing code goes to the parent. */
  open(input: { phones: string[] }): Promise<void>
  /** Sends `count` texts over the first connection, to the recipients in turn. */
  send(input: { to: string[]; count: number }): Promise<void>
  received(input: object): number
  memory(input: object): number
}

const [url = ''] = process.argv.slice(2)
const logger = pino({ level: 'silent' })
const sockets: WASocket[] = []
let received = 0

function memoryKeys() {
  const kinds = new Map<string, Map<string, unknown>>()
  return {
    get: <Kind extends keyof SignalDataTypeMap>(kind: Kind, ids: string[]) => {
      const known = kinds.get(kind)
      const found = ids.flatMap((id) => (known?.has(id) ? [[id, known.get(id)]] : []))
      return Object.fromEntries(found) as Record<string, SignalDataTypeMap[Kind]>
    },
    set: (data: object) => {
      for (const [kind, entries] of Object.entries(data)) {
        const known = kinds.get(kind) ?? new Map<string, unknown>()
        kinds.set(kind, known)
        for (const [id, value] of Object.entries(entries as object)) {
          if (value === null) known.delete(id)
          else known.set(id, value)
        }
      }
    },
  }
}

function open(phone: string): Promise<void> {
  const creds: AuthenticationCreds = initAuthCreds()
  const keys = memoryKeys()
  return new Promise((resolve) => {
    const connect = () => {
      const socket = makeWASocket({
        auth: {
          creds,
          keys,
        },
        logger,
        waWebSocketUrl: url,
        emitOwnEvents: false,
        syncFullHistory: false,
        shouldSyncHistoryMessage: () => false,
        markOnlineOnConnect: false,
      })
      socket.ev.on('creds.update', (changed) => Object.assign(creds, changed))
      socket.ev.on('messages.upsert', ({ messages }) => (received += messages.length))
      socket.ev.on('connection.update', ({ connection, qr }) => {
        if (qr) process.send?.({ phone, code: qr })
        if (connection === 'close') connect()
        if (connection === 'open') {
          sockets.push(socket)
          resolve()
        }
      })
    }
    connect()
  })
}

const orders: BareOrders = {
  open: async ({ phones }) => {
    for (let at = 0; at < phones.length; at += 10) {
      await Promise.all(phones.slice(at, at + 10).map(open))
    }
  },
  async send({ to, count }) {
    const [socket] = sockets
    for (let n = 0; n < count; n++) {
      const phone = to[n % to.length]
      await socket?.sendMessage(`${phone}@s.whatsapp.net`, { text: `mensagem ${n}` })
    }
  },
  received: () => received,
  memory: measureMemory,
}

serveCommands(orders)
process.once('SIGTERM', () => process.exit(0))
// libsignal logs its sessions to the console.
for (const name of ['info', 'warn', 'error']) Reflect.set(globalThis['console'], name, () => {})
process.stdout.write('{}\n')
