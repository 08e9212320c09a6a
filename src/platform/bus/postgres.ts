import type { Database } from '../db/database.ts'
import type { Clock, Timer } from '../../kernel/clock.ts'
import type { Bus, BusMessages, Topic } from './bus.port.ts'
import { createLocalTopics } from './local-topics.ts'

const CHANNEL = 'recado_bus'
const COALESCE_MS = 5
/** NOTIFY rejects payloads of 8,000 bytes or more. */
const MAX_PAYLOAD_LENGTH = 7800

/**
 * Carries messages by NOTIFY: coalesced for a few milliseconds, sent outside the transactions that cause them (NOTIFY
 * takes a database-wide lock at commit), and only while another node is alive.
 */
export async function openPostgresBus(deps: {
  database: Database
  clock: Clock
  nodeId: string
  othersAlive: () => boolean
  onError: (error: unknown, task?: string) => void
}): Promise<Bus> {
  const { database, clock, nodeId, othersAlive, onError } = deps
  const local = createLocalTopics(onError)
  let gathered = new Set<string>()
  let timer: Timer | null = null
  let sending: Promise<void> = Promise.resolve()

  async function send(): Promise<void> {
    timer = null
    const messages = [...gathered]
    gathered = new Set()
    for (const notice of pack(messages)) {
      await database.system`select pg_notify(${CHANNEL}, ${`${nodeId}\n${notice}`})`
    }
  }

  await database.listen(
    CHANNEL,
    (payload) => {
      const [sender, ...words] = payload.split('\n')
      if (sender === nodeId) return
      for (const word of words) {
        const colon = word.indexOf(':')
        local.publishEncoded(word.slice(0, colon), word.slice(colon + 1))
      }
    },
    () => {},
  )

  function publishToOthers<T extends Topic>(topic: T, message: BusMessages[T]): void {
    if (!othersAlive()) return
    gathered.add(`${topic}:${JSON.stringify(message)}`)
    timer ??= clock.after(COALESCE_MS, () => {
      sending = send().catch((error: unknown) => onError(error, 'notifying other nodes'))
    })
  }

  return {
    subscribe: local.subscribe,
    publishToOthers,
    publish(topic, message) {
      local.publish(topic, message)
      publishToOthers(topic, message)
    },
    // Notifications use a database connection, whose failure is detected elsewhere.
    connected: () => true,
    async close() {
      timer?.cancel()
      await sending
    },
  }
}

function pack(words: string[]): string[] {
  const notices: string[] = []
  let notice = ''
  for (const word of words) {
    if (notice.length + word.length + 1 > MAX_PAYLOAD_LENGTH) {
      notices.push(notice)
      notice = ''
    }
    notice = notice ? `${notice}\n${word}` : word
  }
  return notice ? [...notices, notice] : notices
}
