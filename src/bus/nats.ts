import { connect } from '@nats-io/transport-node'
import { StartFault } from '../phrases/fail.ts'
import { say } from '../phrases/phrases.ts'
import type { Bus, Topic } from './bus.port.ts'
import { createLocalTopics } from './local-topics.ts'

const SUBJECT = 'recado'

/** Carries wake-ups over core NATS. It reconnects for ever; what is lost meanwhile is found by looking. */
export async function openNatsBus(deps: {
  url: string
  nodeId: string
  onError: (error: unknown) => void
}): Promise<Bus> {
  const { url, nodeId, onError } = deps
  const local = createLocalTopics(onError)
  const connection = await connect({
    servers: url,
    name: `recado ${nodeId}`,
    noEcho: true,
    maxReconnectAttempts: -1,
    reconnectJitter: 500,
    pingInterval: 5000,
  }).catch((error: unknown) => {
    const why = error instanceof Error ? error.name : ''
    throw new StartFault(say.start.natsUnreachable(why), error)
  })
  connection.subscribe(`${SUBJECT}.*`, {
    callback: (error, message) => {
      if (!error)
        local.publish(message.subject.slice(SUBJECT.length + 1) as Topic, message.string())
    },
  })
  // Until the server has the subscription, what other nodes publish would pass this one by.
  await connection.flush()
  function tellOthers(topic: Topic, id: string): void {
    if (!connection.isClosed()) connection.publish(`${SUBJECT}.${topic}`, id)
  }
  return {
    subscribe: local.subscribe,
    tellOthers,
    publish(topic, id) {
      local.publish(topic, id)
      tellOthers(topic, id)
    },
    close: () => connection.drain(),
  }
}
