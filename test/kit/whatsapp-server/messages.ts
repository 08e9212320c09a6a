import { randomBytes } from 'node:crypto'
import {
  aesEncryptGCM,
  encodeWAMessage,
  hkdf,
  proto,
  unpadRandomMax16,
  type BinaryNode,
} from 'baileys'
import type { Groups } from './groups.ts'
import type { Companion, Person } from './person.ts'
import {
  bigEndian,
  bytesOf,
  child,
  children,
  element,
  readJid,
  seconds,
  stanzaId,
} from './stanza.ts'
import type { World } from './world.ts'

/** The chat of status posts. */
const STATUS = 'status@broadcast'
type Waiting = { to: Person; receipt: BinaryNode; sender: Companion }

export type Messages = ReturnType<typeof createMessages>

/** Messages and receipts, from devices to phones and back. */
export function createMessages(server: World, groups: Groups) {
  const waiting: Waiting[] = []
  const reads: string[] = []
  const retries: string[] = []
  /** Files that phones can upload again, by message. */
  const uploads = new Map<string, { mediaKey: Uint8Array; path: string }>()
  /** What phones sent to devices, to encrypt it again for a device that could not decrypt it. */
  const sent = new Map<string, { from: Person; message: proto.IMessage; attrs: Attributes }>()
  type Attributes = Record<string, string | undefined>

  const hooks = {
    /** A device asks its own phone for something. */
    peerRequest: (_from: Companion, _request: proto.Message.IPeerDataOperationRequestMessage) => {},
  }

  /** A phone decrypts what a device sent to it. */
  async function open(
    sender: Companion,
    telephone: Person,
    node: BinaryNode,
    enc: BinaryNode | undefined,
  ): Promise<boolean> {
    const { id = '', to = '' } = node.attrs
    const { type = '' } = enc?.attrs ?? {}
    const { telephone: device } = telephone
    const padded = await device.decrypt(sender.address, type, bytesOf(enc))
    const message = proto.Message.decode(unpadRandomMax16(padded))
    if (message.senderKeyDistributionMessage) {
      await groups.learn(sender, telephone, message)
    }
    const own = message.deviceSentMessage
    const request = own?.message?.protocolMessage?.peerDataOperationRequestMessage
    if (request) {
      hooks.peerRequest(sender, request)
      return false
    }
    if (own) {
      const chat = own.destinationJid ?? ''
      const shown = { waMessageId: id, chat, from: sender.person, message: own.message ?? {} }
      return telephone.take(shown, telephone.sent)
    }
    if (to.endsWith('@g.us') || to === STATUS) return false
    return telephone.take({
      waMessageId: id,
      chat: sender.person.phone,
      from: sender.person,
      message,
    })
  }

  function tell(sender: Companion, to: Person, receipt: BinaryNode): void {
    if (to.online) sender.push(receipt)
    else waiting.push({ to, receipt, sender })
  }

  /** A phone uploads a file again, if it still has it, and tells the device where. */
  function uploadAgain(device: Companion, node: BinaryNode): void {
    const id = node.attrs['id'] ?? ''
    const upload = uploads.get(id)
    if (!upload) return
    const key = hkdf(Buffer.from(upload.mediaKey), 32, {
      info: 'WhatsApp Media Retry Notification',
    })
    const { SUCCESS } = proto.MediaRetryNotification.ResultType
    const told = { stanzaId: id, directPath: upload.path, result: SUCCESS }
    const bytes = proto.MediaRetryNotification.encode(told).finish()
    const iv = randomBytes(12)
    const sealed = aesEncryptGCM(bytes, Buffer.from(key), iv, Buffer.from(id))
    const rmr = child(node, 'rmr')?.attrs ?? {}
    device.push(
      element('notification', { id, type: 'mediaretry', from: device.person.jid, t: seconds() }, [
        element('encrypt', {}, [element('enc_p', {}, sealed), element('enc_iv', {}, iv)]),
        element('rmr', rmr),
      ]),
    )
  }

  function retryAsked(device: Companion, node: BinaryNode): void {
    const kept = sent.get(`${node.attrs['id']} ${device.jid}`)
    if (kept) {
      kept.from.telephone.renew(device.address)
      void send(kept.from, device, kept.message, kept.attrs)
    }
  }

  async function send(
    from: Person,
    to: Companion,
    message: proto.IMessage,
    attrs: Attributes,
  ): Promise<void> {
    const plaintext = Buffer.from(encodeWAMessage(message))
    const { type, ciphertext } = await from.telephone.encrypt(
      to.address,
      () => to.bundle(),
      plaintext,
    )
    sent.set(`${attrs['id']} ${to.jid}`, { from, message, attrs })
    to.push(element('message', attrs, [element('enc', { v: '2', type }, ciphertext)]))
  }

  return {
    hooks,

    /** A device sends: every receiving phone decrypts its part, the server acknowledges, receipts follow. */
    async carry(sender: Companion, node: BinaryNode): Promise<void> {
      const { id = '', to = '' } = node.attrs
      const ack = (error?: string) => {
        if (!server.faults.silent) {
          sender.line?.send(element('ack', { class: 'message', id, from: to, t: seconds(), error }))
        }
      }
      const error = server.faults.refuse(node)
      if (error) return ack(error)
      if (to.endsWith('@g.us') && !groups.mayWrite(to, sender.person, node.attrs['type']))
        return ack('420')
      const parts = children(child(node, 'participants')).map((part) => ({
        jid: part.attrs['jid'] ?? '',
        enc: child(part, 'enc'),
      }))
      const direct = child(node, 'enc')
      if (direct && direct.attrs['type'] !== 'skmsg') parts.push({ jid: to, enc: direct })
      if (to.endsWith('@newsletter')) return ack(server.channels.take(sender.person, node))
      const reached: Person[] = []
      const members = parts.flatMap(({ jid }) => server.find(jid) ?? [])
      for (const { jid, enc } of parts) {
        const person = server.find(jid)
        const { device } = readJid(jid)
        if (!person || device !== 0) continue
        const fresh = await open(sender, person, node, enc)
        if (fresh && person !== sender.person) reached.push(person)
      }
      if (direct?.attrs['type'] === 'skmsg') {
        const audience = to === STATUS ? new Set(members) : undefined
        reached.push(...(await groups.open(sender, node, bytesOf(direct), audience)))
      }
      ack()
      const inGroup = to.endsWith('@g.us')
      // The sender's own phone confirms its copy.
      if (inGroup) {
        const { participant } = groups.namesIn(to, sender.person)
        const attrs = { id, from: to, participant, type: 'sender', t: seconds() }
        sender.push(element('receipt', attrs))
      }
      for (const person of reached) {
        const named = to === STATUS ? person.jid : undefined
        const participant = inGroup ? groups.namesIn(to, person).participant : named
        tell(sender, person, element('receipt', { id, from: to, participant, t: seconds() }))
      }
    },

    /** A device has received, read or could not open something. */
    async receipt(device: Companion, node: BinaryNode): Promise<void> {
      const { id = '', to, type } = node.attrs
      device.acknowledge('message', id)
      device.line?.send(element('ack', { class: 'receipt', id, from: to, type }))
      if (type === 'server-error') uploadAgain(device, node)
      if (type === 'retry') {
        retries.push(id)
        server.onRetry(id)
        retryAsked(device, node)
      }
      const more = children(child(node, 'list')).map((item) => item.attrs['id'] ?? '')
      if (type === 'read') reads.push(id, ...more)
    },

    /** A phone could not decrypt a message of an account, and requests it again. */
    askAgain(by: Person, to: Person, id: string, chat: string | null = null): void {
      for (const device of to.companions.values()) {
        by.telephone.forget(device.address)
        const retry = element('retry', { count: '1', id, t: seconds(), v: '1' })
        const registration = element('registration', {}, bigEndian(by.telephone.registrationId, 4))
        const from = chat ? { from: chat, participant: by.jid } : { from: by.jid }
        const attrs = { id, ...from, type: 'retry', t: seconds() }
        device.push(element('receipt', attrs, [retry, registration]))
      }
    },

    /** Messages that a device could not read. */
    retries,

    uploads,

    /** What devices said that they read. */
    reads,

    /** A contact writes to each device of an account. Returns the id of the message. */
    async write(
      from: Person,
      to: Person,
      message: proto.IMessage,
      options: { id?: string; group?: string } = {},
    ): Promise<string> {
      const id = options.id ?? `3A${stanzaId().slice(1).toUpperCase().padStart(18, '0')}`
      const attrs = {
        id,
        t: seconds(),
        type: 'text',
        notify: from.name,
        from: from.jid,
        sender_lid: from.lidJid,
      }
      if (to.blocked.has(from)) return id
      for (const device of to.companions.values()) await send(from, device, message, attrs)
      return id
    },

    /** A phone sends one of its own devices something that is not shown. */
    writePeer: (from: Person, to: Companion, message: proto.IMessage): Promise<void> => {
      const id = `3A${stanzaId().slice(1).toUpperCase().padStart(18, '0')}`
      const attrs = { id, t: seconds(), type: 'text', from: from.jid, category: 'peer' }
      return send(from, to, message, attrs)
    },

    /** A contact writes in a group, to every device of its members. Returns the id of the message. */
    async writeTo(from: Person, group: string, message: proto.IMessage): Promise<string> {
      const id = `3B${stanzaId().slice(1).toUpperCase().padStart(18, '0')}`
      const { key, sealed, members } = await groups.seal(from, group, message)
      const attrs = {
        id,
        t: seconds(),
        type: 'text',
        notify: from.name,
        from: group,
        ...groups.namesIn(group, from),
      }
      for (const device of members.flatMap((member) => [...member.companions.values()])) {
        const plaintext = Buffer.from(encodeWAMessage(key))
        const bundle = () => device.bundle()
        const { type, ciphertext } = await from.telephone.encrypt(device.address, bundle, plaintext)
        device.push(
          element('message', attrs, [
            element('enc', { v: '2', type }, ciphertext),
            element('enc', { v: '2', type: 'skmsg' }, sealed),
          ]),
        )
      }
      return id
    },

    /** Several members of a group receive or read a message of an account, reported as one receipt. */
    readTogether(by: Person[], to: Person, group: string, id: string, type?: 'read'): void {
      const users = by.map(({ jid }) => element('user', { jid, t: seconds() }))
      const content = [element('participants', { key: id }, users)]
      for (const device of to.companions.values())
        device.push(element('receipt', { id, from: group, type, t: seconds() }, content))
    },

    /** A contact writes to a broadcast list that an account is on. */
    async writeToList(from: Person, to: Person, message: proto.IMessage): Promise<string> {
      const id = `3A${stanzaId().slice(1).toUpperCase().padStart(18, '0')}`
      const place = { from: '1700000000@broadcast', participant: from.jid }
      const attrs = { id, t: seconds(), type: 'text', notify: from.name, ...place }
      for (const device of to.companions.values())
        await send(from, device, message, { ...attrs, participant_lid: from.lidJid })
      return id
    },

    /** A contact sends a file to view once, which only phones receive. */
    viewOnce(from: Person, to: Person): string {
      const id = `3A${stanzaId().slice(1).toUpperCase().padStart(18, '0')}`
      const attrs = { id, t: seconds(), type: 'media', notify: from.name, from: from.jid }
      for (const device of to.companions.values())
        device.push(element('message', attrs, [element('unavailable', { type: 'view_once' })]))
      return id
    },

    /** A contact calls an account. */
    call(
      from: Person,
      to: Person,
      what: 'offer' | 'timeout' = 'offer',
      callId = stanzaId(),
    ): string {
      const inside = { 'call-id': callId, 'call-creator': from.jid, caller_pn: from.jid }
      const kind = what === 'offer' ? [element('audio')] : []
      const tag = what === 'offer' ? 'offer' : 'terminate'
      const more = what === 'offer' ? {} : { reason: 'timeout' }
      for (const device of to.companions.values()) {
        const attrs = { id: stanzaId(), from: from.jid, t: seconds() }
        device.push(element('call', attrs, [element(tag, { ...inside, ...more }, kind)]))
      }
      return callId
    },

    /** A contact reads or plays a message of an account. */
    read(
      by: Person,
      to: Person,
      ids: string[],
      type: 'read' | 'played' = 'read',
      chat: string | null = null,
    ): void {
      const [id = '', ...more] = ids
      const list = more.map((item) => element('item', { id: item }))
      const content = more.length > 0 ? [element('list', {}, list)] : undefined
      for (const device of to.companions.values()) {
        const from = chat ? { from: chat, participant: by.jid } : { from: by.jid }
        device.push(element('receipt', { id, ...from, type, t: seconds() }, content))
      }
    },

    /** A phone is back online and sends the receipts of what it received. */
    back(person: Person): void {
      person.online = true
      for (const one of waiting.splice(0)) tell(one.sender, one.to, one.receipt)
    },
  }
}
