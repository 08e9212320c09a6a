import { buffer } from 'node:stream/consumers'
import { createInflate } from 'node:zlib'
import { pipeline, Transform } from 'node:stream'
import type { proto, WAMessage } from 'baileys'
import { createSystemClock, type Clock, type Timer } from '../../kernel/clock.ts'
import { createFairSemaphore, SemaphoreTimeout } from '../../kernel/fair-semaphore.ts'
import type { HistorySync } from '../../model/history.schemas.ts'
import type { Party } from '../../model/records.schemas.ts'
import type {
  HistoricMessage,
  NetworkListener,
  ReportedNetworkEvent,
} from '../network-events.port.ts'
import type { CredentialStore } from '../network.port.ts'
import { PENDING_HISTORY } from './auth-state.ts'
import type { Baileys } from './baileys.ts'
import { decodeMessage } from './decode.ts'
import { MediaGoneError, type WhatsAppMedia } from './media.ts'
import { nameIn, toParty } from './people.ts'
import { fieldsOf } from './protobuf-fields.ts'

/** Messages reported per batch, which an import holds in memory in addition to the part. */
const BATCH_SIZE = 200
/** Maximum inflated size of a part; WhatsApp's own parts are about a tenth of it. */
const MAX_PART_BYTES = 128 * 1024 * 1024
const RETRY_MS = 60_000
const MAX_ATTEMPTS = 5
/** The latest time that a Date can have. */
const MAX_TIME_MS = 8.64e15
/** Fields of `HistorySync`, `Conversation` and `HistorySyncMsg` in WhatsApp's protocol. */
const FIELDS = { conversations: 2, pushNames: 7, numbers: 15, messages: 2 } as const
const STATUSES = { 2: 'sent', 3: 'delivered', 4: 'read', 5: 'played' } as const

/** The parts of the current connection that the importer uses. */
type Line = {
  baileys: Baileys
  self: () => Party
  complete: (party: Party) => Party
  /** A media host to download from. */
  host: () => Promise<string>
}

/**
 * Two parts at a time per process, because reading one takes up to 128 MiB of memory, and one of a Project: its download
 * may hang, and the parts of others must not wait for it. Each session waits with one part. Real time, because the downloads
 * have it.
 */
const readInTurns = createFairSemaphore({
  clock: createSystemClock(),
  max: 2,
  maxPerKey: 1,
  maxWaiting: Infinity,
  timeoutMs: 3600_000,
})

/** Imports history; see `createHistoryImporter`. */
export type HistoryImporter = ReturnType<typeof createHistoryImporter>

/**
 * Creates the importer of the messages that a phone shares from before the pairing, or on request. The phone sends a
 * notification per part, which is stored before it is acknowledged, and removed once the part is imported: a part is
 * read again after a crash, and its messages are recorded once. Parts are read one after another, field by field.
 */
