import { Type, type Static } from 'typebox'
import { PACES } from './vocabulary.ts'

/** One of `PACES`. */
export const Pace = Type.Unsafe<(typeof PACES)[number]>({
  type: 'string',
  title: 'Pace',
  enum: [...PACES],
  description:
    'Ritmo das mensagens que começam uma conversa: `off` não espera; `normal` deixa de 8 a 25 s entre elas e limita quantas por dia; `safe` deixa de 20 a 45 s, limita mais e só envia das 8h às 20h',
})
export type Pace = Static<typeof Pace>

/** What happens to a message that the instance's pace does not allow today. */
export const OverPace = Type.Unsafe<'wait' | 'refuse'>({
  type: 'string',
  title: 'OverPace',
  enum: ['wait', 'refuse'],
  default: 'wait',
  description:
    'O que fazer quando o ritmo da instância não permite começar esta conversa hoje: `wait` a deixa na fila, por até 7 dias; `refuse` devolve 429 e não cobra crédito',
})

/** The rules of a pace. Hours are in São Paulo time. */
export type PaceRule = {
  /** The pause after a message that starts a chat, in milliseconds. */
  gapMs: { min: number; max: number }
  /** Chats that may be started per day, as a multiple of the allowance for the number's age. */
  allowances: number
  /** The hours in which chats may be started; null for all. */
  hours: { from: string; to: string } | null
}

/** The rules of the paces. WhatsApp publishes no limits: these figures are estimates (ADR 72). */
export const PACE_RULES: Record<Exclude<Pace, 'off'>, PaceRule> = {
  normal: { gapMs: { min: 8_000, max: 25_000 }, allowances: 3, hours: null },
  safe: {
    gapMs: { min: 20_000, max: 45_000 },
    allowances: 1,
    hours: { from: '08:00', to: '20:00' },
  },
}

/** Daily allowance of new chats for a newly paired number; doubles every week up to a limit. */
const FIRST_ALLOWANCE = 20
const LAST_ALLOWANCE = 250
const WEEK_DAYS = 7

/** The allowance of new chats per day for a number that was paired `days` ago. */
export function newChatsAllowance(days: number): number {
  return Math.min(LAST_ALLOWANCE, FIRST_ALLOWANCE * 2 ** Math.max(0, Math.floor(days / WEEK_DAYS)))
}
