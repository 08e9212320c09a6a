import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import { delay, type Clock } from '../../kernel/clock.ts'
import type { Bus, BusMessages, Topic } from './bus.port.ts'
import { createLocalTopics } from './local-topics.ts'

const SUBJECT = 'recado'
const FIRST_CONNECT_TIMEOUT_MS = 2000
const RECONNECT_INTERVAL_MS = 1000

/**
 * The connection options of a NATS URL: the client itself reads neither credentials nor `tls:` from it. A user name
 * without a password is a token.
 */
function readNatsUrl(text: string): NodeConnectionOptions {
  const { protocol, hostname, port, username, password } = new URL(text)
  const user = decodeURIComponent(username)
  const pass = decodeURIComponent(password)
  return {
    servers: `${hostname}:${port || 4222}`,
    ...(protocol === 'tls:' ? { tls: {} } : {}),
    ...(user && pass ? { user, pass } : user || pass ? { token: user || pass } : {}),
  }
}

/**
 * Carries messages over core NATS and reconnects until it is closed. A message lost in between costs one poll interval.
 * If NATS does not respond within two seconds, the bus opens disconnected and keeps trying.
 */
export async function openNatsBus(deps: {
  url: string
  nodeId: string
  clock: Clock
  onError: (error: unknown, task?: string) => void
}): Promise<Bus> {
  const { url, nodeId, clock, onError } = deps
  const local = createLocalTopics(onError)
  let connection: NatsConnection | null = null
  let connected = false
  let closing = false

  async function watch(opened: NatsConnection): Promise<void> {
    for await (const { type } of opened.status()) {
      if (type === 'disconnect' || type === 'staleConnection') connected = false
      if (type === 'reconnect') {
        connected = true
        local.publish('gap', null)
      }
    }
    connected = false
  }

  async function open(): Promise<void> {
    const opened = await connect({
      ...readNatsUrl(url),
      name: `recado ${nodeId}`,
      noEcho: true,
      maxReconnectAttempts: -1,
      // Credentials may be rejected while they are changed; giving up would leave the node without notifications.
      ignoreAuthErrorAbort: true,
      reconnectJitter: 500,
      pingInterval: 5000,
    })
    opened.subscribe(`${SUBJECT}.*`, {
      callback: (error, message) => {
        if (!error)
          local.publishEncoded(message.subject.slice(SUBJECT.length + 1), message.string())
      },
    })
    // Until the server has processed the subscription, messages of other nodes would be missed.
    await opened.flush()
    connection = opened
    connected = true
    void watch(opened).catch((error: unknown) => onError(error, 'watching the connection to NATS'))
    if (closing) await opened.drain()
  }

  async function connectWithRetries(): Promise<void> {
    while (!closing && !connection) {
      await open().catch(async (error: unknown) => {
        onError(error, 'connecting to NATS')
        await delay(clock, RECONNECT_INTERVAL_MS)
      })
    }
  }

  await Promise.race([connectWithRetries(), delay(clock, FIRST_CONNECT_TIMEOUT_MS)])
  function publishToOthers<T extends Topic>(topic: T, message: BusMessages[T]): void {
    if (connection && !connection.isClosed())
      connection.publish(`${SUBJECT}.${topic}`, JSON.stringify(message))
  }
  return {
    subscribe: local.subscribe,
    publishToOthers,
    connected: () => connected,
    publish(topic, message) {
      local.publish(topic, message)
      publishToOthers(topic, message)
    },
    async close() {
      closing = true
      // A lost connection cannot be drained.
      await connection?.drain().catch(async () => connection?.close())
    },
  }
}
