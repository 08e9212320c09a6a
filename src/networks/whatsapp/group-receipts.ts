import type { BaileysEventMap, BinaryNode } from 'baileys'
import { STATUS_CHAT } from '../../model/recipient.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { Receipt } from '../network-events.port.ts'
import { isSameParty } from './groups.ts'
import { authorOf, isKnown, toParty } from './people.ts'

/** The account that receives receipts. */
type ReadingAccount = { self: Party; complete: (party: Party) => Party; now: number }

/**
 * Converts the engine's receipts of a group. It reports as read also what another device of the account has received a copy
 * of, which is left out.
 */
export function toGroupReceipts(
  updates: BaileysEventMap['message-receipt.update'],
  account: ReadingAccount,
): Receipt[] {
  return updates.flatMap(({ key, receipt }): Receipt[] => {
    const party = account.complete(authorOf(key, null))
    if (!key.fromMe || !key.id || !key.remoteJid || !isKnown(party)) return []
    if (isSameParty(party, account.self)) return []
    const read = receipt.readTimestamp
    const at = Number(read ?? receipt.receiptTimestamp ?? 0) * 1000 || account.now
    const status = read ? 'read' : 'delivered'
    return [{ waMessageIds: [key.id], chatId: key.remoteJid, status, at, party, error: null }]
  })
}

const STATUSES: Record<string, Receipt['status']> = { read: 'read', played: 'played' }

/**
 * Reads the receipts of several members of a group, or viewers of a status post, that arrive in one stanza, which the engine ignores. Source:
 * handleGroupedReceipt of whatsmeow.
 */
export function readGroupedReceipts(
  { attrs: { from: chatId = '', type }, content }: BinaryNode,
  account: ReadingAccount,
): Receipt[] {
  const status = type === undefined ? 'delivered' : STATUSES[type]
  const isShared = chatId.endsWith('@g.us') || chatId === STATUS_CHAT
  if (!status || !isShared || !Array.isArray(content)) return []
  const lists = content.filter(({ tag }) => tag === 'participants')
  return lists.flatMap(({ attrs: { key: waMessageId }, content: users }) => {
    if (!waMessageId || !Array.isArray(users)) return []
    return users.flatMap(({ attrs: { jid, t } }): Receipt[] => {
      const party = account.complete(toParty([jid]))
      if (!isKnown(party) || isSameParty(party, account.self)) return []
      const at = Number(t ?? 0) * 1000 || account.now
      return [{ waMessageIds: [waMessageId], chatId, status, at, party, error: null }]
    })
  })
}
