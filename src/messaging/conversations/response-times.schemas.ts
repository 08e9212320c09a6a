import { Type, type Static } from 'typebox'
import { Nullable } from '../../kernel/schemas.ts'

/** Maximum days in a report. */
export const MAX_DAYS = 90
/** Default length of the period, in days. */
export const DEFAULT_DAYS = 7

/** The clients from which a contact can be answered. */
const ANSWER_ORIGINS = ['api', 'panel', 'phone'] as const

/** Filters of a report; by default, all answers of the last seven days. */
export const ResponseTimesQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_DAYS,
      default: DEFAULT_DAYS,
      description: 'Quantos dias até hoje, no horário de São Paulo',
    }),
  ),
  instanceId: Type.Optional(
    Type.String({ maxLength: 100, description: 'Só as esperas desta instância' }),
  ),
  origin: Type.Optional(
    Type.Enum(ANSWER_ORIGINS, {
      description: 'Só respostas enviadas pela API, pelo painel ou pelo próprio celular',
    }),
  ),
})
export type ResponseTimesQuery = Static<typeof ResponseTimesQuery>

const Figures = {
  answered: Type.Integer({ description: 'Quantas esperas terminaram com uma resposta' }),
  medianSeconds: Nullable(Type.Number({ description: 'Metade foi respondida em até tanto' })),
  p90Seconds: Nullable(Type.Number({ description: 'Nove em dez foram respondidas em até tanto' })),
}

/** How long contacts of direct chats waited for the first answer, in total and by the day of the answer. */
export const ResponseTimes = Type.Object(
  {
    total: Type.Object(Figures),
    /** One entry per day, oldest first. */
    days: Type.Array(Type.Object({ day: Type.String({ description: 'YYYY-MM-DD' }), ...Figures })),
  },
  {
    title: 'ResponseTimes',
    examples: [
      {
        total: { answered: 42, medianSeconds: 95.2, p90Seconds: 640 },
        days: [{ day: '2026-11-23', answered: 42, medianSeconds: 95.2, p90Seconds: 640 }],
      },
    ],
  },
)
export type ResponseTimes = Static<typeof ResponseTimes>
