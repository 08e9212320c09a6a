// An upgrade under load: this version serves twelve clients while the next version migrates a large
// database; then both serve, and then the next version alone. The next version is a copy of this
// one with additional test migrations.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { copyAsNextVersion } from '../kit/next-migrations.ts'
import { run } from '../kit/process.ts'
import { createInstallation } from './installation.ts'

const CONVERSATIONS = 100_000
const MESSAGES_EACH = 15
const FILLED_AT_ONCE = 5000
const CLIENTS = 12
const PHASE_MS = 5000
const FINAL_WITHIN_MS = 60_000
const MAX_RESPONSE_MS = 1000

/** Prints failed requests and the longest response times; throws if either exceeds its target. */
export async function upgradeUnderLoad(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const place = await createInstallation(stack, 'upgrade')
  const { dir, database, envOf, call } = place
  const next = copyAsNextVersion(join(dir, 'next'))

  const project = await place.createCompany()
  const before = await place.start('before')
  place.ports = [before.port]
  const { instance, base } = await place.signInAndConnect()
  for (let from = 0; from < CONVERSATIONS; from += FILLED_AT_ONCE) {
    await database.system`
      with made as (
        insert into conversation (id, project_id, mode, instance_id, chat_id, chat_type, phone, last_message_at, created_at)
        select 'cnv_f' || lpad(n::text, 25, '0'), ${project}, 'production', ${instance},
          '5521' || 900000000 + n || '@s.whatsapp.net', 'direct', '5521' || 900000000 + n,
          now() - n * interval '1 minute', now() - n * interval '1 minute'
        from generate_series(${from}::int, ${from + FILLED_AT_ONCE - 1}::int) n
        returning id, chat_id, last_message_at)
      insert into message (id, project_id, mode, instance_id, conversation_id, wa_message_id, direction, origin, type, status,
        chat_id, chat_type, content, text, created_at)
      select 'msg_f' || right(m.id, 19) || lpad(k::text, 6, '0'), ${project}, 'production', ${instance}, m.id,
        'F' || right(m.id, 19) || k, 'outbound', 'api', 'text', 'delivered', m.chat_id, 'direct',
        jsonb_build_object('text', 'pedido ' || k), 'pedido número ' || k || ' de ' || m.chat_id, m.last_message_at
      from made m, generate_series(1, ${MESSAGES_EACH}) k`
  }
  await database.system`analyze`

  const accepted: string[] = []
  const failures: string[] = []
  const waits = { before: 0, during: 0, beside: 0, after: 0 }
  let phase: keyof typeof waits = 'before'
  let working = true
  async function work(client: number): Promise<void> {
    for (let count = 0; working; count++) {
      const to = `5511${900000000 + ((client * 1000 + count) % 20_000) * 10 + 9}`
      const startedAt = performance.now()
      try {
        const { status, body } = await call('POST', `${base}/messages`, {
          to,
          text: `pedido ${count}`,
        })
        if (status === 201) accepted.push(String(body['id']))
        else failures.push(`${phase}: ${status} ${JSON.stringify(body)}`)
      } catch (error) {
        failures.push(`${phase}: ${String(error)}`)
      }
      waits[phase] = Math.max(waits[phase], performance.now() - startedAt)
      await pause(20)
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, client) => work(client))
  await pause(PHASE_MS)

  phase = 'during'
  const startedAt = performance.now()
  const migration = await run('src/cli.ts', ['migrate', '--json'], envOf('ops', 0), [], next).ended
  assert.equal(migration.code, 0, migration.output)
  const seconds = Math.round((performance.now() - startedAt) / 1000)

  phase = 'beside'
  const after = await place.start('after', next)
  place.ports = [before.port, after.port]
  await pause(PHASE_MS)

  phase = 'after'
  place.ports = [after.port]
  await pause(PHASE_MS / 5)
  before.server.child.kill('SIGTERM')
  await before.server.ended
  await pause(PHASE_MS)
  working = false
  await Promise.all(clients)

  const until = performance.now() + FINAL_WITHIN_MS
  const unfinished = async () => {
    const [row] = await database.system<{ count: number }[]>`
      select count(*) from message where id = any(${accepted}) and status in ('queued', 'sending')`
    return row?.count ?? 0
  }
  while ((await unfinished()) > 0 && performance.now() < until) await pause(200)
  const [stored] = await database.system<{ count: number }[]>`
    select count(*) from message where id = any(${accepted})`
  const rounded = Object.entries(waits).map(([name, ms]) => `${name} ${Math.round(ms)}`)
  process.stdout.write(
    `upgrade under load: ${CONVERSATIONS} conversations, ${CONVERSATIONS * MESSAGES_EACH} messages, migrated in ${seconds} s   ` +
      `accepted ${accepted.length}, stored ${stored?.count}, not final ${await unfinished()}, ` +
      `failed requests ${failures.length} (target 0)   longest wait in ms: ${rounded.join(', ')} (target ${MAX_RESPONSE_MS})\n`,
  )
  assert.deepEqual(failures.slice(0, 5), [])
  assert.equal(stored?.count, accepted.length)
  assert.equal(await unfinished(), 0)
  assert.ok(Math.max(waits.during, waits.beside, waits.after) <= MAX_RESPONSE_MS)
}
