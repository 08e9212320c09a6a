// A separate process that records what the nodes acknowledged, receives their webhooks, and finally compares both with
// the database. It shares nothing with the nodes or with what causes the faults.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { findDrift } from '../../src/company/billing/billing.sql.ts'
import { openDatabase } from '../../src/platform/db/database.ts'
import type { DatabaseAddress } from '../../src/platform/db/driver.ts'

/** Messages from the parent process. */
export type Told =
  | { open: DatabaseAddress }
  /** A send or a message of a phone was acknowledged. */
  | { promised: string }
  | { campaign: string; recipients: number }
  /** An instance was paired, and must stay so. */
  | { paired: string }
  | { fault: 'begins' | 'ends' }
  | 'report'
/** Messages to the parent process. */
export type Answer = { url: string } | Report
/** Empty lists and equal numbers if nothing went wrong. */
export type Report = {
  promised: number
  /** Acknowledged, but not stored exactly once. */
  lost: string[]
  /** Acknowledged and stored, but not delivered to the webhook. */
  silent: string[]
  /** Without a final state. */
  stuck: string[]
  /** Events that arrived twice without having been in flight during a fault. */
  repeated: string[]
  inFlightAtFaults: number
  /** Campaigns whose recipients are not all accounted for. */
  campaigns: string[]
  /** Paired instances that are not connected. */
  unpaired: string[]
  drift: object[]
  deliveriesLeft: number
}

const IN_FLIGHT_POLL_MS = 100
const FINAL_WITHIN_MS = 150_000
const FAILS_ONCE = 10

const promised = new Set<string>()
const campaigns = new Map<string, number>()
const paired = new Set<string>()
const announced = new Set<string>()
const accepted = new Map<string, number>()
const refused = new Set<string>()
const inFlight = new Set<string>()
let seen = 0
let faulty = false

const endpoint = createServer(async (incoming, response) => {
  const text = Buffer.concat(await incoming.toArray()).toString()
  const id = String(incoming.headers['webhook-id'])
  if (!accepted.has(id) && !refused.has(id) && seen++ % FAILS_ONCE === 0) {
    refused.add(id)
    response.writeHead(500).end()
    return
  }
  const { event, data } = JSON.parse(text) as {
    event: string
    data: { waMessageId?: string; waMessageIds?: string[]; status?: string }
  }
  if (event === 'message.received') announced.add(data.waMessageId ?? '')
  if (event === 'message.status' && data.status === 'delivered')
    for (const id of data.waMessageIds ?? []) announced.add(id)
  accepted.set(id, (accepted.get(id) ?? 0) + 1)
  response.writeHead(204).end()
})
endpoint.on('clientError', (_, socket) => socket.destroy())

async function open(address: DatabaseAddress): Promise<void> {
  const database = openDatabase(address, 2, 'patient')
  const tell = (answer: Answer) => void process.send?.(answer)

  async function readInFlight(): Promise<void> {
    const rows = await database.system<{ eventId: string }[]>`select event_id from delivery`
    for (const { eventId } of rows) inFlight.add(eventId)
  }
  void (async () => {
    for (;;) {
      if (faulty) await readInFlight()
      await pause(IN_FLIGHT_POLL_MS)
    }
  })()

  async function compare(): Promise<Report> {
    const ids = [...promised]
    const stored = await database.system<{ waMessageId: string; count: number; open: number }[]>`
      select wa_message_id, count(*)::int as count,
        count(*) filter (where status in ('queued', 'sending'))::int as open
      from message where wa_message_id = any(${ids}) group by wa_message_id`
    const counts = new Map(stored.map((row) => [row.waMessageId, row.count]))
    const people = await database.system<{ campaignId: string; done: number; total: number }[]>`
      select campaign_id, count(*)::int as total,
        count(*) filter (where status not in ('pending', 'queued'))::int as done
      from campaign_recipient where campaign_id = any(${[...campaigns.keys()]}) group by campaign_id`
    const done = new Map(people.map((row) => [row.campaignId, row]))
    const away = await database.system<{ id: string }[]>`
      select id from instance where id = any(${[...paired]}) and status <> 'CONNECTED'`
    const [left] = await database.system<{ count: number }[]>`select count(*)::int from delivery`
    return {
      promised: ids.length,
      lost: ids.filter((id) => counts.get(id) !== 1),
      silent: ids.filter((id) => counts.has(id) && !announced.has(id)),
      stuck: stored.filter((row) => row.open > 0).map((row) => row.waMessageId),
      repeated: [...accepted].flatMap(([id, times]) =>
        times > 1 && !inFlight.has(id) ? [id] : [],
      ),
      inFlightAtFaults: inFlight.size,
      campaigns: [...campaigns].flatMap(([id, recipients]) => {
        const found = done.get(id)
        return found?.total === recipients && found.done === recipients ? [] : [id]
      }),
      unpaired: away.map(({ id }) => id),
      drift: [...(await findDrift(database))],
      deliveriesLeft: left?.count ?? 0,
    }
  }

  async function report(): Promise<Report> {
    const until = performance.now() + FINAL_WITHIN_MS
    for (;;) {
      const found = await compare()
      const { lost, silent, stuck, campaigns: unfinished, unpaired, deliveriesLeft } = found
      const open = lost.length + silent.length + stuck.length + unfinished.length + unpaired.length
      if ((open === 0 && deliveriesLeft === 0) || performance.now() > until) return found
      await pause(250)
    }
  }

  process.on('message', (told: Told) => {
    if (told === 'report') void report().then(tell)
    else if ('promised' in told) promised.add(told.promised)
    else if ('campaign' in told) campaigns.set(told.campaign, told.recipients)
    else if ('paired' in told) paired.add(told.paired)
    else if ('fault' in told) {
      faulty = told.fault === 'begins'
      // Once more after the end, for what began just before it.
      if (!faulty) void readInFlight()
    }
  })
  await new Promise<void>((resolve) => void endpoint.listen(0, '127.0.0.1', resolve))
  tell({ url: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/` })
}

process.once('message', (told: Told) => {
  if (typeof told === 'object' && 'open' in told) void open(told.open)
})
// The process ends with the one that started it.
process.once('disconnect', () => process.exit(0))
