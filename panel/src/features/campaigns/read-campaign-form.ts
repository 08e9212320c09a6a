import type { Api } from '../../data/api-types.ts'
import { SAO_PAULO } from '../../../../src/kernel/sao-paulo.ts'
import { trimmedText } from '../../ui/form.tsx'
import { DAYS, PACES, type PaceName } from './campaign-pace.tsx'
import { type PaceOfCampaign } from './campaign-time.ts'

/** The body that creates a campaign. */
export type NewCampaignBody = NonNullable<Api['POST /v1/campaigns']['body']>

/** What decides how long a campaign takes: its pace, and how many instances send. */
export type Plan = { pacing: PaceOfCampaign; instances: number }

/** Reads what decides how long the campaign of a form takes. */
export function readPlan(form: FormData): Plan {
  const name = (['careful', 'normal', 'own'] as const).find((one) => one === form.get('pace'))
  const { minDelayMs, maxDelayMs, dailyLimitPerInstance = null, window } = pacingOf(form, name)
  return {
    pacing: {
      minDelayMs,
      maxDelayMs,
      dailyLimitPerInstance,
      window: { ...window, timeZone: SAO_PAULO },
    },
    instances: form.getAll('instance').length,
  }
}

/** Reads the pace of a form: that of a name, or its own numbers. */
function pacingOf(form: FormData, pace: PaceName = 'own') {
  const { min, max, most } = PACES[pace] ?? {
    min: Number(trimmedText(form, 'min')),
    max: Number(trimmedText(form, 'max')),
    most: Number(trimmedText(form, 'most')),
  }
  const hour = (name: string) => trimmedText(form, name).padStart(5, '0')
  return {
    minDelayMs: Math.round(min * 1000),
    maxDelayMs: Math.round(max * 1000),
    ...(most > 0 ? { dailyLimitPerInstance: most } : {}),
    window: {
      from: hour('from'),
      to: hour('to'),
      weekdays: DAYS.filter((day) => form.get(`day${day}`) === 'on'),
    },
  }
}

/** Builds a campaign from its form; `message` is the finished message body, its file uploaded. */
export function draftOf(
  form: FormData,
  {
    message,
    pace,
    scheduledAt,
    timeZone,
  }: {
    message: object
    pace: PaceName
    scheduledAt: string
    /** That of a draft; a new campaign follows the server's. */
    timeZone: string | undefined
  },
): NewCampaignBody {
  const pacing = pacingOf(form, pace)
  return {
    name: trimmedText(form, 'name'),
    instanceIds: form.getAll('instance').map(String),
    message: message as NewCampaignBody['message'],
    ...(scheduledAt ? { scheduledAt } : {}),
    pacing: timeZone ? { ...pacing, window: { ...pacing.window, timeZone } } : pacing,
  }
}
