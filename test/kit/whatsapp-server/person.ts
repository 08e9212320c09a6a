import { randomInt } from 'node:crypto'
import { proto } from 'baileys'
import type { Companion } from './companion.ts'
import { SignalDevice } from './signal-device.ts'

/** What a telephone shows. */
export type Shown = {
  waMessageId: string
  /** The other's number, or the group. */
  chat: string
  from: Person
  message: proto.IMessage
  deleted: boolean
}

/** Somebody with a telephone on the network. */
export class Person {
  readonly phone: string
  readonly lid: string
  readonly business: boolean
  /** The telephone, which is device 0. */
  readonly telephone = new SignalDevice()
  readonly companions = new Map<number, Companion>()
  /** What arrived, oldest first; the same id from the same sender arrives once. */
  readonly inbox: Shown[] = []
  /** What the account's other devices sent. */
  readonly sent: Shown[] = []
  name: string
  /** While it is off, nothing is delivered. */
  online = true

  constructor(phone: string, name: string, options: { business?: boolean; lid?: string } = {}) {
    this.phone = phone
    this.name = name
    this.business = options.business ?? false
    this.lid = options.lid ?? String(randomInt(1e14, 2e14))
  }

  get jid(): string {
    return `${this.phone}@s.whatsapp.net`
  }
  get lidJid(): string {
    return `${this.lid}@lid`
  }

  /** Takes a message up as a telephone does: edits and revocations change what is there. False for one it knows. */
  take(shown: Omit<Shown, 'deleted'>, into: Shown[] = this.inbox): boolean {
    const protocol = shown.message.protocolMessage
    if (protocol?.key?.id) {
      const target = into.find(({ waMessageId }) => waMessageId === protocol.key?.id)
      const { Type } = proto.Message.ProtocolMessage
      if (target && protocol.type === Type.REVOKE) target.deleted = true
      if (target && protocol.type === Type.MESSAGE_EDIT && protocol.editedMessage) {
        target.message = protocol.editedMessage
      }
      return true
    }
    const known = into.some(
      ({ waMessageId, from }) => waMessageId === shown.waMessageId && from === shown.from,
    )
    if (!known) into.push({ ...shown, deleted: false })
    return !known
  }
}
