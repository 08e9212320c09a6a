import type { Db } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { directChatId } from '../../model/recipient.ts'
import type { HistorySync } from '../../model/history.schemas.ts'
import type { HistoricMessage, NetworkListener } from '../network-events.port.ts'
import type { NetworkCommands } from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import { listPast, type PastRow } from './inbox.sql.ts'
import type { Person } from './route-message.ts'
import { findPhones } from './simulator.sql.ts'

const BATCH_SIZE = 200
const DAY_MS = 24 * 3600_000
/** WhatsApp shares about three months as recent history. */
const RECENT_MS = 90 * DAY_MS

/** Shares what a virtual phone received and sent before the pairing, and older messages on request. */
export function createSimulatedHistory(deps: {
  db: Db
  clock: Clock
  scope: PhoneScope
  listener: Pick<NetworkListener, 'onHistory'>
  /** Returns the account's own person; throws while the instance is not connected. */
  self: () => Person
  inBackground: (work: () => Promise<void>) => void
}): Pick<NetworkCommands, 'requestHistory'> & { share(sync: HistorySync): Promise<void> } {
  const { db, clock, scope, listener, self, inBackground } = deps

  async function listBefore(before: number, since: number, chat: string | null, most: number) {
    const me = self()
    const own = (await findPhones(db, scope, [me.phone])).find(({ phone }) => phone === me.phone)
    if (!own) return []
    const range = { before: new Date(before), since: new Date(since), chat, most }
    const rows = await listPast(db, scope, own, range)
    return rows.map((row) => toHistoric(row, me))
  }

  return {
    async share(sync) {
      if (sync === 'none') return
      const since = sync === 'recent' ? clock.now() - RECENT_MS : 0
      // Messages of the same millisecond as the last of a page come again, and are recorded once.
      for (let before = clock.now() + 1; ;) {
        const page = await listBefore(before, since, null, BATCH_SIZE)
        if (page.length > 0) await listener.onHistory(page)
        const oldest = page.at(-1)?.at ?? 0
        if (page.length < BATCH_SIZE) return
        before = oldest === before - 1 ? oldest : oldest + 1
      }
    },
    async requestHistory({ chatId, before, count }) {
      self()
      // A phone answers later, if it is on.
      inBackground(async () => {
        const page = await listBefore(before.at, 0, chatId, count)
        if (page.length > 0) await listener.onHistory(page)
      })
      return null
    },
  }
}

function toHistoric(row: PastRow, me: Person): HistoricMessage {
  const { senderPhone, senderLid, senderName, owner, media } = row
  const fromMe = senderPhone === me.phone
  const sender = { phone: senderPhone, lid: senderLid, name: senderName }
  const peer = fromMe ? owner : sender
  return {
    waMessageId: row.waMessageId,
    chatId: row.chatType === 'direct' ? directChatId(peer) : row.chatId,
    chatType: row.chatType === 'group' ? 'group' : 'direct',
    chatName: null,
    sender: fromMe ? me : sender,
    fromMe,
    type: row.type,
    content: row.content,
    media: media && {
      mimeType: media.mimeType ?? 'application/octet-stream',
      fileName: media.fileName,
      sizeBytes: media.sizeBytes ?? 0,
      sha256: media.sha256 ?? '',
      durationSeconds: media.durationSeconds,
      width: media.width,
      height: media.height,
      source: { mediaId: media.id },
    },
    // A quotation is stored as the recipient sees it.
    quoted: row.quoted && { ...row.quoted, fromMe: row.quoted.fromMe !== fromMe },
    mentions: row.mentions,
    at: row.createdAt.getTime(),
    alreadyCounted: true,
    starred: row.starredBy.includes(me.phone),
    status: fromMe ? (row.readAt ? 'read' : 'delivered') : 'received',
  }
}
