// Latency of lists when an instance has a million messages.
import { request } from 'undici'
import { makeKeys, makeProjects, openWorkshop } from './kit.ts'
import { percentile, print } from './load.ts'

const MESSAGES = 1_000_000
const CONVERSATIONS = 10_000
const REQUESTS = 100
const DAYS = 180

/** `npm run bench -- lists [messages]`: prints p50 and p99 of each list and search. */
export async function benchLists(messages = MESSAGES): Promise<void> {
  await using workshop = await openWorkshop()
  const { app, port } = workshop
  const { system } = app.storage.database
  const [projectId = ''] = await makeProjects(app.storage.database, 1)
  const [key = ''] = await makeKeys(app.storage.database, [projectId])
  const call = async (path: string, body?: object) => {
    const answer = await request(`http://127.0.0.1:${port}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${key}`,
        host: 'localhost',
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return {
      status: answer.statusCode,
      body: (await answer.body.json()) as { id: string; items: unknown[] },
    }
  }
  await system`update project set subscription = 'active' where id = ${projectId}`
  const { body: instance } = await call('/v1/instances', { name: 'lists' })
  const startedAt = performance.now()
  await system`
    insert into conversation (id, project_id, mode, instance_id, chat_id, chat_type, phone, name, unread_count,
      last_message_id, last_message_at, created_at)
    select 'cnv_' || n, ${projectId}, 'production', ${instance.id}, '5511' || (900000000 + n) || '@s.whatsapp.net',
      'direct', '5511' || (900000000 + n), 'Cliente ' || n, n % 3, 'msg_' || n, now() - n * interval '1 minute', now()
    from generate_series(1, ${CONVERSATIONS}) n`
  await system`
    insert into message (id, project_id, mode, instance_id, conversation_id, wa_message_id, direction, origin, type,
      status, chat_id, chat_type, content, text, created_at)
    select 'msg_' || n, ${projectId}, 'production', ${instance.id}, 'cnv_' || c, 'WA' || n,
      case when n % 2 = 0 then 'inbound' else 'outbound' end, 'phone', 'text',
      case when n % 2 = 0 then 'received' else 'sent' end, '5511' || (900000000 + c) || '@s.whatsapp.net',
      'direct', '{"type":"text","text":""}', 'Seu pedido ' || n || ' saiu para entrega' ||
        case when n % 50000 = 7 then ' pelo zepelim' when n % 100 = 3 then ' com desconto' else '' end,
      now() - (${messages}::int - n) * ${(DAYS * 86_400) / messages}::float8 * interval '1 second'
    from (select n, 1 + n * 7919::bigint % ${CONVERSATIONS} as c from generate_series(1, ${messages}::int) n) t`
  await system`vacuum analyze message`
  await system`vacuum analyze conversation`
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  print(
    `lists: ${messages} messages in ${CONVERSATIONS} conversations of one instance (written in ${seconds} s)`,
  )
  const base = `/v1/instances/${instance.id}`
  const scenarios: Record<string, (count: number) => string> = {
    'messages, newest': () => `${base}/messages`,
    'messages, offset 1000': () => `${base}/messages?offset=1000`,
    'messages, since a day': (n) =>
      `${base}/messages?since=${new Date(Date.now() - (n % DAYS) * 86_400_000).toISOString()}`,
    'of a conversation': (n) =>
      `${base}/messages?conversationId=cnv_${1 + ((n * 37) % CONVERSATIONS)}`,
    'search, in every message': () => `${base}/messages?q=pedido`,
    'search, in one of 100': () => `${base}/messages?q=com%20desconto`,
    'search, in one of 50,000': () => `${base}/messages?q=zepelim`,
    'search, one number': (n) => `${base}/messages?q=pedido%20${100_000 + n * 311}%20`,
    'search, in none': (n) => `${base}/messages?q=helicóptero${n}`,
    'conversations, newest': () => `${base}/conversations`,
    'conversations, unread': () => `${base}/conversations?unread=true&offset=500`,
    'conversations, by name': (n) => `${base}/conversations?q=cliente%20${n}`,
  }
  for (const [name, path] of Object.entries(scenarios)) {
    const latenciesMs: number[] = []
    let found = 0
    for (let count = 0; count < REQUESTS; count++) {
      const at = performance.now()
      const { status, body } = await call(path(count))
      if (status !== 200) throw new Error(`GET ${path(count)} returned ${status}`)
      found += body.items.length
      latenciesMs.push(performance.now() - at)
    }
    const [p50, p99] = [percentile(latenciesMs, 0.5), percentile(latenciesMs, 0.99)]
    print(
      `${name.padEnd(28)} p50 ${p50.toFixed(1).padStart(6)} ms, p99 ${p99.toFixed(1).padStart(6)} ms, ` +
        `${(found / REQUESTS).toFixed(1)} items`,
    )
  }
}
