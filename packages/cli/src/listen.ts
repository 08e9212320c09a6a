import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { NotFoundError, SignatureError, verify, type WebhookEvent } from '../../sdk/src/index.ts'
import { forward } from './forward.ts'
import { CommandError, EXIT, note, print } from './output.ts'
import { say } from './phrases.ts'
import { readProfiles, writeProfile, type DurableState, type Profile } from './profiles.ts'
import { keepTrying } from './keep-trying.ts'
import { createClient, LocalWebSocket, requireTest, type Session } from './session.ts'
import { EVENTS } from './trigger.ts'

type EventName = WebhookEvent['event']
/** Options of `recado listen`. */
export type ListenOptions = {
  forwardTo?: string
  events?: string
  instance?: string
  secret?: string
  durable?: boolean
}

const NAME = 'recado listen'
const POLL_MS = 1000
/** Requests that an inbox keeps; older ones are deleted. */
const INBOX_SIZE = 50
const MAX_RETRY_MS = 30_000
/** Events being delivered at once; more wait, so that the program is not flooded after a burst. */
const MAX_IN_FLIGHT = 16

/** Returns the event with this name. Throws a usage error if there is none. */
export function parseEvent(name: string): EventName {
  const known = EVENTS.find((event) => event === name)
  if (!known) throw new CommandError(say.unknownEvent(name, EVENTS.join(', ')), EXIT.usage)
  return known
}

/** Keeps the secret in the profile, so that the user's program needs it only once. */
function secretOf({ globals, profile }: Session, given: string | undefined): string {
  if (given !== undefined && !given.startsWith('whsec_'))
    throw new CommandError(say.badSecret, EXIT.usage)
  const secret = given ?? profile.secret ?? `whsec_${randomBytes(32).toString('base64')}`
  const saved = readProfiles()[globals.profile]
  if (!given && saved && !saved.secret) writeProfile(globals.profile, { ...saved, secret })
  return secret
}

function parseTarget(url: string | undefined): string | null {
  if (url === undefined) return null
  const full = /^\d+$/.test(url) ? `http://localhost:${url}` : url
  if (!URL.canParse(full) || !/^https?:/.test(full))
    throw new CommandError(say.badUrl(url), EXIT.usage)
  return full
}

function show(
  session: Session,
  event: WebhookEvent,
  result: Awaited<ReturnType<typeof forward>> | null,
) {
  const at = new Date().toISOString()
  const parts = result
    ? [result.status ?? '---', `${result.ms} ms`, ...(result.problem ? [result.problem] : [])]
    : [JSON.stringify(event.data)]
  const line = [at.slice(11, 19), event.event.padEnd(18), ...parts].join('  ')
  const { eventId } = event.data
  const value = { at, event: event.event, eventId, ...(result ?? { data: event.data }) }
  print(session.globals.json, line, value)
}

/** `recado listen`: receives events and forwards them until it is interrupted. */
export async function listen(
  session: Session,
  options: ListenOptions,
  signal: AbortSignal,
): Promise<void> {
  const target = parseTarget(options.forwardTo)
  const events = options.events?.split(',').map((name) => parseEvent(name.trim()))
  if (options.durable && !target) throw new CommandError(say.durableNeedsTarget, EXIT.usage)
  // Tells a wrong key, address or instance apart before the stream, which would retry.
  const { mode, key } = await session.recado.me({ signal })
  if (options.durable && mode !== 'test') throw new CommandError(say.durableNeedsTest, EXIT.key)
  if (options.durable) savedFor(session)
  const { instanceIds } = key.restrictions ?? {}
  const [only, another] = instanceIds ?? []
  if (!options.instance && another)
    throw new CommandError(say.onlyInstances(instanceIds ?? []), EXIT.usage)
  options = { ...options, ...(only && !options.instance ? { instance: only } : {}) }
  if (options.instance) await session.recado.instances.get(options.instance, { signal })
  if (target) {
    const secret = secretOf(session, options.secret)
    note(say.listening(target))
    note(say.secret(secret))
    if (options.durable)
      return listenDurably(session, { ...options, target, secret, events }, signal)
    return listenLive(session, { ...options, target, secret, events }, signal)
  }
  note(say.listeningOnly)
  return listenLive(session, { ...options, target, secret: '', events }, signal)
}

/** Close codes from this one on refuse the key, which the events report. */
const FIRST_REFUSAL = 4400

/** A WebSocket that says when its connection is lost, once until another opens. */
function reportLosses(url: string, signal: AbortSignal): typeof LocalWebSocket {
  let isOpen = false
  return class extends LocalWebSocket {
    constructor(...options: ConstructorParameters<typeof LocalWebSocket>) {
      super(...options)
      this.on('open', () => {
        isOpen = true
      })
      this.on('close', (code: number) => {
        if (isOpen && !signal.aborted && code < FIRST_REFUSAL) note(say.connectionLost(url))
        isOpen = false
      })
    }
  }
}