export function createHistoryImporter(deps: {
  clock: Clock
  projectId: string
  store: CredentialStore
  listener: Pick<NetworkListener, 'onHistory' | 'onEvents'>
  media: WhatsAppMedia
  wanted: () => HistorySync
  line: () => Line | null
  inBackground: (work: () => Promise<void>) => void
  onError: (error: unknown, task?: string) => void
}) {
  const { clock, projectId, store, listener, media, wanted, line, inBackground, onError } = deps
  /** Parts to read, by message id, with the attempts so far. */
  const pending = new Map<string, { notification: Buffer; attempts: number; dueAt: number }>()
  let loaded = false
  let running = false
  let closed = false
  let timer: Timer | null = null

  /** Returns whether this part is wanted, by the settings of the instance or by a request. */
  function isWanted(baileys: Baileys, type: number | null | undefined): boolean {
    const { ON_DEMAND, FULL, RECENT, INITIAL_BOOTSTRAP, PUSH_NAME } =
      baileys.proto.Message.HistorySyncType
    if (type === ON_DEMAND) return true
    const most = wanted()
    if (most === 'none') return false
    const recent: (number | null | undefined)[] = [RECENT, INITIAL_BOOTSTRAP, PUSH_NAME]
    return recent.includes(type) || (most === 'full' && type === FULL)
  }

  async function readPart(id: string, bytes: Buffer): Promise<void> {
    const current = line()
    if (!current) throw new Error(`cannot import history part ${id}: not connected to WhatsApp`)
    const { baileys } = current
    const notification = baileys.proto.Message.HistorySyncNotification.decode(bytes)
    const part = await openPart(current, notification)
    const people: ReportedNetworkEvent[] = []
    const at = clock.now()
    for (const [field, value] of fieldsOf(part)) {
      const party = personIn(baileys, field, value)
      if (party) people.push({ kind: 'contact', party, at, id: null })
      if (people.length >= BATCH_SIZE) await listener.onEvents(people.splice(0))
    }
    if (people.length > 0) await listener.onEvents(people)
    let batch: HistoricMessage[] = []
    for (const [field, conversation] of fieldsOf(part)) {
      if (field !== FIELDS.conversations) continue
      for (const [inner, value] of fieldsOf(conversation)) {
        if (inner !== FIELDS.messages) continue
        const message = readOrReport(id, current, value)
        if (message) batch.push(message)
        if (batch.length < BATCH_SIZE) continue
        if (closed) throw new Error(`history part ${id}: the session was closed`)
        await listener.onHistory(batch)
        batch = []
      }
    }
    if (batch.length > 0) await listener.onHistory(batch)
  }

  /** Reads a message; one that cannot be read is left out. */
  function readOrReport(id: string, current: Line, value: Uint8Array): HistoricMessage | null {
    try {
      return readMessage(current, value)
    } catch (error) {
      onError(new Error(`history part ${id}: dropped an unreadable message`, { cause: error }))
      return null
    }
  }

  /** Returns the inflated bytes of a part, which a small one carries itself. */
  async function openPart(
    { host }: Line,
    notification: proto.Message.IHistorySyncNotification,
  ): Promise<Buffer> {
    const { initialHistBootstrapInlinePayload: inline, directPath, mediaKey } = notification
    const inflate = createInflate()
    let size = 0
    const limited = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        size += chunk.length
        const isTooLarge = size > MAX_PART_BYTES
        done(isTooLarge ? new Error(`history part exceeds ${MAX_PART_BYTES} bytes`) : null, chunk)
      },
    })
    // An error anywhere in the pipeline also destroys the last stream.
    const ignore = () => {}
    if (inline?.length) {
      pipeline(inflate, limited, ignore)
      inflate.end(inline)
      return buffer(limited)
    }
    if (!directPath || !mediaKey?.length) throw new MediaGoneError(404)
    const url = new URL(directPath, `https://${await host()}`).href
    const key = Buffer.from(mediaKey).toString('base64')
    const sealed = await media.download({ kind: 'history', url, mediaKey: key })
    pipeline(sealed, inflate, limited, ignore)
    return buffer(limited)
  }

  /** Imports the pending parts in order; one that fails is tried again a minute later, a few times. */
  async function pump(): Promise<void> {
    if (running || closed) return
    running = true
    try {
      for (const [id, entry] of pending) {
        if (closed || !line()) return
        if (entry.dueAt > clock.monotonic()) continue
        try {
          await readInTurns(projectId, () => readPart(id, entry.notification))
          await done(id)
        } catch (error) {
          // The next session continues with it.
          if (closed) return
          onError(error, `reading history part ${id}`)
          // A lost connection is not a fault of the part; the next one continues.
          if (!line()) return
          entry.dueAt = clock.monotonic() + RETRY_MS
          // A part that has not begun may still succeed.
          if (!(error instanceof SemaphoreTimeout)) entry.attempts++
          const hopeless = error instanceof MediaGoneError || entry.attempts >= MAX_ATTEMPTS
          if (hopeless) await done(id)
        }
      }
    } finally {
      running = false
      timer?.cancel()
      if (pending.size > 0 && !closed) timer = clock.after(RETRY_MS, () => inBackground(pump))
    }
  }

  async function done(id: string): Promise<void> {
    await store.save([{ kind: PENDING_HISTORY, id, value: null }])
    pending.delete(id)
  }

  return {
    /** Returns the notification to store if a message is one of the account's own phone, and wanted. */
    notificationIn(baileys: Baileys, { key, message }: WAMessage, self: Party): Buffer | null {
      if (!key.fromMe || !key.id || !isOwn(key.remoteJid, self)) return null
      const notification =
        baileys.normalizeMessageContent(message)?.protocolMessage?.historySyncNotification
      if (!notification) return null
      if (!isWanted(baileys, notification.syncType)) return null
      return Buffer.from(
        baileys.proto.Message.HistorySyncNotification.encode(notification).finish(),
      )
    },

    /** Imports a part once its notification is stored. */
    add(id: string, notification: Buffer, stored: Promise<void>): void {
      inBackground(async () => {
        await stored
        pending.set(id, { notification, attempts: 0, dueAt: 0 })
        await pump()
      })
    },

    /** Resumes with the remaining parts, including those of earlier sessions. */
    async resume(): Promise<void> {
      if (!loaded) {
        for (const [id, notification] of await store.load(PENDING_HISTORY))
          if (!pending.has(id)) pending.set(id, { notification, attempts: 0, dueAt: 0 })
        loaded = true
      }
      await pump()
    },

    close(): void {
      closed = true
      timer?.cancel()
    },
  }
}

const isOwn = (jid: string | null | undefined, self: Party): boolean => {
  const { phone, lid } = toParty([jid])
  return (phone !== null && phone === self.phone) || (lid !== null && lid === self.lid)
}

/** Reads the name of a contact, or which phone and LID belong together; null for any other field. */
function personIn({ proto }: Baileys, field: number, value: Uint8Array): Party | null {
  if (field === FIELDS.pushNames) {
    const { id, pushname } = proto.Pushname.decode(value)
    const party = toParty([id], nameIn(pushname))
    return party.name && (party.phone || party.lid) ? party : null
  }
  if (field !== FIELDS.numbers) return null
  const { pnJid, lidJid } = proto.PhoneNumberToLIDMapping.decode(value)
  const party = toParty([pnJid, lidJid])
  return party.phone && party.lid ? party : null
}

/** Reads a message; null if there is nothing to store, as for votes, whose polls may not be known yet. */
function readMessage({ baileys, self, complete }: Line, value: Uint8Array): HistoricMessage | null {
  const { message } = baileys.proto.HistorySyncMsg.decode(value)
  if (!message?.key) return null
  const { key, participant } = message
  const wa = { ...message, key: { ...key, participant: key.participant ?? participant } }
  const decoded = decodeMessage(baileys, wa as WAMessage, self(), complete)
  if (decoded?.kind !== 'message' || !(decoded.message.at > 0 && decoded.message.at < MAX_TIME_MS))
    return null
  const { sender } = decoded.message
  // This is the sender's name at that time; the part carries the current name separately.
  const starred = message.starred ?? false
  const nameless = { ...decoded.message, sender: { ...sender, name: null }, starred }
  if (!nameless.fromMe) return { ...nameless, status: 'received' }
  const { ERROR, PENDING } = baileys.proto.WebMessageInfo.Status
  // The phone itself has not sent it.
  if (message.status === ERROR || message.status === PENDING) return null
  return { ...nameless, status: STATUSES[message.status as keyof typeof STATUSES] ?? 'sent' }
}
