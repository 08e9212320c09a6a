// Latency of a page of the delivery log with thirty days of rows.
import { request } from 'undici'
import { makeKeys, makeProjects, openWorkshop } from './kit.ts'
import { percentile, print } from './load.ts'

const ROWS = 30_000_000
const DAYS = 30
const WEBHOOKS = 1000
const REQUESTS = 1000
const DAY_MS = 24 * 3600_000

/** `npm run bench -- log [rows]`: a thousand webhooks share the rows; one of them has a tenth. */
export async function benchLog(rows = ROWS): Promise<void> {
  await using workshop = await openWorkshop()
  const { app, port } = workshop
  const { system } = app.storage.database
  const [projectId = ''] = await makeProjects(app.storage.database, 1)
  const [key = ''] = await makeKeys(app.storage.database, [projectId])
  const scope = { projectId, mode: 'production' as const, keyId: null }
  const { id } = await app.webhooks.create(
    app.storage.database,
    scope,
    { actor: 'bench', address: null },
    {
      name: 'b',
      url: 'https://example.com/',
    },
  )
  const startedAt = performance.now()
  for (let day = DAYS - 1; day >= 0; day--) {
    const start = new Date(Math.floor((Date.now() - day * DAY_MS) / DAY_MS) * DAY_MS)
    const end = new Date(start.getTime() + DAY_MS)
    const name = `delivery_log_${start.toISOString().slice(0, 10).replaceAll('-', '')}`
    await system.unsafe(
      `create table if not exists ${name} partition of delivery_log
        for values from ('${start.toISOString()}') to ('${end.toISOString()}')`,
    )
    await system`
      insert into delivery_log (webhook_id, event_id, event, attempt, status_code, success, duration_ms,
        created_at)
      select case when n % 10 = 0 then ${id} else 'whk_' || (n % ${WEBHOOKS}) end,
        'evt_01jcqz3v8xf6k9m2n4p5r7s8t9', 'message.received', 1, 200, true, 12,
        ${start}::timestamptz + n * interval '1 second' * 86399 / ${rows / DAYS}
      from generate_series(1, ${rows / DAYS}) n`
  }
  await system`analyze delivery_log`
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  print(`log: ${rows} rows in ${DAYS} days (written in ${seconds} s), ${rows / 10} of one webhook`)
  for (const offset of [0, 100, 1000]) {
    const latenciesMs: number[] = []
    for (let count = 0; count < REQUESTS; count++) {
      const at = performance.now()
      const path = `/v1/webhooks/${id}/deliveries?limit=200&offset=${offset}`
      const { body, statusCode } = await request(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: `Bearer ${key}`, host: 'localhost' },
      })
      const { items } = (await body.json()) as { items: unknown[] }
      if (statusCode !== 200 || items.length !== 200) {
        throw new Error(`GET ${path} returned ${statusCode} with ${items.length} items`)
      }
      latenciesMs.push(performance.now() - at)
    }
    const [p50, p99] = [percentile(latenciesMs, 0.5), percentile(latenciesMs, 0.99)]
    print(
      `200 items from offset ${String(offset).padStart(4)}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    )
  }
}
