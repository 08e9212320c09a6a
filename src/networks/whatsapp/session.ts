import type { BaileysEventMap, BinaryNode, WAMessageKey, WASocket } from 'baileys'
import type { Logger } from 'pino'
import type { Activity } from '../../lib/activity.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import { random } from '../../lib/ids.ts'
import { directChat } from '../../lib/recipient.ts'
import type { MessageErrorCode, Party } from '../../records/records.schemas.ts'
import type {
  NetworkAccount,
  NetworkListener,
  NetworkSession,
  Receipt,
  ToldHappening,
} from '../network.port.ts'
import { createAuthState, loadAuthState, saveMutations, type AuthState } from './auth-state.ts'
import type { Baileys } from './baileys.ts'
import { readCall } from './calls.ts'
import { endingOf } from './close-codes.ts'
import { createCommands } from './commands.ts'
import { decodeMessage } from './decode.ts'
import { readGroupNews } from './groups.ts'
import type { WhatsAppMedia } from './media.ts'
import { openLine, type LineSettings } from './line.ts'
import { authorOf, peerOf, toParty } from './people.ts'
import { createTeller, type Teller } from './teller.ts'
import { createValve, type Valve } from './valve.ts'

const FIRST_CODE_MS = 60_000
const NEXT_CODE_MS = 20_000
const CODES = 6
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 60_000
const YIELD_MS = 30_000
const REMEMBERED = 10_000

/** What stands behind a session while its line lives; another line has its own. */
type Life = { valve: Valve; teller: Teller; state: AuthState; socket: WASocket | null }

