import { Type } from 'typebox'
import { Timestamp, Words } from '../../kernel/schemas.ts'
import { defineEvent } from '../define-event.ts'

/** The event `label.updated`: a label was created, edited or deleted. */
export const labelUpdated = defineEvent({
  name: 'label.updated',
  when: 'Uma etiqueta foi criada, editada ou apagada.',
  data: {
    action: Words(['created', 'updated', 'deleted']),
    label: Type.Object({ id: Type.String(), name: Type.String(), color: Type.String() }),
    at: Timestamp,
  },
  example: {
    action: 'created',
    label: { id: 'lab_01jcqz3v8xf6k9m2n4p5r7s8t9', name: 'Pago', color: '#00a884' },
    at: '2026-11-20T12:00:00.000Z',
  },
})
