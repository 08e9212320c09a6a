import type { BaileysEventMap, BinaryNode, GroupMetadata, proto, WAMessage } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import { directChatId } from '../../kernel/recipient.ts'
import type { MessageErrorCode, Party } from '../../model/records.schemas.ts'
import type { Receipt, ToldHappening } from '../network.port.ts'
import { SENT } from './auth-state.ts'
import type { Baileys } from './baileys.ts'
import { createCallReader } from './calls.ts'
import { decodeMessage, type Decoded } from './decode.ts'
import { isSame, readGroupNews, toState } from './groups.ts'
import type { KnownGroups } from './known-groups.ts'
import { readAssociation, readLabel } from './labels.ts'
import { authorOf, peerOf, toParty } from './people.ts'
import type { Teller } from './teller.ts'
import type { Valve } from './valve.ts'
import { openVote, pollOf } from './votes.ts'

const REMEMBERED = 10_000
const STATUSES = { 3: 'delivered', 4: 'read', 5: 'played' } as const
const REFUSALS: Record<string, MessageErrorCode> = {
  420: 'NOT_A_PARTICIPANT',
  463: 'RESTRICTED',
  479: 'RESTRICTED',
}

/** What the engine tells once it has read the account's lists: contacts, labels, how chats are kept. */
const LISTED = new Set<keyof BaileysEventMap>([
  ...(['contacts.upsert', 'labels.edit', 'labels.association', 'chats.update'] as const),
  ...(['settings.update', 'lid-mapping.update'] as const),
])

export type Ear = ReturnType<typeof createEar>

