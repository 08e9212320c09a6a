import { Type, type Static } from 'typebox'
import { Nullable, Timestamp, Words } from '../../kernel/schemas.ts'
import { Pace } from '../../model/pace.schemas.ts'

/** The length of the period, in days. */
export const HEALTH_DAYS = 7

/** The reasons that lower the health score of a number. */
const HEALTH_REASONS = [
  'BANNED',
  'RESTRICTED',
  'RESTRICTED_SENDS',
  'UNDELIVERED',
  'COLD_UNANSWERED',
  'TOO_MANY_NEW_CHATS',
  'WRONG_NUMBERS',
  'DISCONNECTED',
] as const
/** The code of a reason. */
export type HealthReasonCode = (typeof HEALTH_REASONS)[number]

const share = (description: string) =>
  Nullable(Type.Number({ minimum: 0, maximum: 1, description: `${description}, de 0 a 1` }))

const Metrics = Type.Object(
  {
    sent: Type.Integer({ description: 'Mensagens que saíram da fila, inclusive as que falharam' }),
    received: Type.Integer({ description: 'Mensagens recebidas' }),
    settled: Type.Integer({
      description: 'Enviadas há mais de uma hora, sem as que falharam',
    }),
    deliveredShare: share('Proporção de `settled` que chegou ao celular'),
    restrictedShare: share('Proporção que o WhatsApp recusou com um código de restrição'),
    wrongNumberShare: share('Proporção enviada a números que não têm WhatsApp'),
    newChats: Type.Integer({
      description: 'Conversas que este número começou há mais de uma hora',
    }),
    newChatsAnswered: Type.Integer({ description: 'Quantas delas tiveram resposta' }),
    mostNewChatsInADay: Type.Integer({
      description: 'Maior número de conversas novas em um mesmo dia',
    }),
    newChatsAllowance: Type.Integer({
      description:
        'Quantas conversas novas por dia são recomendadas para o tempo desde o pareamento',
    }),
    connectedShare: share('Que parte do tempo a instância esteve conectada'),
  },
  { title: 'HealthMetrics' },
)
export type HealthMetrics = Static<typeof Metrics>

const Pacing = Type.Object(
  {
    pace: Pace,
    startedToday: Type.Integer({ description: 'Conversas iniciadas hoje dentro do ritmo' }),
    mostPerDay: Nullable(
      Type.Integer({ description: 'Quantas o ritmo permite por dia; null sem limite' }),
    ),
    waiting: Type.Integer({ description: 'Mensagens que esperam a vez por causa do ritmo' }),
    nextAt: Nullable(
      Type.String({ format: 'date-time', description: 'Quando a próxima pode sair' }),
    ),
  },
  { title: 'InstancePacing' },
)

/** How likely a number is to be restricted or banned, and why, from the last seven days. */
export const InstanceHealth = Type.Object(
  {
    score: Type.Integer({ minimum: 0, maximum: 100, description: '100 é o melhor' }),
    level: Words(['good', 'attention', 'risk']),
    since: Timestamp,
    reasons: Type.Array(
      Type.Object({
        code: Words(HEALTH_REASONS),
        points: Type.Integer({ description: 'Quanto o motivo tirou da nota' }),
        message: Type.String({ description: 'O que aconteceu e o que fazer' }),
      }),
    ),
    metrics: Metrics,
    pacing: Pacing,
    complete: Type.Boolean({
      description: 'Falso se só as 20.000 mensagens mais novas do período foram contadas',
    }),
  },
  {
    title: 'InstanceHealth',
    examples: [
      {
        score: 89,
        level: 'good',
        since: '2026-11-18T12:00:00.000Z',
        reasons: [
          {
            code: 'COLD_UNANSWERED',
            points: 11,
            message:
              'Poucas das conversas que você começou tiveram resposta (12%). Escreva para quem espera a sua mensagem.',
          },
        ],
        metrics: {
          sent: 340,
          received: 120,
          settled: 330,
          deliveredShare: 0.97,
          restrictedShare: 0,
          wrongNumberShare: 0.01,
          newChats: 50,
          newChatsAnswered: 6,
          mostNewChatsInADay: 20,
          newChatsAllowance: 80,
          connectedShare: 0.998,
        },
        pacing: {
          pace: 'safe',
          startedToday: 20,
          mostPerDay: 20,
          waiting: 4,
          nextAt: '2026-11-26T11:00:00.000Z',
        },
        complete: true,
      },
    ],
  },
)
export type InstanceHealth = Static<typeof InstanceHealth>
