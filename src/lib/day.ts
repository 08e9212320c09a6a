const SAO_PAULO_DAY = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo' })

/** The calendar day in São Paulo, `2026-11-20`: the daily cap of the test mode closes at its midnight. */
export function saoPauloDay(now: number): string {
  return SAO_PAULO_DAY.format(now)
}