/** What one line hears, made into what Recado is told. Nothing of it is acknowledged before it is committed. */
export function createEar(deps: {
  baileys: Baileys
  clock: Clock
  valve: Valve
  teller: Teller
  /** The account. */
  self: () => Party
  /** Adds what the account knows of somebody: the phone to a LID, the LID to a phone. */
  complete: (party: Party) => Party
  /** What contacts were called last, by jid; it outlives the line. */
  names: Map<string, string>
  /** What was sent, or asked, under an id. */
  findPoll: (waMessageId: string) => Promise<proto.IMessage | undefined>
  groups: KnownGroups
  /** The server took a message, or refused one with this code. */
  onTaken: () => void
  onRefused: (code: string) => void
  inBackground: (work: () => Promise<void>) => void
}) {
  const { baileys, clock, valve, teller, self, complete, names, findPoll, groups } = deps

  function happened(items: ToldHappening[]): void {
    if (items.length > 0) valve.commit(teller.tell({ kind: 'happenings', items }))
  }

  function tellGroups(known: GroupMetadata[]): void {
    const at = clock.now()
    happened(known.map((group) => ({ kind: 'group', group: toState(group), at, id: null })))
  }

  function groupNews(stanza: BinaryNode): void {
    const me = self()
    const news = readGroupNews(stanza)
    const groupId = stanza.attrs['from'] ?? ''
    groups.forget(groupId)
    happened(news)
    const added = news.some(
      (one) =>
        one.kind === 'participants' &&
        (one.action === 'add' || one.action === 'join') &&
        one.participants.some((party) => isSame(party, me)),
    )
    const known = news.some(({ kind }) => kind === 'group')
    const renumbered = Array.isArray(stanza.content) && stanza.content[0]?.tag === 'modify'
    // Whoever is added to a group that exists is not told what it is; nor who it is that has a new number.
    if ((added && !known) || renumbered)
      deps.inBackground(async () => tellGroups([await groups.find(groupId)]))
  }

  /** The telephone's own list of people. */
  function contacts(people: BaileysEventMap['contacts.upsert']): void {
    const at = clock.now()
    happened(
      people.flatMap(({ id, lid, phoneNumber, name }) => {
        const party = toParty([id, lid, phoneNumber], name ?? null)
        return name ? [{ kind: 'contact' as const, party, at, id: null }] : []
      }),
    )
  }

  /** Names come with every message; only a new one is news. */
  function renamed(updates: BaileysEventMap['contacts.update']): void {
    if (names.size >= REMEMBERED) names.clear()
    for (const { id, notify } of updates) {
      if (!id || !notify) continue
      const before = names.get(id)
      names.set(id, notify)
      if (before === undefined || before === notify) continue
      const party = toParty([id], notify)
      happened([{ kind: 'contact', party, at: clock.now(), id: null }])
    }
  }

  function arrived({ messages }: BaileysEventMap['messages.upsert']): void {
    const me = self()
    for (const wa of messages) {
      const decoded = decodeMessage(baileys, wa, me, complete)
      if (decoded?.kind === 'message') {
        valve.commit(teller.tell({ kind: 'messages', items: [decoded.message] }))
      } else if (decoded?.kind === 'happening') {
        valve.commit(teller.tell({ kind: 'happenings', items: [decoded.happening] }))
      } else if (decoded) valve.commit(voted(decoded))
      keepPoll(wa)
      valve.told('message')
    }
  }

  /** A vote is told with what it chose; one on a poll that is not known here tells nothing. */
  async function voted({ vote, message }: Extract<Decoded, { kind: 'vote' }>): Promise<void> {
    const poll = await findPoll(vote.pollId)
    const creators = [self(), message.sender, toParty([message.chatId])]
    const options = poll && openVote(baileys, vote, poll, { creators, voter: message.sender })
    if (!options) return
    const content = { type: 'pollVote' as const, waMessageId: vote.pollId, options }
    await teller.tell({ kind: 'messages', items: [{ ...message, content }] })
  }

  /** Votes on what others ask come later, and need its secret. */
  function keepPoll({ key, message }: WAMessage): void {
    const content = baileys.normalizeMessageContent(message)
    const messageSecret = message?.messageContextInfo?.messageSecret
    const poll = content && pollOf(content)
    if (!key.id || !messageSecret || !poll) return
    const kept = { pollCreationMessage: poll, messageContextInfo: { messageSecret } }
    const bytes = Buffer.from(baileys.proto.Message.encode(kept).finish())
    valve.keys({ [SENT]: { [key.id]: bytes } })
  }

  function report(receipt: Receipt): void {
    valve.commit(teller.tell({ kind: 'receipts', items: [receipt] }))
  }

  function updated(updates: BaileysEventMap['messages.update']): void {
    for (const { key, update } of updates) {
      const status = STATUSES[update.status as keyof typeof STATUSES]
      if (!key.fromMe || !key.id || !status) continue
      const party = complete(peerOf(key))
      const at = Number(update.messageTimestamp ?? 0) * 1000 || clock.now()
      const chatId = directChatId(party)
      report({ waMessageIds: [key.id], chatId, status, at, party, error: null })
    }
  }

  function receivedInGroup(updates: BaileysEventMap['message-receipt.update']): void {
    for (const { key, receipt } of updates) {
      if (!key.fromMe || !key.id || !key.remoteJid) continue
      const read = receipt.readTimestamp
      const seconds = Number(read ?? receipt.receiptTimestamp ?? 0)
      report({
        waMessageIds: [key.id],
        chatId: key.remoteJid,
        error: null,
        status: read ? 'read' : 'delivered',
        at: seconds * 1e3 || clock.now(),
        party: complete(authorOf(key, null)),
      })
    }
  }

  /** The engine has no event for this: the server took a message, or refused it. */
  function acknowledged({ attrs }: BinaryNode): void {
    const { id, from = '', error, t } = attrs
    if (!id) return
    const chatId = from.endsWith('@g.us') ? from : directChatId(complete(toParty([from])))
    const at = Number(t ?? 0) * 1000 || clock.now()
    const code = (error && REFUSALS[error]) || 'UNKNOWN'
    if (error === undefined) deps.onTaken()
    else deps.onRefused(error)
    report({
      waMessageIds: [id],
      chatId,
      at,
      party: null,
      status: error === undefined ? 'sent' : 'failed',
      error:
        error === undefined
          ? null
          : {
              code,
              retryable: false,
            },
    })
  }

  const readCall = createCallReader()

  function call(stanza: BinaryNode): void {
    const news = readCall(stanza)
    if (news?.kind === 'call') happened([{ ...news, from: complete(news.from) }])
  }

  function heard(name: keyof BaileysEventMap, value: unknown): void {
    switch (name) {
      case 'messages.upsert':
        return arrived(value as BaileysEventMap['messages.upsert'])
      case 'messages.update':
        return updated(value as BaileysEventMap['messages.update'])
      case 'message-receipt.update':
        return receivedInGroup(value as BaileysEventMap['message-receipt.update'])
      case 'contacts.update':
        return renamed(value as BaileysEventMap['contacts.update'])
      case 'lid-mapping.update': {
        const { lid, pn } = value as BaileysEventMap['lid-mapping.update']
        const party = toParty([lid, pn])
        return happened([{ kind: 'contact', party, at: clock.now(), id: null }])
      }
      case 'contacts.upsert':
        return contacts(value as BaileysEventMap['contacts.upsert'])
      case 'labels.edit': {
        const label = readLabel(value as BaileysEventMap['labels.edit'], clock.now())
        return label ? happened([label]) : undefined
      }
      case 'labels.association': {
        const one = readAssociation(value as BaileysEventMap['labels.association'], clock.now())
        return one ? happened([one]) : undefined
      }
      default:
    }
  }

  return {
    report,
    acknowledged,
    groupNews,
    call,
    tellGroups,

    event(name: keyof BaileysEventMap, value: unknown): void {
      heard(name, value)
      // Of the account's lists no more follows than what is told in this moment.
      if (LISTED.has(name)) valve.told('list')
    },
  }
}
