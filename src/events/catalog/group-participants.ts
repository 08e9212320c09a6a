import { Type } from 'typebox'
import { Timestamp, Words } from '../../kernel/schemas.ts'
import { Participant, Party } from '../../model/records.schemas.ts'
import { defineEvent } from '../define-event.ts'
import { PARTICIPANT_ACTIONS } from '../../model/vocabulary.ts'

/** The event `group.participants`: participants joined or left a group, or their role changed. */
export const groupParticipants = defineEvent({
  name: 'group.participants',
  when: 'Alguém entrou, saiu, foi promovido ou rebaixado em um grupo.',
  data: {
    groupId: Type.String(),
    action: Words(['join', 'leave', ...PARTICIPANT_ACTIONS]),
    actor: Party,
    participants: Type.Array(Participant),
    at: Timestamp,
  },
  example: {
    groupId: '120363000000000001@g.us',
    action: 'add',
    actor: { phone: '5511988887777', lid: null, name: 'Suporte' },
    participants: [{ phone: '5511999998888', lid: null, name: 'Ana', role: 'member' }],
    at: '2026-11-20T12:00:00.000Z',
  },
})
