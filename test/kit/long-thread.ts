import type { Page } from 'playwright-core'

/** Three messages share each second, as messages of WhatsApp do. */
const PER_SECOND = 3
const START_MS = Date.parse('2026-11-01T12:00:00Z')
const timeOf = (n: number) => START_MS + Math.floor(n / PER_SECOND) * 1000

/**
 * Stubs the message list of every conversation with `count()` messages, from "Recado 0" on: more than test mode sends in
 * a day. `sample` is a message of the API, read at each request; every fifth message is the account's own.
 */
export async function stubThread(
  page: Page,
  sample: Record<string, unknown>,
  count: () => number,
): Promise<void> {
  await page.route(/\/instances\/[^/]+\/messages\?/, (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const asked = new URL(route.request().url()).searchParams
    if (asked.get('pinned') === 'true') return route.fallback()
    const [limit, offset] = [Number(asked.get('limit')), Number(asked.get('offset') ?? 0)]
    const since = Date.parse(asked.get('since') ?? '1970-01-01')
    const until = Date.parse(asked.get('until') ?? '2999-01-01')
    let newest = count() - 1
    while (newest >= 0 && timeOf(newest) >= until) newest--
    newest -= offset
    const items = []
    for (let n = newest; n >= 0 && items.length <= limit && timeOf(n) >= since; n--) {
      items.push({
        ...sample,
        id: `msg_${n}`,
        waMessageId: `wa_${n}`,
        text: `Recado ${n}${' e mais palavras'.repeat(n % 7)}`,
        direction: n % 5 === 0 ? 'outbound' : 'inbound',
        createdAt: new Date(timeOf(n)).toISOString(),
      })
    }
    const hasMore = items.length > limit
    return route.fulfill({ json: { items: items.slice(0, limit), limit, offset, hasMore } })
  })
}
