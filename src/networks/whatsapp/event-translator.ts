import type { BaileysEventMap, BinaryNode, GroupMetadata, WAMessage } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import { directChatId } from '../../model/recipient.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { Receipt, ReportedNetworkEvent } from '../network-events.port.ts'
import { PENDING_HISTORY, STORED_MESSAGES } from './auth-state.ts'
import { pollToStore, type StoredMessages } from './stored-messages.ts'
import type { Baileys } from './baileys.ts'
import { createCallReader } from './calls.ts'
import { timerIn } from './chat-timers.ts'
import { decodeMessage, type DecodedMessage } from './decode.ts'
import { readGroupNotification } from './group-notifications.ts'
import { isSameParty, toGroupState } from './groups.ts'
import type { GroupCache } from './group-cache.ts'
import type { HistoryImporter } from './history.ts'
import { readAssociation, readLabel } from './labels.ts'
import { readStar } from './message-marks.ts'
import { readIdentityChange } from './identity.ts'
import { authorOf, chatIdOf, isKnown, nameIn, peerOf, toParty } from './people.ts'
import { readGroupedReceipts, toGroupReceipts } from './group-receipts.ts'
import { createSealedEdits, type MessageSecrets } from './sealed-edits.ts'
import { refusalCodeOf } from './refusals.ts'
import type { EventQueue } from './event-queue.ts'
import type { WriteBarrier } from './write-barrier.ts'
import { decryptVote } from './votes.ts'

type LabelLink = BaileysEventMap['labels.association']
const MAX_CACHED_NAMES = 10_000
const STATUSES = { 3: 'delivered', 4: 'read', 5: 'played' } as const

/** Events that the engine emits after it has read the account's lists: contacts, labels, settings of chats. */
const LIST_EVENTS = new Set<keyof BaileysEventMap>([
  ...(['contacts.upsert', 'labels.edit', 'labels.association', 'chats.update'] as const),
  ...(['settings.update', 'lid-mapping.update'] as const),
])

/** The handlers that `createEventTranslator` returns. */
export type EventTranslator = ReturnType<typeof createEventTranslator>

