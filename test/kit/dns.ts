import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { decode, encode, type Answer } from 'dns-packet'

/** A DNS server whose responses a test controls. */
export type NameServer = {
  /** host:port, in the format of EGRESS_DNS. */
  address: string
  /** Response for each name: lists of addresses are returned in turn, and the last one repeats. */
  names: Map<string, string[][] | 'silence' | 'malformed' | 'servfail'>
  /** Received queries, such as `AAAA example.test`. */
  queries: string[]
  close(): void
}

/** Starts a DNS server on loopback. Every record has a TTL of 0 seconds. */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4')
  const names: NameServer['names'] = new Map()
  const queries: string[] = []
  const asked = new Map<string, number>()
  socket.on('message', (message, from) => {
    const query = decode(message)
    const [question] = query.questions ?? []
    if (!question) return
    const { name, type } = question
    queries.push(`${type} ${name}`)
    const told = names.get(name) ?? []
    if (told === 'silence') return
    if (told === 'malformed') {
      // The query's header and question, with an answer count of one and a truncated answer.
      const cut = Buffer.concat([message, Buffer.from([0xc0])])
      cut.writeUInt16BE(0x8180, 2)
      cut.writeUInt16BE(1, 6)
      socket.send(cut, from.port, from.address)
      return
    }
    const key = `${type} ${name}`
    const lists = told === 'servfail' ? [] : told
    const turn = Math.min(asked.get(key) ?? 0, lists.length - 1)
    asked.set(key, turn + 1)
    const wanted = (lists[turn] ?? []).filter(
      (address) => address.includes(':') === (type === 'AAAA'),
    )
    const answers = wanted.map((data) => ({ name, type, ttl: 0, data }) as Answer)
    const { id } = query
    const flags = told === 'servfail' ? 2 : told.length === 0 ? 3 : 0
    socket.send(
      encode({
        type: 'response',
        ...(id === undefined ? {} : { id }),
        flags,
        questions: [question],
        answers,
      }),
      from.port,
      from.address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    names,
    queries,
    close: () => socket.close(),
  }
}
