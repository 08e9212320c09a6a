import type { BinaryNode } from 'baileys'
import type { CallStatus } from '../../model/records.schemas.ts'
import type { ToldHappening } from '../network.port.ts'
import { toParty } from './people.ts'

/** Why a call ended, as the server tells the devices that did not take it. */
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
 * Reads what became of calls from their stanzas: the engine's own event takes the caller's word for who calls, and does not
 * tell a call that was answered on the phone from one that was missed.
 */
export function createCallReader() {
  /** Kind and group of the calls that ring, which their endings do not repeat. */
  const offers = new Map<string, { video: boolean; group: boolean }>()

  /** What happened; null for what only the two ends of a call need to know. */
  return function readCall({ attrs, content }: BinaryNode): ToldHappening | null {
    const [child] = Array.isArray(content) ? content : []
    const callId = child?.attrs['call-id']
    if (!child || !callId) return null
    const { reason = '', caller_pn, 'call-creator': creator } = child.attrs
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
    // The server writes who sent the stanza; who made the call, its sender wrote.
    const sender = toParty([attrs['from'], attrs['sender_pn'], attrs['sender_lid']])
    const known = sender.phone ?? sender.lid
    const from = known
      ? toParty([sender.lid, attrs['from'], group ? null : caller_pn])
      : toParty([creator, caller_pn])
    const at = Number(attrs['t'] ?? 0) * 1000
    return { kind: 'call', callId, from, video, group, status, at, id: `call ${callId} ${status}` }
  }
}
