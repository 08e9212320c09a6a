import type { BinaryNode } from 'baileys'
import type { Person } from './person.ts'
import type { Bundle } from './signal-device.ts'
import { element, stanzaId } from './stanza.ts'

/** What the server needs of a connection. */
export type Line = { send(node: BinaryNode): void; end(last?: BinaryNode): void }

/** A linked device as the server knows it: its public keys, its line when it is connected, and what waits for it. */
export class Companion {
  readonly person: Person
  readonly device: number
  readonly identity: Uint8Array
  /** The telephone removed it. */
  removed = false
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
