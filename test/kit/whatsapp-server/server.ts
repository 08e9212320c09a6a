// WhatsApp's side of the protocol, as a linked device sees it; its phones are Persons in this process.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeBinaryNode, encodeBinaryNode, Curve, proto, type BinaryNode } from 'baileys'
import { WebSocketServer, type WebSocket } from 'ws'
import { createAppState, type AppState } from './app-state.ts'
import { certify } from './certificate.ts'
import { createGroups, type Groups } from './groups.ts'
import { createChannels, type Channels } from './channels.ts'
import { createMediaHost, type MediaHost } from './media-host.ts'
import { createMessages, type Messages } from './messages.ts'
import { createResponder } from './noise.ts'
import { createPairing, type Pairing } from './pairing.ts'
import { Person, type Companion } from './person.ts'
import { answerQuery } from './queries.ts'
import { element, readJid, seconds } from './stanza.ts'
import type { Connection, Faults, World } from './world.ts'

export class WhatsAppServer implements World {
  readonly persons: Person[] = []
  readonly connections = new Set<Connection>()
  readonly faults: Faults = {
    refuse: () => null,
    refuseLogin: null,
    onTheWay: (node) => [node],
    delayMs: 0,
    timeLock: null,
    chain: null,
    forgedAccount: false,
    forgedPreKeys: false,
    spoilKeys: () => null,
    refuseKeys: null,
    refuseQuery: () => null,
    silent: false,
  }
  /** Stanzas that this server does not know: a test that leaves one here fails. */
  readonly surprises: string[] = []
  /** What devices have said that they are doing in chats. */
  readonly chatStates: BinaryNode[] = []
  /** When a connection last carried a frame, by the process's own clock. */
  lastHeardAt = 0
  onRetry: (id: string) => void = () => {}
  /** Queries for keys of devices. */
  keyQueries = 0
  /** The revision that the web client's page names. */
  webRevision = 1
  /** Clients of an older revision are refused. */
  oldestRevision = 0
  /** How often the page was read. */
  pageReads = 0
  /** Lines that ended before their device was known here. */
  refused = 0
  readonly pairing: Pairing = createPairing(this)
  readonly groups: Groups = createGroups(this)
  readonly messages: Messages = createMessages(this, this.groups)
  readonly media: MediaHost = createMediaHost()
  readonly channels: Channels = createChannels()
  readonly appState: AppState = createAppState((from, to, message) =>
    this.messages.writePeer(from, to, message),
  )
  #http: Server = createServer((request, response) => {
    if (request.url !== '/sw.js') return void response.writeHead(404).end()
    this.pageReads++
    response.end(`self.data="{\\"server_revision\\":7,\\"client_revision\\":${this.webRevision}}"`)
  })
  #sockets = new WebSocketServer({ server: this.#http })

  async listen(): Promise<void> {
    this.#sockets.on('connection', (socket) => this.#accept(socket))
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve))
    await this.media.listen()
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}/ws/chat`
  }

  /** The page that names the web client's revision. */
  get versionUrl(): string {
    return new URL('/sw.js', this.url.replace('ws:', 'http:')).href
  }

  person(phone: string, name: string, options?: ConstructorParameters<typeof Person>[2]): Person {
    const person = new Person(phone, name, options)
    this.persons.push(person)
    return person
  }

  /** Returns the user that a JID names, by phone or by LID. */
  find(jid: string): Person | undefined {
    const { user, server } = readJid(jid)
    return this.persons.find((person) => (server === 'lid' ? person.lid : person.phone) === user)
  }

  /** The number of unacknowledged stanzas on a connection. */
  waiting(): number {
    const devices = this.persons.flatMap(({ companions }) => [...companions.values()])
    return devices.reduce((sum, one) => sum + (one.line ? one.pending.size : 0), 0)
  }

  /** A phone removes a device from its account. */
  remove(companion: Companion): void {
    companion.removed = true
    companion.person.companions.delete(companion.device)
    const conflict = element('conflict', { type: 'device_removed' })
    companion.line?.end(element('stream:error', { code: '401' }, [conflict]))
  }

  /** The number of open connections of an account. */
  linesOf(owner: Person): number {
    return [...this.connections].filter(({ companion }) => companion?.person === owner).length
  }

  /** Ends an account's connections with a stream error. */
  endStream(owner: Person, code: string): void {
    const inside = code === '440' ? [element('conflict', { type: 'replaced' })] : []
    const attrs = code === '440' ? {} : { code }
    for (const { line } of owner.companions.values()) {
      line?.end(element('stream:error', attrs, inside))
    }
  }

  /** Cuts every connection without a closing frame, or those of one account. */
  cut(owner?: Person): void {
    for (const { socket, companion } of this.connections) {
      if (!owner || companion?.person === owner) socket.terminate()
    }
  }

  async close(): Promise<void> {
    this.cut()
    this.#sockets.close()
    await this.media.close()
    await new Promise((resolve) => this.#http.close(resolve))
  }

  #accept(socket: WebSocket): void {
    const staticKey = Curve.generateKeyPair()
    const certificate = certify(staticKey, this.faults.chain)
    const send = (bytes: Buffer) => socket.readyState === socket.OPEN && socket.send(bytes)
    const noise = createResponder({ staticKey, certificate, send })
    const connection: Connection = {
      companion: null,
      registration: null,
      hello: null,
      socket,
      restarting: false,
      send: (node) => {
        this.lastHeardAt = performance.now()
        const write = () => {
          const to = connection.companion?.person ?? null
          for (const one of this.faults.onTheWay(node, to)) noise.write(encodeBinaryNode(one))
        }
        if (this.faults.delayMs > 0) setTimeout(write, this.faults.delayMs)
        else write()
      },
      end: (last) => {
        if (last) connection.send(last)
        socket.close()
      },
    }
    this.connections.add(connection)
    // Decoding is asynchronous: frames take their turn.
    let turn = Promise.resolve()
    socket.on('message', (data: Buffer) => {
      this.lastHeardAt = performance.now()
      for (const { introduction, stanza } of noise.take(data)) {
        turn = turn
          .then(async () => {
            if (introduction) this.#introduce(connection, proto.ClientPayload.decode(introduction))
            if (stanza) await this.#hear(connection, await decodeBinaryNode(stanza))
          })
          .catch((error: unknown) => void this.surprises.push(String(error)))
      }
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      this.connections.delete(connection)
      if (!connection.companion && !connection.restarting) this.refused++
      const { companion } = connection
      if (companion?.line !== connection) return
      companion.line = null
      companion.current = false
    })
  }

  #introduce(connection: Connection, payload: proto.IClientPayload): void {
    const revision = payload.userAgent?.appVersion?.tertiary ?? 0
    const old = revision < this.oldestRevision ? { reason: '405' } : null
    if (old) return connection.end(element('failure', old))
    if (payload.devicePairingData) {
      connection.registration = payload.devicePairingData
      return this.pairing.offer(connection)
    }
    const jid = `${String(payload.username)}@s.whatsapp.net`
    const companion = this.find(jid)?.companions.get(payload.device ?? 0)
    const gone = !companion || companion.removed ? { reason: '401' } : null
    const refusal = this.faults.refuseLogin ?? gone
    if (refusal || !companion) return connection.end(element('failure', refusal ?? {}))
    const conflict = element('conflict', { type: 'replaced' })
    companion.line?.end(element('stream:error', {}, [conflict]))
    connection.companion = companion
    companion.line = connection
    const lid = `${companion.person.lid}:${companion.device}@lid`
    const name = companion.person.name
    connection.send(element('success', { t: seconds(), props: '1', lid, display_name: name }))
  }

  async #hear(connection: Connection, node: BinaryNode): Promise<void> {
    const { companion } = connection
    const id = node.attrs['id'] ?? ''
    switch (node.tag) {
      case 'iq': {
        if (node.attrs['type'] === 'result') return this.pairing.answered(connection, node)
        if (await this.pairing.typed(connection, node)) return
        const answer = await answerQuery(this, this.groups, connection, node)
        if (!answer) this.surprises.push(describe(node))
        const to = node.attrs['to']
        connection.send(
          answer ??
            element('iq', { type: 'error', id, from: to }, [element('error', { code: '501' })]),
        )
        return
      }
      case 'message':
        if (companion) await this.messages.carry(companion, node)
        return
      case 'receipt':
        if (companion) await this.messages.receipt(companion, node)
        return
      case 'ack':
        return companion?.acknowledge(node.attrs['class'] ?? '', id)
      case 'call':
        return connection.send(element('ack', { class: 'call', id, from: node.attrs['to'] }))
      case 'chatstate':
        this.chatStates.push(node)
        return
      case 'presence':
      case 'ib':
        return
      default:
        this.surprises.push(describe(node))
    }
  }
}

function describe(node: BinaryNode): string {
  const inside = Array.isArray(node.content) ? node.content.map(({ tag }) => tag).join(',') : ''
  return `${node.tag} ${JSON.stringify(node.attrs)} [${inside}]`
}