/** Translates one connection's Baileys events into network events, which are acknowledged only after their commit. */
export function createEventTranslator(deps: {
  baileys: Baileys
  clock: Clock
  barrier: WriteBarrier
  eventQueue: EventQueue
  /** The account's own phone and LID. */
  self: () => Party
  /** Fills in the missing phone or LID of a party, if the account knows it. */
  complete: (party: Party) => Party
  /** Stores the disappearing-message timer of a chat, in seconds. */
  setTimer: (chatId: string, seconds: number) => void
  /** The last known names of contacts by jid; shared by all connections of the session. */
  names: Map<string, string>
  /** Those of recent messages; shared like `names`. */
  secrets: MessageSecrets
  stored: Pick<StoredMessages, 'findPoll' | 'addPoll'>
  groups: GroupCache
  history: HistoryImporter
  /** The server accepted a message, or rejected one with this code. */
  onTaken: () => void
  onRefused: (code: string) => void
}) {
  const { baileys, clock, barrier, eventQueue, self, complete, names, stored, groups } = deps
  const { setTimer, history } = deps
  const sealedEdits = createSealedEdits(deps)
  /** When the timer of a chat was last reported, in seconds, by chat. */
  const timersLearnedAt = new Map<string, number>()

  function reportEvents(items: ReportedNetworkEvent[]): void {
    for (const item of items) {
      if (item.kind === 'group' && item.group.settings)
        setTimer(item.group.groupId, item.group.settings.disappearingSeconds)
      if (item.kind === 'group_changed' && item.settings?.disappearingSeconds !== undefined)
        setTimer(item.groupId, item.settings.disappearingSeconds)
    }
    if (items.length > 0) barrier.commit(eventQueue.push({ kind: 'happenings', items }))
  }

  function reportGroups(known: GroupMetadata[]): void {
    const at = clock.now()
    for (const group of known)
      reportEvents([{ kind: 'group', group: toGroupState(group), at, id: null }])
  }

  function onGroupNotification(stanza: BinaryNode): void {
    const me = self()
    const news = readGroupNotification(stanza)
    const groupId = stanza.attrs['from'] ?? ''
    groups.invalidate(groupId)
    reportEvents(news)
    const added = news.some(
      (one) =>
        one.kind === 'participants' &&
        (one.action === 'add' || one.action === 'join') &&
        one.participants.some((party) => isSameParty(party, me)),
    )
    const known = news.some(({ kind }) => kind === 'group')
    const renumbered = Array.isArray(stanza.content) && stanza.content[0]?.tag === 'modify'
    // The notification lacks the state of a group the account was added to, and the identity behind a new number.
    if ((added && !known) || renumbered) groups.reportOne(groupId, reportGroups)
  }

  /** Reports the contacts of the phone's address book. */
  function onContacts(people: BaileysEventMap['contacts.upsert']): void {
    const at = clock.now()
    reportEvents(
      people.flatMap(({ id, lid, phoneNumber, name }) => {
        const party = toParty([id, lid, phoneNumber], name ?? null)
        return name ? [{ kind: 'contact' as const, party, at, id: null }] : []
      }),
    )
  }

  /** Every message carries its sender's name; only a changed name is reported. So is a changed picture. */
  function onContactUpdates(updates: BaileysEventMap['contacts.update']): void {
    if (names.size >= MAX_CACHED_NAMES) names.clear()
    for (const { id, notify, imgUrl } of updates) {
      if (id && imgUrl) {
        const chatId = chatIdOf(id, complete)
        reportEvents([{ kind: 'picture', chatId, at: clock.now(), id: null }])
      }
      if (!id || !notify || nameIn(notify) === null) continue
      const before = names.get(id)
      names.set(id, notify)
      if (before === undefined || before === notify) continue
      const party = toParty([id], notify)
      reportEvents([{ kind: 'contact', party, at: clock.now(), id: null }])
    }
  }

  /** Messages that waited for this connection are `append`, not `notify`. */
  function onMessages({ messages, type }: BaileysEventMap['messages.upsert']): void {
    const me = self()
    const late = type === 'append'
    for (const received of messages) {
      const author = received.key.fromMe ? me : complete(authorOf(received.key, null))
      const wa = sealedEdits.open(received, author)
      sealedEdits.remember(wa, author)
      learnTimer(wa)
      const part = history.notificationIn(baileys, wa, me)
      if (part && wa.key.id) {
        barrier.saveKeys({ [PENDING_HISTORY]: { [wa.key.id]: part } })
        history.add(wa.key.id, part, barrier.flushed())
      }
      const decoded = decodeMessage(baileys, wa, me, complete, late)
      if (decoded?.kind === 'message') {
        barrier.commit(eventQueue.push({ kind: 'messages', items: [decoded.message] }))
      } else if (decoded?.kind === 'happening') {
        barrier.commit(eventQueue.push({ kind: 'happenings', items: [decoded.happening] }))
      } else if (decoded) barrier.commit(reportVote(decoded))
      storePoll(wa)
      barrier.eventQueued('message')
    }
  }

  /** Stores the timer of a direct chat. A group's comes from the server, because members could claim any. */
  function learnTimer(wa: WAMessage): void {
    const seconds = timerIn(baileys, wa)
    if (seconds === null || !/@(s\.whatsapp\.net|lid)$/.test(wa.key.remoteJid ?? '')) return
    const chatId = directChatId(complete(peerOf(wa.key)))
    const at = Number(wa.messageTimestamp ?? 0)
    // A message that arrives late must not restore an old timer.
    if (at < (timersLearnedAt.get(chatId) ?? 0)) return
    if (timersLearnedAt.size >= MAX_CACHED_NAMES) timersLearnedAt.clear()
    timersLearnedAt.set(chatId, at)
    setTimer(chatId, seconds)
  }

  /** Reports a vote with its chosen options; drops a vote on an unknown poll. */
  async function reportVote({
    vote,
    message,
  }: Extract<DecodedMessage, { kind: 'vote' }>): Promise<void> {
    // The voter names the author; a poll is stored under its own, and decrypting fails for any other.
    const creators = [
      self(),
      message.sender,
      toParty([message.chatId]),
      complete(toParty([vote.creatorJid])),
    ]
    const poll = await stored.findPoll(message.chatId, creators, vote.pollId)
    const options = poll && decryptVote(baileys, vote, poll, { creators, voter: message.sender })
    if (!options) return
    const content = { type: 'pollVote' as const, waMessageId: vote.pollId, options }
    await eventQueue.push({ kind: 'messages', items: [{ ...message, content }] })
  }

  /** Stores the polls of others, because decrypting later votes requires the poll's secret. */
  function storePoll(wa: WAMessage): void {
    const poll = pollToStore(baileys, wa, { self: self(), complete })
    if (!poll) return
    stored.addPoll(poll)
    barrier.saveKeys({ [STORED_MESSAGES]: { [poll.id]: poll.bytes } })
  }

  function reportReceipt(receipt: Receipt): void {
    barrier.commit(eventQueue.push({ kind: 'receipts', items: [receipt] }))
  }

  function onMessageUpdates(updates: BaileysEventMap['messages.update']): void {
    const stars = updates.flatMap((one) => readStar(one, complete, clock.now()) ?? [])
    reportEvents(stars)
    if (stars.length > 0) barrier.eventQueued('list')
    for (const { key, update } of updates) {
      const status = STATUSES[update.status as keyof typeof STATUSES]
      if (!key.fromMe || !key.id || !status) continue
      const party = complete(peerOf(key))
      if (!isKnown(party)) continue
      const at = Number(update.messageTimestamp ?? 0) * 1000 || clock.now()
      const chatId = directChatId(party)
      reportReceipt({ waMessageIds: [key.id], chatId, status, at, party, error: null })
    }
  }

  const account = () => ({ self: self(), complete, now: clock.now() })

  function onGroupReceipts(updates: BaileysEventMap['message-receipt.update']): void {
    for (const receipt of toGroupReceipts(updates, account())) reportReceipt(receipt)
  }

  function groupedReceipts(stanza: BinaryNode): void {
    for (const receipt of readGroupedReceipts(stanza, account())) reportReceipt(receipt)
  }

  /** Reports that the server accepted or rejected a message, for which the engine has no event. */
  function acknowledged({ attrs }: BinaryNode): void {
    const { id, from = '', error, t } = attrs
    if (!id) return
    const chatId = chatIdOf(from, complete)
    const at = Number(t ?? 0) * 1000 || clock.now()
    const code = refusalCodeOf(chatId, error)
    if (error === undefined) deps.onTaken()
    else deps.onRefused(error)
    reportReceipt({
      waMessageIds: [id],
      chatId,
      at,
      party: null,
      status: error === undefined ? 'sent' : 'failed',
      error: error === undefined ? null : { code, retryable: false },
    })
  }

  const readCall = createCallReader(complete)

  function call(stanza: BinaryNode): void {
    const news = readCall(stanza)
    if (news?.kind === 'call') reportEvents([{ ...news, from: complete(news.from) }])
  }

  function dispatch(name: keyof BaileysEventMap, value: unknown): void {
    switch (name) {
      case 'messages.upsert':
        return onMessages(value as BaileysEventMap['messages.upsert'])
      case 'messages.update':
        return onMessageUpdates(value as BaileysEventMap['messages.update'])
      case 'message-receipt.update':
        return onGroupReceipts(value as BaileysEventMap['message-receipt.update'])
      case 'contacts.update':
        return onContactUpdates(value as BaileysEventMap['contacts.update'])
      case 'lid-mapping.update': {
        const { lid, pn } = value as BaileysEventMap['lid-mapping.update']
        const party = toParty([lid, pn])
        return reportEvents([{ kind: 'contact', party, at: clock.now(), id: null }])
      }
      case 'contacts.upsert':
        return onContacts(value as BaileysEventMap['contacts.upsert'])
      case 'labels.edit': {
        const label = readLabel(value as BaileysEventMap['labels.edit'], clock.now())
        return label ? reportEvents([label]) : undefined
      }
      case 'labels.association': {
        const one = readAssociation(value as LabelLink, clock.now(), complete)
        return one ? reportEvents([one]) : undefined
      }
      default:
    }
  }

  return {
    report: reportReceipt,
    tell: reportEvents,
    acknowledged,
    groupedReceipts,
    groupNews: onGroupNotification,
    keyNews(stanza: BinaryNode) {
      const change = readIdentityChange(stanza, { self: self(), complete, now: clock.now() })
      if (change) reportEvents([change])
    },
    call,
    tellGroups: reportGroups,

    event(name: keyof BaileysEventMap, value: unknown): void {
      dispatch(name, value)
      // The engine emits all events of a list update in one turn, so nothing else has to be waited for.
      if (LIST_EVENTS.has(name)) barrier.eventQueued('list')
    },
  }
}
