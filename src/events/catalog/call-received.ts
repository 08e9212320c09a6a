import { Type } from 'typebox'
import { Timestamp, Words } from '../../kernel/schemas.ts'
import { Party } from '../../model/records.schemas.ts'
import { CALL_STATUSES } from '../../model/vocabulary.ts'
import { defineEvent } from '../define-event.ts'

/** The event `call.received`: a voice or video call arrived. */
export const callReceived = defineEvent({
  name: 'call.received',
  when: 'Uma chamada de voz ou vídeo chegou.',
  data: {
    callId: Type.String(),
    from: Party,
    video: Type.Boolean(),
    group: Type.Boolean(),
    status: Words(CALL_STATUSES),
    at: Timestamp,
  },
  example: {
    callId: 'A1B2C3',
    from: { phone: '5511999998888', lid: null, name: 'Ana' },
    video: false,
    group: false,
    status: 'ringing',
    at: '2026-11-20T12:00:00.000Z',
  },
})
