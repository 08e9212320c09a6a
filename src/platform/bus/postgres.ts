import type { Database } from '../db/database.ts'
import type { Clock, Timer } from '../../kernel/clock.ts'
import type { Bus, BusMessages, Topic } from './bus.port.ts'
import { createLocalTopics } from './local-topics.ts'

const CHANNEL = 'recado_bus'
const COALESCE_MS = 5
/** NOTIFY rejects payloads of 8,000 bytes or more. */
const MAX_PAYLOAD_LENGTH = 7800
/** Messages kept for another attempt after one failed; workers that miss them poll. */
const MAX_UNSENT = 10_000

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
  /** Whether another node has been alive since this one started. */
  let hasOthers = false
  let gathered = new Set<string>()
  let timer: Timer | null = null
  let sending: Promise<void> = Promise.resolve()

  async function send(): Promise<void> {
    timer = null
    const messages = [...gathered]
    gathered = new Set()
    const notices = pack(messages)
    try {
      while (notices[0] !== undefined) {
        await database.system`select pg_notify(${CHANNEL}, ${`${nodeId}\n${notices[0]}`})`
        notices.shift()
      }
    } catch (error) {
      // Sent with the next message, unless the database stays away for long.
      const unsent = notices.flatMap((notice) => notice.split('\n'))
      if (unsent.length <= MAX_UNSENT) gathered = new Set([...unsent, ...gathered])
      throw error
    }
  }

  await database.listen(
    CHANNEL,
    (payload) => {
      const [sender, ...words] = payload.split('\n')
      if (sender === nodeId) return
      hasOthers = true
      for (const word of words) {
        const colon = word.indexOf(':')
        local.publishEncoded(word.slice(0, colon), word.slice(colon + 1))
      }
    },
    () => {
      if (hasOthers) local.publish('gap', null)
    },
  )

  function publishToOthers<T extends Topic>(topic: T, message: BusMessages[T]): void {
    if (!othersAlive()) return
    hasOthers = true
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
      if (gathered.size > 0)
        await send().catch((error: unknown) => onError(error, 'notifying other nodes'))
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
