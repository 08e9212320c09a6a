// What companies do all day, on every node at once: sends, received messages, campaigns, pairing and streams.
import { setTimeout as pause } from 'node:timers/promises'
import type { Installation } from '../faults/installation.ts'
import { connectStream } from '../kit/websocket.ts'
import type { Told } from './checker.ts'

const SENDERS = 4
const WRITERS = 2
const RECIPIENTS = 30
const MAX_PAIRED = 25
const RETRY_MS = 50
const STREAM_WITHIN_MS = 30_000

/** Traffic that continues until it is stopped. */
export type Traffic = {
  /** Resolves once `count` more messages have been acknowledged; rejects after a minute. */
  waitForMore(count: number): Promise<void>
  /** Requests that were refused, by status. */
  refusals(): Record<string, number>
  /** Resolves when a stream of every node in `ports` has had an event; rejects if one has none for half a minute. */
  checkStreams(ports: number[]): Promise<void>
  stop(): Promise<void>
}

/** Starts traffic on a company's installation and tells the checker what was acknowledged. */
export async function startTraffic(
  place: Installation,
  project: string,
  url: string,
  tell: (told: Told) => void,
): Promise<Traffic> {
  await place.ops(['addon', 'grant', '--project', project, '--addon', 'mass_sending'])
  const { instance, base, key } = await place.signInAndConnect()
  tell({ paired: instance })
  const { phone: number } = (await place.call('GET', base)).body
  const writer = await place.phone('Bia')
  await place.call('POST', '/v1/webhooks', { name: 'todos', url })

  let working = true
  let acknowledged = 0
  const statuses: Record<string, number> = {}

  /** Null if the request was refused or its connection broke. */
  async function attempt(path: string, body?: object) {
    try {
      const answer = await place.call('POST', path, body)
      if (answer.status < 300) return answer.body
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    } catch {
      statuses['broken'] = (statuses['broken'] ?? 0) + 1
    }
    await pause(RETRY_MS)
    return null
  }
  function promise(body: Record<string, unknown> | null): void {
    if (!body) return
    acknowledged++
    tell({ promised: String(body['waMessageId']) })
  }
  const repeat = (act: (count: number) => Promise<void>) =>
    (async () => {
      for (let count = 0; working; count++) await act(count)
    })()

  const send = (sender: number) => async (count: number) => {
    const to = `5511${900_000_000 + ((sender * 1000 + count) % 5000) * 10 + 9}`
    promise(await attempt(`${base}/messages`, { to, text: `pedido ${count}` }))
    await pause(10)
  }
  const write = async (count: number) => {
    const body = { to: number, type: 'text', text: `resposta ${count}` }
    promise(await attempt(`/v1/simulator/phones/${writer}/messages`, body))
    await pause(20)
  }
  const campaign = async (count: number) => {
    const recipients = Array.from({ length: RECIPIENTS }, (_, index) => ({
      to: `5521${900_000_000 + ((count * RECIPIENTS + index) % 90_000) * 10 + 9}`,
    }))
    const message = { type: 'text', text: 'Novidades' }
    const draft = { name: `c${count}`, instanceIds: [instance], message, pacing: null }
    const made = await attempt('/v1/campaigns', { ...draft, recipients })
    if (!made) return
    const path = `/v1/campaigns/${String(made['id'])}`
    let started = false
    while (working && !started) {
      // The response to a start may be lost, so the campaign itself is asked.
      await attempt(`${path}/start`)
      const shown = await place.call('GET', path).catch(() => null)
      started = shown?.status === 200 && shown.body['status'] !== 'DRAFT'
    }
    if (started) tell({ campaign: String(made['id']), recipients: RECIPIENTS })
    await pause(3000)
  }
  const pair = async (count: number) => {
    if (count < MAX_PAIRED) {
      // A node may be lost at any step: what is not connected in the end was not promised.
      const made = await place.connect(`Nova ${count}`).catch(() => null)
      if (made) tell({ paired: made })
    }
    await pause(2000)
  }
  const loops = [
    ...Array.from({ length: SENDERS }, (_, index) => repeat(send(index))),
    ...Array.from({ length: WRITERS }, () => repeat(write)),
    repeat(campaign),
    repeat(pair),
  ]

  return {
    refusals: () => statuses,
    async waitForMore(count) {
      const goal = acknowledged + count
      const until = performance.now() + 60_000
      while (acknowledged < goal) {
        if (performance.now() > until)
          throw new Error(
            `${acknowledged} of ${goal} messages after a minute: ${JSON.stringify(statuses)}`,
          )
        await pause(20)
      }
    },
    async checkStreams(ports) {
      const until = performance.now() + STREAM_WITHIN_MS
      await Promise.all(
        ports.map(async (port) => {
          // Like any client, it connects again when it is asked to.
          while (!(await hasEvent(port, key)))
            if (performance.now() > until) throw new Error(`no event on the stream of port ${port}`)
        }),
      )
    },
    async stop() {
      working = false
      await Promise.all(loops)
    },
  }
}

/** Whether a stream opens and has an event before it closes, within half a minute. */
async function hasEvent(port: number, key: string): Promise<boolean> {
  const stream = connectStream({ port, host: 'localhost', key })
  // The first frame says that the stream is open.
  const events = stream.next().then(() => stream.next().then(() => true))
  const gone = stream.closed.then(() => false)
  try {
    return await Promise.race([events, gone, pause(STREAM_WITHIN_MS, false, { ref: false })])
  } finally {
    stream.socket.close()
  }
}
