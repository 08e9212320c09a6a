import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  campaignEnd,
  campaignMinutes,
  hourlyRate,
  nextOpening,
  type PaceOfCampaign,
} from './campaign-time.ts'

const SECOND_MS = 1000
const DAY = 24 * 60
const MONDAY = new Date(2026, 10, 23, 12)
const FRIDAY = new Date(2026, 10, 27, 12)
const pace = (more: Partial<PaceOfCampaign> = {}): PaceOfCampaign => ({
  minDelayMs: 20 * SECOND_MS,
  maxDelayMs: 40 * SECOND_MS,
  dailyLimitPerInstance: null,
  window: null,
  ...more,
})
const window = {
  from: '09:00',
  to: '19:00',
  timeZone: 'America/Sao_Paulo',
  weekdays: [1, 2, 3, 4, 5],
}

describe('the duration of a campaign', () => {
  it('the estimated duration of a campaign is the sum of average delays, divided by the number of instances', () => {
    assert.equal(campaignMinutes(120, 1, pace()), 60)
    assert.equal(campaignMinutes(120, 2, pace()), 30)
    assert.equal(campaignMinutes(0, 1, pace()), 0)
    assert.equal(campaignMinutes(120, 1, null), 0)
  })

  it('the estimated duration of a campaign includes waiting for the next day when the daily limit is reached', () => {
    // Six full days of 150, and the remaining 100 on the seventh.
    const limited = pace({ dailyLimitPerInstance: 150 })
    assert.equal(campaignMinutes(1000, 1, limited), 6 * DAY + 50)
    assert.equal(campaignMinutes(1000, 10, limited), 50)
  })

  it('the estimated duration of a campaign includes the hours and days outside its window', () => {
    // Ten open hours fit 1,200 messages: one full day, and 800 on the next.
    assert.equal(
      campaignMinutes(2000, 1, pace({ window: { ...window, weekdays: [1, 2, 3, 4, 5, 6, 7] } })),
      DAY + 400,
    )
    assert.equal(campaignMinutes(2000, 1, pace({ window }), MONDAY), DAY + 400)
    // Friday's rest waits for Monday.
    assert.equal(campaignMinutes(2000, 1, pace({ window }), FRIDAY), 3 * DAY + 400)
    const overnight = { ...window, from: '20:00', to: '06:00', weekdays: [] }
    assert.equal(campaignMinutes(1200, 1, pace({ window: overnight })), 600)
  })

  it('the estimated duration of a campaign without delays depends only on the daily limit', () => {
    const fast = pace({ minDelayMs: 0, maxDelayMs: 0, dailyLimitPerInstance: 500 })
    assert.equal(campaignMinutes(1000, 1, fast), DAY)
    assert.equal(campaignMinutes(1000, 1, { ...fast, dailyLimitPerInstance: null }), 0)
  })
})

describe('the opening of a campaign', () => {
  /** A time on this day of November 2026 in São Paulo, three hours behind UTC; the 23rd is a Monday. */
  const at = (day: number, time: string) => new Date(`2026-11-${day}T${time}:00-03:00`)
  const open = (day: number, time: string, more: Partial<typeof window> = {}) =>
    nextOpening(pace({ window: { ...window, ...more } }), at(day, time)).toISOString()

  it('a campaign starts now inside its window, later today before it, and on the next open day after it', () => {
    assert.equal(open(23, '12:00'), at(23, '12:00').toISOString())
    assert.equal(open(23, '04:06'), at(23, '09:00').toISOString())
    assert.equal(open(23, '19:00'), at(24, '09:00').toISOString())
    assert.equal(open(27, '20:00'), at(30, '09:00').toISOString())
    assert.equal(nextOpening(null, at(23, '04:00')).toISOString(), at(23, '04:00').toISOString())
  })

  it('a window that spans midnight belongs to the day on which it opens', () => {
    const night = { from: '22:00', to: '02:00' }
    assert.equal(open(24, '01:00', night), at(24, '01:00').toISOString())
    assert.equal(open(23, '01:00', night), at(23, '22:00').toISOString())
    assert.equal(open(28, '01:00', night), at(28, '01:00').toISOString())
  })

  it('the opening of the window determines when a campaign ends', () => {
    const pacing = pace({ window })
    const end = campaignEnd(120, 1, pacing, at(23, '04:00'))
    assert.equal(end.toISOString(), at(23, '10:00').toISOString())
    const late = (day: number, time: string, people: number) =>
      campaignEnd(
        people,
        1,
        pace({ minDelayMs: 60_000, maxDelayMs: 60_000, window: { ...window, to: '18:00' } }),
        at(day, time),
      ).toISOString()
    assert.equal(late(23, '17:30', 20), at(23, '17:50').toISOString())
    assert.equal(late(23, '17:30', 60), at(24, '09:30').toISOString())
    assert.equal(late(23, '17:30', 300), at(24, '13:30').toISOString())
    assert.equal(late(27, '17:30', 60), at(30, '09:30').toISOString())
    assert.equal(hourlyRate(2, pacing), 240)
    assert.equal(hourlyRate(2, null), null)
  })
})
