import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { startOfDay } from '../kernel/day.ts'
import { opensAt } from './sending-window.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const hour = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
const zone = fc.constantFrom(
  'America/Sao_Paulo',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'UTC',
)
const window = fc.record({
  from: hour,
  to: hour,
  timeZone: zone,
  weekdays: fc.uniqueArray(
    fc.integer({
      min: 1,
      max: 7,
    }),
    { minLength: 1 },
  ),
})
/** Years with clock changes in both hemispheres. */
const time = fc.integer({ min: Date.parse('2016-01-01'), max: Date.parse('2030-01-01') })

/** The local weekday and time in that zone. */
function read(timeZone: string, at: number) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const weekday = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(
    part['weekday'] ?? '',
  )
  return { weekday, time: `${part['hour']}:${part['minute']}` }
}

/** Whether the local time is within the window. */
function isOpen({ from, to, timeZone, weekdays }: Parameters<typeof opensAt>[0], at: number) {
  const { weekday, time: clock } = read(timeZone, at)
  const yesterday = weekday === 1 ? 7 : weekday - 1
  if (to > from) return weekdays.includes(weekday) && clock >= from && clock < to
  return (
    (weekdays.includes(weekday) && clock >= from) || (weekdays.includes(yesterday) && clock < to)
  )
}

describe('a sending window', () => {
  it('a sending window is open when the local time is within it, except when clocks change', () => {
    fc.assert(
      fc.property(window, time, (one, now) => {
        const opens = opensAt(one, now)
        const shift = startOfDay(one.timeZone, now + DAY) - startOfDay(one.timeZone, now)
        // On a day of 23 or 25 hours, a local hour is missing or occurs twice.
        if (
          shift !== DAY ||
          startOfDay(one.timeZone, now) - startOfDay(one.timeZone, now - DAY) !== DAY
        )
          return
        assert.equal(opens === now, isOpen(one, now))
      }),
      { numRuns: 2000 },
    )
  })

  it('opensAt returns the earliest opening, within 8 days, or 15 if the clocks change', () => {
    fc.assert(
      fc.property(window, time, (one, now) => {
        const opens = opensAt(one, now)
        const week = startOfDay(one.timeZone, now + 8 * DAY) - startOfDay(one.timeZone, now)
        assert.ok(opens >= now && opens - now <= (week === 8 * DAY ? 8 : 15) * DAY)
        assert.equal(opensAt(one, opens), opens)
        if (opens > now) assert.notEqual(opensAt(one, opens - 1), opens - 1)
      }),
      { numRuns: 2000 },
    )
  })

  it('opensAt returns the following week when a clock change skips the whole window', () => {
    // On 4 October 2020 clocks of Lord Howe went from 02:00 to 02:30.
    const one = { from: '02:00', to: '02:30', timeZone: 'Australia/Lord_Howe', weekdays: [7] }
    const opens = opensAt(one, Date.parse('2020-09-28'))
    assert.equal(opens, Date.parse('2020-10-11T02:00+11:00'))
    assert.equal(opensAt(one, opens), opens)
  })
})
