import { Type, type Static } from 'typebox'
import { Nullable, Page, PageQuery, Timestamp, Words } from '../../kernel/schemas.ts'
import { anyKind } from '../messages/messages.schemas.ts'

const SCHEDULE_STATUSES = ['scheduled', 'sent', 'failed', 'canceled'] as const
/** The status of a scheduled message; `sent` means that it became a message, which has its own status. */
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number]

const SCHEDULE_ERRORS = [
  'INSTANCE_NOT_CONNECTED',
  'INSUFFICIENT_CREDITS',
  'SUBSCRIPTION_REQUIRED',
  'DAILY_CAP_REACHED',
  'PACE_LIMIT',
  'API_NOT_ENABLED',
  'PANEL_NOT_ENABLED',
  'PROJECT_INACTIVE',
  'KEY_REFUSED',
  'NOT_FOUND',
  'INVALID',
  'TOO_LATE',
] as const
/** Why a scheduled message could not be sent. */
export type ScheduleError = (typeof SCHEDULE_ERRORS)[number]

/** Body of the request that schedules a message. `message` is validated as the kind of its `type`. */
export const ScheduleBody = Type.Object(
  {
    sendAt: Type.String({
      maxLength: 40,
      description: 'ISO 8601 com fuso, até 90 dias à frente',
      examples: ['2026-12-01T09:00:00-03:00'],
    }),
    message: Type.Object({}, { additionalProperties: true }),
  },
  { additionalProperties: false },
)
export type ScheduleBody = Static<typeof ScheduleBody>

/** `ScheduleBody` for the API reference, with the kinds of messages. */
export const scheduleBodySchema = {
  ...ScheduleBody,
  properties: { ...ScheduleBody.properties, message: anyKind.body },
} as typeof ScheduleBody

/** A message to be sent at a given time. */
export const ScheduledMessage = Type.Object(
  {
    id: Type.String(),
    instanceId: Type.String(),
    sendAt: Timestamp,
    status: Words(SCHEDULE_STATUSES),
    message: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'O corpo do envio; um arquivo aparece como `mediaId`',
      },
    ),
    messageId: Nullable(Type.String({ description: 'A mensagem enviada' })),
    error: Nullable(Type.Object({ code: Words(SCHEDULE_ERRORS), message: Type.String() })),
    createdAt: Timestamp,
    endedAt: Nullable(Timestamp),
  },
  {
    title: 'ScheduledMessage',
    examples: [
      {
        id: 'sch_01kb2m4x7heqf8r9s0t1v2w3x4',
        instanceId: 'ins_01kb2m4x7heqf8r9s0t1v2w3x4',
        sendAt: '2026-12-01T12:00:00.000Z',
        status: 'scheduled',
        message: { type: 'text', to: '+55 11 99999-8888', text: 'Sua consulta é hoje às 14h.' },
        messageId: null,
        error: null,
        createdAt: '2026-11-20T12:00:00.000Z',
        endedAt: null,
      },
    ],
  },
)
export type ScheduledMessage = Static<typeof ScheduledMessage>
/** A page of scheduled messages, soonest first. */
export const ScheduledMessageList = Page(ScheduledMessage, 'ScheduledMessageList')

/** Filter and pagination of scheduled messages. */
export const ListSchedulesQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(Words(SCHEDULE_STATUSES)),
})
export type ListSchedulesQuery = Static<typeof ListSchedulesQuery>
