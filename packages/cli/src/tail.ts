import { setTimeout as pause } from 'node:timers/promises'
import { keepTrying } from './keep-trying.ts'
import { note, print } from './output.ts'
import { say } from './phrases.ts'
import type { Session } from './session.ts'

const POLL_MS = 1500
/** The most that one request of either log returns. */
const PAGE_SIZE = 200

/** Options of the two `tail` commands. */
export type TailOptions = { failed?: boolean; once?: boolean }
type Entry = { id: string; at: string; line: string; value: object }

/** Shows the entries oldest first, and then those that appear, until it is interrupted. */
async function follow(
  session: Session,
  read: () => Promise<Entry[]>,
  { once, signal }: { once: boolean; signal: AbortSignal },
): Promise<void> {
  /** The entries of the last poll, so that none is shown twice. */
  let seen = new Set<string>()
  const untilRead = keepTrying(session.url, signal)
  while (!signal.aborted) {
    const entries = await untilRead(read)
    if (entries === null) return
    const fresh = entries.filter(({ id }) => !seen.has(id))
    for (const { line, value } of fresh.toSorted((a, b) => a.at.localeCompare(b.at))) {
      print(session.globals.json, line, value)
    }
    seen = new Set(entries.map(({ id }) => id))
    if (once) {
      if (entries.length === 0) note(say.nothingYet)
      return
    }
    await pause(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

/** `recado logs tail`: the delivery attempts of all webhooks of the key's mode. */
export function tailDeliveries(
  session: Session,
  { failed, once = false }: TailOptions,
  signal: AbortSignal,
): Promise<void> {
  const { recado } = session
  const read = async () => {
    const entries: Entry[] = []
    for await (const { id: webhookId, name } of recado.webhooks.list()) {
      const query = { limit: PAGE_SIZE, ...(failed ? { outcome: 'failed' as const } : {}) }
      const { items } = await recado.webhooks.deliveries(webhookId, query).page()
      for (const attempt of items) {
        const { id, createdAt: at, event, statusCode, durationMs, errorReason } = attempt
        const parts = [name, event, `${attempt.attempt}ª`, statusCode ?? '---', `${durationMs} ms`]
        const line = [at.slice(11, 19), ...parts, errorReason ?? ''].join('  ').trimEnd()
        entries.push({ id: `${webhookId} ${id}`, at, line, value: { webhookId, ...attempt } })
      }
    }
    return entries
  }
  return follow(session, read, { once, signal })
}

/** `recado requests tail`: the API calls made with the keys of this mode. */
export function tailRequests(
  session: Session,
  { failed, once = false }: TailOptions,
  signal: AbortSignal,
): Promise<void> {
  const read = async () => {
    const { items } = await session.recado.requests({
      limit: PAGE_SIZE,
      ...(failed ? { result: 'failed' as const } : {}),
    })
    const shown = items.filter((one) => one.path !== '/v1/requests')
    return shown.map((one) => {
      const { id, at, method, status, ms, message } = one
      const parts = [at.slice(11, 19), status, method, one.path, `${ms} ms`, message ?? '']
      return { id, at, line: parts.join('  ').trimEnd(), value: one }
    })
  }
  return follow(session, read, { once, signal })
}
