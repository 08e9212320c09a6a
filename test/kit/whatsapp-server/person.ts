import { randomInt } from 'node:crypto'
import { proto, type BinaryNode } from 'baileys'
import { SignalDevice, type Bundle } from './signal-device.ts'
import { element, stanzaId } from './stanza.ts'

const CAPTIONED = ['imageMessage', 'videoMessage', 'documentMessage'] as const

/** What a phone shows after an edit: of a file it changes the caption, and a text edit removes it (whatsmeow #684). */
function edit(message: proto.IMessage, edited: proto.IMessage): proto.IMessage {
  const part = CAPTIONED.find((name) => message[name])
  if (!part) return edited
  return { [part]: { ...message[part], caption: edited[part]?.caption ?? '' } }
}

/** A message as a phone shows it. */
export type Shown = {
  waMessageId: string
  /** The other's number, or the group. */
  chat: string
  from: Person
  message: proto.IMessage
  deleted: boolean
  pinned: boolean
}

/** A user with a phone on the network. */
export class Person {
  readonly phone: string
  readonly lid: string
  readonly business: boolean
  /** The phone, which is device 0. */
  readonly telephone = new SignalDevice()
  readonly companions = new Map<number, Companion>()
  /** What arrived, oldest first; the same id from the same sender arrives once. */
  readonly inbox: Shown[] = []
  /** The albums that were begun, each before how many messages of the inbox. */
  readonly albums: { id: string; images: number | null; videos: number | null; before: number }[] =
    []
  /** What the account's other devices sent. */
  readonly sent: Shown[] = []
  name: string
  /** What it says about itself. */
  about = ''
  /** Who it has blocked: their messages do not reach its devices. */
  readonly blocked = new Set<Person>()
  /** Whom it shows its status posts, if it has chosen. */
  statusPrivacy: { type: 'contacts' | 'blacklist' | 'whitelist'; people: Person[] } | null = null
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

  /**
   * Applies a message as a phone does: edits, revocations and pins change an earlier one. Returns false for a known
   * message.
   */
  take(shown: Omit<Shown, 'deleted' | 'pinned'>, into: Shown[] = this.inbox): boolean {
    const protocol = shown.message.protocolMessage
    if (protocol?.key?.id) {
      const target = into.find(({ waMessageId }) => waMessageId === protocol.key?.id)
      const { Type } = proto.Message.ProtocolMessage
      if (target && protocol.type === Type.REVOKE) target.deleted = true
      if (target && protocol.type === Type.MESSAGE_EDIT && protocol.editedMessage) {
        target.message = edit(target.message, protocol.editedMessage)
      }
      return true
    }
    // The parts of an album are shown, and what begins it is not.
    const { albumMessage: album } = shown.message
    if (album) {
      const { expectedImageCount: images = 0, expectedVideoCount: videos = 0 } = album
      this.albums.push({ id: shown.waMessageId, images, videos, before: into.length })
      return true
    }
    const pin = shown.message.pinInChatMessage
    if (pin) {
      const target = into.find(({ waMessageId }) => waMessageId === pin.key?.id)
      const { PIN_FOR_ALL } = proto.Message.PinInChatMessage.Type
      if (target) target.pinned = pin.type === PIN_FOR_ALL
      return true
    }
    const known = into.some(
      ({ waMessageId, from }) => waMessageId === shown.waMessageId && from === shown.from,
    )
    if (!known) into.push({ ...shown, deleted: false, pinned: false })
    return !known
  }
}

/** What the server needs of a connection. */
export type Line = { send(node: BinaryNode): void; end(last?: BinaryNode): void }

/** A linked device as the server knows it: its public keys, its line when it is connected, and what waits for it. */
export class Companion {
  readonly person: Person
  readonly device: number
  readonly identity: Uint8Array
  /** The phone removed it. */
  removed = false
  /** The backlog was delivered. */
  current = false
  /** The phone shared the key of the account's lists with it. */
  knowsLists = false
  line: Line | null = null
  registrationId = 0
  signedPreKey: Bundle['signedPreKey'] | null = null
  preKeys: NonNullable<Bundle['preKey']>[] = []
  /** By tag and id, what was not acknowledged yet, oldest first. */
  readonly pending = new Map<string, BinaryNode>()

  constructor(person: Person, device: number, identity: Uint8Array) {
    this.person = person
    this.device = device
    this.identity = identity
  }

  get jid(): string {
    return `${this.person.phone}:${this.device}@s.whatsapp.net`
  }

  /** A name of this device for the Signal sessions of others. */
  get address(): string {
    return `${this.person.phone}:${this.device}`
  }

  bundle(): Bundle {
    if (!this.signedPreKey) throw new Error(`${this.jid} has uploaded no keys`)
    return {
      registrationId: this.registrationId,
      identity: this.identity,
      signedPreKey: this.signedPreKey,
      preKey: this.preKeys.shift() ?? null,
    }
  }

  /** Sends a stanza now or when the device is back, and again until it was acknowledged. */
  push(node: BinaryNode): void {
    this.pending.set(`${node.tag} ${node.attrs['id']}`, node)
    this.line?.send(node)
  }

  acknowledge(tag: string, id: string): void {
    this.pending.delete(`${tag} ${id}`)
  }

  /** What waited, then how much it was. */
  drain(): void {
    const waiting = [...this.pending.values()]
    for (const node of waiting) this.line?.send({ ...node, attrs: { ...node.attrs, offline: '0' } })
    const count = element('offline', { count: String(waiting.length) })
    this.line?.send(element('ib', { from: 's.whatsapp.net', id: stanzaId() }, [count]))
  }
}
