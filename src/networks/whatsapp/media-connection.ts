import type { BinaryNode, WASocket } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import { childrenOf } from './binary-node.ts'

/** Where files are uploaded and downloaded, and the token for it. */
export type MediaConnection = { hosts: string[]; auth: string }

const known = new WeakMap<object, { connection: MediaConnection; until: number }>()
const QUERY: BinaryNode = {
  tag: 'iq',
  attrs: { type: 'set', xmlns: 'w:m', to: 's.whatsapp.net' },
  content: [{ tag: 'media_conn', attrs: {} }],
}

/**
 * Returns the media hosts of a connection, cached as long as WhatsApp allows. The engine's own cache keeps a failed query,
 * which would then fail every upload of the connection. Throws if there is no answer.
 */
export async function mediaConnectionOf(
  socket: Pick<WASocket, 'query'>,
  clock: Clock,
): Promise<MediaConnection> {
  const kept = known.get(socket)
  if (kept && clock.monotonic() < kept.until) return kept.connection
  const answer = (await socket.query(QUERY)) as BinaryNode | undefined
  const found = childrenOf(answer).find(({ tag }) => tag === 'media_conn')
  if (!found?.attrs['auth']) throw new Error('WhatsApp named no media hosts')
  const hosts = childrenOf(found).flatMap(({ tag, attrs }) =>
    tag === 'host' && attrs['hostname'] ? [attrs['hostname']] : [],
  )
  const connection = { hosts, auth: found.attrs['auth'] }
  const until = clock.monotonic() + Number(found.attrs['ttl'] ?? 0) * 1000
  known.set(socket, { connection, until })
  return connection
}