/** One account's session on WhatsApp: its lines, one after the other, until it is closed. */
export function openSession(deps: {
  baileys: Baileys
  clock: Clock
  activity: Activity
  logger: Logger
  settings: LineSettings
  account: NetworkAccount
  listener: NetworkListener
  media: WhatsAppMedia
  onError: (error: unknown) => void
}): NetworkSession {
  const { baileys, clock, activity, logger, settings, account, listener, media, onError } = deps
  let life: Life | null = null
  let closed = false
  let codes = 0
  let retries = 0
  let yielded = false
  let timer: Timer | null = null
  const names = new Map<string, string>()

  const inBackground = (work: () => Promise<void>) => void activity.run(work).catch(onError)

  const selfOf = ({ creds }: AuthState): Party => toParty([creds.me?.id, creds.me?.lid])

  async function connect(): Promise<void> {
    if (closed) return
    const loaded = await loadAuthState(baileys, account.credentials)
    if (closed) return
    const valve = createValve({
      clock,
      save: (mutations) => saveMutations(baileys, account.credentials, mutations),
      onError: (error) => {
        onError(error)
        life?.socket?.end(undefined)
      },
    })
    const teller = createTeller({ clock, listener, onError })
    const state = createAuthState(baileys, loaded, () => valve)
    const mine: Life = { valve, teller, state, socket: null }
    life = mine
    mine.socket = openLine({
      ...{ baileys, settings, state, valve, logger },
      getMessage: (key) => sentBefore(key),
      events: {
        event(name, value) {
          if (life === mine) hear(mine, name, value)
        },
        acknowledged(stanza) {
          if (life === mine) acknowledged(mine, stanza)
        },
        inGroup(stanza) {
          if (life === mine) happened(mine, readGroupNews(stanza, selfOf(state)))
        },
      },
    })
  }

  async function sentBefore(key: WAMessageKey) {
    const bytes = await account.credentials.read('sent', key.id ?? '')
    return bytes ? baileys.proto.Message.decode(bytes) : undefined
  }

  function hear(mine: Life, name: keyof BaileysEventMap, value: unknown): void {
    switch (name) {
      case 'connection.update':
        return moved(mine, value as BaileysEventMap['connection.update'])
      case 'creds.update':
        return mine.state.update(value as BaileysEventMap['creds.update'])
      case 'messages.upsert':
        return arrived(mine, value as BaileysEventMap['messages.upsert'])
      case 'messages.update':
        return updated(mine, value as BaileysEventMap['messages.update'])
      case 'message-receipt.update':
        return inGroup(mine, value as BaileysEventMap['message-receipt.update'])
      case 'call':
        return happened(
          mine,
          (value as BaileysEventMap['call']).flatMap((call) => readCall(call) ?? []),
        )
      case 'contacts.update':
        return renamed(mine, value as BaileysEventMap['contacts.update'])
      case 'lid-mapping.update': {
        const { lid, pn } = value as BaileysEventMap['lid-mapping.update']
        const party = toParty([lid, pn])
        return happened(mine, [{ kind: 'contact', party, at: clock.now(), id: null }])
      }
      default:
    }
  }

  function happened(mine: Life, items: ToldHappening[]): void {
    if (items.length > 0) mine.valve.commit(mine.teller.tell({ kind: 'happenings', items }))
  }

  /** Names come with every message; only a new one is news. */
  function renamed(mine: Life, updates: BaileysEventMap['contacts.update']): void {
    if (names.size >= REMEMBERED) names.clear()
    for (const { id, notify } of updates) {
      if (!id || !notify) continue
      const before = names.get(id)
      names.set(id, notify)
      if (before === undefined || before === notify) continue
      const party = toParty([id], notify)
      happened(mine, [{ kind: 'contact', party, at: clock.now(), id: null }])
    }
  }

  function moved(mine: Life, update: BaileysEventMap['connection.update']): void {
    if (update.qr) {
      const life = codes++ === 0 ? FIRST_CODE_MS : NEXT_CODE_MS
      const at = clock.now()
      const { qr: code } = update
      inBackground(() => listener.code({ code, at, expiresAt: at + life }))
    }
    if (update.connection === 'open') inBackground(() => opened(mine))
    if (update.connection === 'close') {
      const error = update.lastDisconnect?.error as { output?: { statusCode?: number } } | undefined
      inBackground(() => ended(mine, error?.output?.statusCode))
    }
  }

  async function opened(mine: Life): Promise<void> {
    retries = 0
    yielded = false
    await mine.valve.settled()
    if (life === mine) await listener.status({ status: 'CONNECTED' })
  }

  /** A line is over. What it had not kept is forgotten with it: the network tells it again on the next one. */
  async function ended(mine: Life, code: number | undefined): Promise<void> {
    if (life !== mine || closed) return
    const paired = mine.state.paired()
    // Credentials that the telephone has just signed are kept before the next line reads them.
    await mine.valve.settled()
    drop(mine)
    const ending = endingOf(code, paired || codes < CODES)
    switch (ending.then) {
      case 'restart':
        if (paired) await tellPaired(mine.state)
        return connect()
      case 'codes_expired':
        return listener.status({ status: 'CODES_EXPIRED' })
      case 'log_out':
        await account.credentials.clear()
        return listener.status({ status: 'LOGGED_OUT', reason: ending.reason })
      case 'ban':
        await account.credentials.clear()
        return listener.status({ status: 'BANNED', reason: ending.reason, restrictedUntil: null })
      case 'outdated':
        return listener.status({ status: 'DISCONNECTED', reason: 'client_outdated' })
      case 'yield':
        await listener.status({ status: 'DISCONNECTED', reason: 'replaced' })
        if (!yielded) again(YIELD_MS)
        yielded = true
        return
      case 'retry':
        if (paired) await listener.status({ status: 'DISCONNECTED', reason: 'network' })
        // Full jitter: a fleet that lost its network does not come back in one moment.
        return again(random() * Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** retries++))
    }
  }

  function again(ms: number): void {
    timer?.cancel()
    if (!closed) timer = clock.after(ms, () => inBackground(connect))
  }

  function drop(mine: Life): void {
    mine.valve.close()
    mine.teller.close()
    if (life === mine) life = null
  }

  async function tellPaired({ creds }: AuthState): Promise<void> {
    const { phone, lid } = toParty([creds.me?.id, creds.me?.lid])
    if (!phone) return
    const business = /^smb/.test(creds.platform ?? '')
    const profileName = creds.me?.name ?? ''
    await listener.status({ status: 'PAIRED', phone, lid, profileName, business })
  }

  function arrived(mine: Life, { messages }: BaileysEventMap['messages.upsert']): void {
    const self = selfOf(mine.state)
    for (const wa of messages) {
      const decoded = decodeMessage(baileys, wa, self)
      if (decoded?.kind === 'message') {
        mine.valve.commit(mine.teller.tell({ kind: 'messages', items: [decoded.message] }))
      } else if (decoded) {
        mine.valve.commit(mine.teller.tell({ kind: 'happenings', items: [decoded.happening] }))
      }
      mine.valve.told()
    }
  }

  const STATUSES = { 3: 'delivered', 4: 'read', 5: 'played' } as const

  function report(mine: Life, receipt: Receipt): void {
    mine.valve.commit(mine.teller.tell({ kind: 'receipts', items: [receipt] }))
  }

  function updated(mine: Life, updates: BaileysEventMap['messages.update']): void {
    for (const { key, update } of updates) {
      const status = STATUSES[update.status as keyof typeof STATUSES]
      if (!key.fromMe || !key.id || !status) continue
      const party = peerOf(key)
      const at = Number(update.messageTimestamp ?? 0) * 1000 || clock.now()
      const chatId = directChat(party)
      report(mine, { waMessageIds: [key.id], chatId, status, at, party, error: null })
    }
  }

  function inGroup(mine: Life, updates: BaileysEventMap['message-receipt.update']): void {
    for (const { key, receipt } of updates) {
      if (!key.fromMe || !key.id || !key.remoteJid) continue
      const read = receipt.readTimestamp
      const seconds = Number(read ?? receipt.receiptTimestamp ?? 0)
      report(mine, {
        ...{ waMessageIds: [key.id], chatId: key.remoteJid, error: null },
        status: read ? 'read' : 'delivered',
        at: seconds * 1000 || clock.now(),
        party: authorOf(key, null),
      })
    }
  }

  /** The engine has no event for this: the server took a message, or refused it. */
  function acknowledged(mine: Life, { attrs }: BinaryNode): void {
    const { id, from = '', error, t } = attrs
    if (!id) return
    const chatId = from.endsWith('@g.us') ? from : directChat(toParty([from]))
    const at = Number(t ?? 0) * 1000 || clock.now()
    const code = error === undefined ? null : REFUSALS[error]
    report(mine, {
      ...{ waMessageIds: [id], chatId, at, party: null },
      status: error === undefined ? 'sent' : 'failed',
      error: error === undefined ? null : { code: code ?? 'UNKNOWN', retryable: false },
    })
  }

  inBackground(connect)
  return {
    ...createCommands({
      ...{ baileys, clock, media },
      line: () => (life?.socket ? { ...life, socket: life.socket } : null),
      report: (receipt) => life && report(life, receipt),
    }),
    async requestCode() {
      if (life || closed) return
      codes = 0
      await connect()
    },
    async logout() {
      const mine = life
      if (!mine?.socket || !mine.state.paired()) return false
      const { socket, state } = mine
      const jid = state.creds.me?.id ?? ''
      const device = { tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }
      const attrs = { to: 's.whatsapp.net', type: 'set', xmlns: 'md' }
      // Unlike the engine's own logout, this waits for the answer.
      const answer = await socket.query({ tag: 'iq', attrs, content: [device] }).catch(onError)
      drop(mine)
      socket.end(undefined)
      return answer !== undefined
    },
    async close() {
      closed = true
      timer?.cancel()
      const mine = life
      if (!mine) return
      drop(mine)
      mine.socket?.end(undefined)
    },
  }
}

const REFUSALS: Record<string, MessageErrorCode> = {
  420: 'NOT_A_PARTICIPANT',
  463: 'RESTRICTED',
  479: 'RESTRICTED',
}