async function listenLive(
  session: Session,
  options: {
    instance?: string
    target: string | null
    secret: string
    events: EventName[] | undefined
  },
  signal: AbortSignal,
): Promise<void> {
  const { target, secret, events, instance } = options
  const inFlight = new Set<Promise<void>>()
  const query = {
    ...(events ? { events } : {}),
    ...(instance ? { instanceId: instance } : {}),
    signal,
  }
  const recado = createClient(session, reportLosses(session.url, signal))
  for await (const event of recado.events(query)) {
    if (event.event === 'gap') {
      const [from, until] = [event.from.toISOString(), event.until.toISOString()]
      note(say.gap(from, until))
      if (session.globals.json) print(true, '', { gap: { from, until } })
      continue
    }
    if (!target) {
      show(session, event, null)
      continue
    }
    const task = forward(target, event, secret).then((result) => show(session, event, result))
    inFlight.add(task)
    void task.finally(() => inFlight.delete(task))
    if (inFlight.size >= MAX_IN_FLIGHT) await Promise.race(inFlight)
  }
  await Promise.all(inFlight)
}

/** The profile in which a durable run keeps its state: that of the session's key. */
function savedFor({ apiKey, globals }: Session): Profile {
  const saved = readProfiles()[globals.profile]
  if (saved?.apiKey !== apiKey) throw new CommandError(say.durableNeedsLogin, EXIT.key)
  return saved
}

/** Creates the inbox that keeps events and its webhook, or returns those of the last run if they fit these options. */
async function openInbox(session: Session, options: Pick<DurableOptions, 'events' | 'instance'>) {
  const { recado, globals } = session
  const saved = savedFor(session)
  const events = options.events ?? []
  const wanted = JSON.stringify([events, options.instance ?? null])
  const last = saved.durable
  try {
    if (last) {
      await recado.simulator.inboxes.get(last.inboxId)
      await recado.webhooks.get(last.webhookId)
      if (last.wanted === wanted) return last
      await recado.webhooks.delete(last.webhookId)
      await recado.simulator.inboxes.delete(last.inboxId)
    }
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
  }
  const inbox = await recado.simulator.inboxes.create({ name: NAME })
  const { id: webhookId, secret } = await recado.webhooks.create({
    name: NAME,
    url: inbox.url,
    events,
    ...(options.instance ? { filter: { instanceIds: [options.instance] } } : {}),
  })
  const state: DurableState = { inboxId: inbox.id, webhookId, secret, wanted, lastId: 0 }
  writeProfile(globals.profile, { ...saved, durable: state })
  return state
}

/** Returns what arrived in the inbox after the last delivered request, oldest first. */
async function readInbox({ recado }: Session, { inboxId, lastId }: DurableState) {
  const { items } = await recado.simulator.inboxes.requests(inboxId, { limit: INBOX_SIZE }).page()
  const oldest = items.at(-1)
  if (items.length === INBOX_SIZE && lastId > 0 && oldest && oldest.id > lastId)
    note(say.inboxFull(INBOX_SIZE))
  return items.filter(({ id }) => id > lastId).toReversed()
}

type DurableOptions = {
  target: string
  secret: string
  events: EventName[] | undefined
  instance?: string
}

/** Forwards an event until the program accepts it. */
async function forwardUntilAccepted(
  session: Session,
  event: WebhookEvent,
  { target, secret }: DurableOptions,
  sleep: (ms: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 1; !signal.aborted; failures++) {
    const result = await forward(target, event, secret)
    show(session, event, result)
    if (result.status !== null && result.status >= 200 && result.status < 300) return
    const delayMs = Math.min(MAX_RETRY_MS, 1000 * 2 ** (failures - 1))
    note(say.retrying(delayMs / 1000))
    await sleep(delayMs)
  }
}

/**
 * Forwards what a webhook left in a test inbox, in order. An event counts as delivered when the program answered with
 * 2xx; until then it is repeated, also after this program was stopped. The inbox is public: what the webhook has not
 * signed is skipped.
 */
async function listenDurably(
  session: Session,
  options: DurableOptions,
  signal: AbortSignal,
): Promise<void> {
  requireTest(session)
  const { globals, url } = session
  const state = await openInbox(session, options)
  const untilRead = keepTrying(url, signal)
  const sleep = (ms: number) =>
    pause(ms, undefined, { signal }).then(
      () => {},
      () => {},
    )
  while (!signal.aborted) {
    const requests = await untilRead(() => readInbox(session, state))
    if (requests === null) return
    for (const { id, body, headers, receivedAt } of requests) {
      const now = new Date(receivedAt)
      const event = await verify(body, headers, state.secret, { now }).catch((error: unknown) => {
        if (!(error instanceof SignatureError)) throw error
        note(say.notSigned(id))
        return null
      })
      if (event) await forwardUntilAccepted(session, event, options, sleep, signal)
      if (signal.aborted) return
      state.lastId = id
      const saved = readProfiles()[globals.profile]
      if (saved) writeProfile(globals.profile, { ...saved, durable: state })
    }
    await sleep(POLL_MS)
  }
}
