import { Type } from 'typebox'
import { Nullable, Timestamp } from '../../kernel/schemas.ts'
import { InstanceStatus } from '../../model/records.schemas.ts'
import { defineEvent } from '../define-event.ts'

/** The event `instance.status`: an instance's connection status changed. */
export const instanceStatus = defineEvent({
  name: 'instance.status',
  when: 'A conexão de uma instância mudou.',
  data: {
    status: InstanceStatus,
    previousStatus: InstanceStatus,
    reason: Nullable(Type.String()),
    willReconnect: Type.Boolean(),
    phone: Nullable(Type.String()),
    at: Timestamp,
  },
  example: {
    status: 'CONNECTED',
    previousStatus: 'PAIRED',
    reason: null,
    willReconnect: false,
    phone: '5511988887777',
    at: '2026-11-20T12:00:00.000Z',
  },
})
