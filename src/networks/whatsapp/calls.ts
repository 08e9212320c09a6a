import type { WACallEvent } from 'baileys'
import type { CallStatus } from '../../records/records.schemas.ts'
import type { ToldHappening } from '../network.port.ts'
import { toParty } from './people.ts'

const STATUSES: Partial<Record<WACallEvent['status'], CallStatus>> = {
  offer: 'ringing',
  accept: 'accepted',
  reject: 'rejected',
  timeout: 'missed',
  terminate: 'missed',
}

/** What became of a call; null for what only its two ends need to know. */
export function readCall(call: WACallEvent): ToldHappening | null {
  const status = STATUSES[call.status]
  if (!status) return null
  const { id: callId, from, chatId, callerPn, isVideo = false, isGroup = false, date } = call
  return {
    ...{ kind: 'call', callId, status, video: isVideo, group: isGroup, at: date.getTime() },
    from: toParty([from, callerPn, isGroup ? null : chatId]),
    id: `call ${callId} ${status}`,
  }
}
