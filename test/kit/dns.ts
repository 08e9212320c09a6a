import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { decode, encode, type Answer } from 'dns-packet'

export type NameServer = {
  /** As EGRESS_DNS takes it. */
  address: string
  /** Names and what they are answered with; a list of lists is answered one after the other, the last for ever. */
  names: Map<string, string[][] | 'silence' | 'malformed' | 'servfail'>
  queries: string[]
  close(): void
}

/** A name server that answers as a test, or somebody hostile, wants it to. Every answer may be kept for 0 seconds. */
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
      // The header and the question of the query, which announce an answer that is cut off.
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
