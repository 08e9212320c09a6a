import type { BinaryNode } from 'baileys'
import type { Party } from '../../model/records.schemas.ts'
import type { CallStatus } from '../../model/vocabulary.ts'
import type { ReportedNetworkEvent } from '../network-events.port.ts'
import { toParty } from './people.ts'

/** Statuses by the reason that the server sends to devices that did not accept the call; any other means missed. */
const ENDINGS: Record<string, CallStatus> = {
  accepted_elsewhere: 'accepted',
  rejected_elsewhere: 'rejected',
}
const STATUSES: Record<string, CallStatus> = {
  offer: 'ringing',
  offer_notice: 'ringing',
  accept: 'accepted',
  reject: 'rejected',
}
const MAX_OFFERS = 1000

/**
 * Creates a reader of call stanzas. The engine's own event trusts the caller's claim of identity, and does not
 * distinguish a call accepted on the phone from a missed one.
 */
export function createCallReader(complete: (party: Party) => Party) {
  /** Properties of ringing calls, which their later stanzas do not repeat. */
  const offers = new Map<string, { video: boolean; group: boolean }>()

  /** Returns the event; null for stanzas that concern only the two endpoints of the call. */
  return function readCall({ attrs, content }: BinaryNode): ReportedNetworkEvent | null {
    const [child] = Array.isArray(content) ? content : []
    const callId = child?.attrs['call-id']
    if (!child || !callId) return null
    const { reason = '', 'call-creator': creator } = child.attrs
    const ended = child.tag === 'terminate' ? (ENDINGS[reason] ?? 'missed') : null
    const status = ended ?? STATUSES[child.tag]
    if (!status) return null
    if (status === 'ringing') {
      const inside = Array.isArray(child.content) ? child.content : []
      const group = child.attrs['type'] === 'group' || child.attrs['group-jid'] !== undefined
      if (offers.size >= MAX_OFFERS) offers.clear()
      offers.set(callId, { video: inside.some(({ tag }) => tag === 'video'), group })
    }
    const { video, group } = offers.get(callId) ?? { video: false, group: false }
    if (status !== 'ringing') offers.delete(callId)
    // The server sets the sender of the stanza. What the call says of its creator is only a claim of the sender, which
    // must not connect a number to a LID.
    const sender = toParty([attrs['from'], attrs['sender_pn'], attrs['sender_lid']])
    const known = sender.phone ?? sender.lid
    const from = complete(known ? sender : toParty([creator]))
    const at = Number(attrs['t'] ?? 0) * 1000
    return { kind: 'call', callId, from, video, group, status, at, id: `call ${callId} ${status}` }
  }
}
