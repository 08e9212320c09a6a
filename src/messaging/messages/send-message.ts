import type { ContactsService } from '../contacts/contacts.service.ts'
import type { NumbersService } from '../contacts/numbers.service.ts'
import { keepOnceCommitted } from '../../platform/db/keep-prepared.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import { newId, newWaMessageId } from '../../kernel/ids.ts'
import { parsePhone } from '../../kernel/phone-number.ts'
import { isPublishableIn, notPublishable, parseTarget } from '../../model/publishing.ts'
import { parseRecipient, phoneRecipient, type Recipient } from '../../model/recipient.ts'
import type { MediaService, StoredMedia } from '../../media/media.service.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { ProjectsService } from '../../company/projects/projects.service.ts'
import type { SendFields } from '../../model/send-fields.schemas.ts'
import type { MessageContent } from '../../model/kinds/index.ts'
import { completeContacts } from '../../model/kinds/contact.ts'
import type { Message } from '../../model/records.schemas.ts'
import type { Acceptor } from './accept-sends.service.ts'
import type { SendDraft } from './accept.sql.ts'
import { findMergedInto, findMessage, findReceived } from './messages.sql.ts'
import type { SendOptions } from './send-options.ts'
import { createSendFiles, isByUrl } from './send-files.ts'
import type { Send } from './send.ts'
import type { Pacer } from './pace.service.ts'

type Destination = Pick<SendDraft, 'chatId' | 'chatType' | 'phone' | 'lid' | 'conversationId'>
type Target = NonNullable<SendOptions['target']>

/** Creates the functions that validate a send, turn it into a draft and submit it for acceptance (G29). */
export function createSender(deps: {
  clock: Clock
  acceptor: Acceptor
  media: MediaService
  contacts: ContactsService
  numbers: NumbersService
  instances: InstancesService
  projects: Pick<ProjectsService, 'numberCompleter'>
  pacer: Pick<Pacer, 'requireAllowance'>
}) {
  const { clock, acceptor, media, contacts, numbers, instances, projects, pacer } = deps

  /**
   * Resolves the chat of a send. A message with a target, such as a reaction, goes to the target's chat, which a given
   * recipient must match.
   */
  async function resolveDestination(
    db: Db,
    scope: Scope,
    instanceId: string,
    body: SendFields,
    targetId: string | null,
  ): Promise<{ place: Destination; target: Target | null }> {
    const place = await parseDestination(db, scope, instanceId, body, targetId !== null)
    if (targetId === null) {
      if (!place) throw fail('bad_request', (say) => say.messages.recipientRequired)
      return { place, target: null }
    }
    const row = await findMessage(db, scope, instanceId, targetId, new Date(clock.now()), place)
    const elsewhere =
      (place?.chatId && place.chatId !== row?.chatId) ||
      (place?.conversationId &&
        place.conversationId !== row?.conversationId &&
        (await findMergedInto(db, scope, place.conversationId, new Date(clock.now()))) !==
          row?.conversationId)
    if (!row) await instances.get(db, scope, instanceId)
    if (!row || row.waMessageId !== targetId || elsewhere) {
      throw fail('not_found', (say) => say.messages.targetNotFound)
    }
    if (row.deletedAt) throw fail('conflict', (say) => say.messages.alreadyDeleted)
    const { conversationId, chatType, senderPhone: phone, senderLid: lid, senderName: name } = row
    return {
      place: { chatId: null, chatType, phone: null, lid: null, conversationId },
      target: { fromMe: row.direction === 'outbound', sender: { phone, lid, name } },
    }
  }

  async function parseDestination(
    db: Db,
    scope: Scope,
    instanceId: string,
    body: SendFields,
    optional: boolean,
  ): Promise<Destination | null> {
    const { to, conversationId } = body
    if (to === undefined && conversationId === undefined && optional) return null
    if ((to === undefined) === (conversationId === undefined)) {
      throw fail('bad_request', (say) => say.messages.recipientRequired)
    }
    if (to === undefined) {
      const known = conversationId ?? null
      return { chatId: null, chatType: 'direct', phone: null, lid: null, conversationId: known }
    }
    const complete = await projects.numberCompleter(db, scope.projectId)
    const typed = parseTarget(complete(to.trim()))
    if (!typed) throw fail('bad_request', (say) => say.messages.recipientInvalid, { field: 'to' })
    const isPerson = typed.chatType === 'direct'
    const found = isPerson ? await canonicalize(db, scope, instanceId, typed) : typed
    return { ...found, conversationId: null }
  }

  /**
   * Looks up the number of a send before its transaction, which must wait neither for a network nor for
   * a second connection, and caches the result. An invalid recipient is reported by the send itself.
   */
  async function prepareRecipient(
    db: Db,
    scope: Scope,
    instanceId: string,
    to: string | undefined,
  ): Promise<void> {
    if (to === undefined) return
    // Only a number without + needs the Project's country, to be completed.
    const complete = to.includes('+') ? null : await projects.numberCompleter(db, scope.projectId)
    const phone = parseRecipient(complete ? complete(to.trim()) : to.trim())?.phone
    if (phone) await numbers.resolve({ ...scope, instanceId }, phone)
  }

  /** Returns a number in the network's form, if known. A contact known by both LID and phone is addressed by phone. */
  async function canonicalize(
    db: Db,
    scope: Scope,
    instanceId: string,
    typed: Recipient,
  ): Promise<Recipient> {
    if (typed.phone === null) {
      const phone = typed.lid && (await contacts.findPhoneByLid(db, scope, instanceId, typed.lid))
      return phone ? phoneRecipient(phone) : typed
    }
    const number = await numbers.resolve({ ...scope, instanceId }, typed.phone)
    return number.phone === typed.phone ? typed : phoneRecipient(number.phone)
  }

  async function readMentions(db: Db, scope: Scope, mentions: string[]): Promise<string[]> {
    if (mentions.length === 0) return []
    const complete = await projects.numberCompleter(db, scope.projectId)
    return mentions.map((text) => {
      const phone = parsePhone(complete(text))
      if (!phone)
        throw fail('bad_request', (say) => say.messages.mentionInvalid(text.slice(0, 40)), {
          field: 'mentions',
        })
      return phone
    })
  }

  /** Converts a body to content. Throws 400. */
  async function readContent(db: Db, scope: Scope, { kind, body }: Send): Promise<MessageContent> {
    if (kind.name !== 'contact') return kind.toContent(body as never)
    const complete = await projects.numberCompleter(db, scope.projectId)
    return kind.toContent(completeContacts(body, complete) as never)
  }

  /** Validates what can be validated without storing the file. Throws 400 or 404. */
  async function resolve(db: Db, scope: Scope, instanceId: string, send: Send) {
    const { kind, body } = send
    const content = send.content ?? (await readContent(db, scope, send))
    const mentions = await readMentions(db, scope, body.mentions ?? [])
    const targetId = kind.target?.of(content) ?? null
    return {
      content,
      mentions,
      ...(await resolveDestination(db, scope, instanceId, body, targetId)),
    }
  }

  /** Describes a send whose file is stored. */
  function toDraft(
    scope: Scope,
    instanceId: string,
    { kind, body }: Send,
    { content, mentions, place, target }: Awaited<ReturnType<typeof resolve>>,
    storedFile: StoredMedia | null,
  ): SendDraft {
    const at = clock.now()
    const { typingMs = 0, delayMs = 0 } = body
    const pending = storedFile?.media.status === 'pending'
    return {
      ...place,
      id: newId('msg', at),
      keyId: scope.keyId,
      projectId: scope.projectId,
      mode: scope.mode,
      instanceId,
      waMessageId: newWaMessageId(),
      origin: scope.keyId ? 'api' : 'panel',
      type: content.type,
      content,
      media: storedFile?.media ?? null,
      text: kind.textOf(content),
      freshConversationId: newId('cnv', at),
      quotedWaMessageId: body.quotedWaMessageId ?? null,
      mentions,
      options: {
        ...(typingMs ? { typingMs } : {}),
        ...(target ? { target } : {}),
        ...(pending && delayMs ? { delayMs } : {}),
        ...(scope.userId ? { sentBy: scope.userId } : {}),
      },
      metadata: body.metadata ?? {},
      clientReference: body.clientReference ?? null,
      campaignId: null,
      cost: scope.keyId ? 1 : 0,
      dueAt: pending ? null : new Date(at + delayMs),
    }
  }

  const { storeFile, storeFiles } = createSendFiles({
    media,
    async check(db, scope, instanceId, message) {
      await instances.get(db, scope, instanceId)
      await resolve(db, scope, instanceId, message)
    },
  })

  /** Accepts one send, or several to the same chat together or not at all. Throws if one is refused. */
  async function sendTogether(
    db: Db,
    scope: Scope,
    instanceId: string,
    messages: [Send, ...Send[]],
  ): Promise<Message[]> {
    const resolved = await resolve(db, scope, instanceId, messages[0])
    if (messages[0].body.overPace === 'refuse')
      await pacer.requireAllowance(db, scope, instanceId, resolved.place)
    // Rows are rolled back with the transaction; stored bytes are outside of it.
    await using ready = await storeFiles(db, scope, instanceId, messages)
    const [first, ...others] = ready.sends
    const draftOf = async (on: Db, message: Send): Promise<SendDraft> => {
      const storedFile = isByUrl(message)
        ? await storeFile(on, scope, message)
        : (message.storedFile ?? null)
      if (message === first) return toDraft(scope, instanceId, message, resolved, storedFile)
      const own = {
        content: message.content ?? (await readContent(on, scope, message)),
        mentions: await readMentions(on, scope, message.body.mentions ?? []),
      }
      return toDraft(scope, instanceId, message, { ...resolved, ...own }, storedFile)
    }
    const acceptInside = async (tx: Db): Promise<Message[]> => {
      const drafts: [SendDraft, ...SendDraft[]] = [await draftOf(tx, first)]
      for (const message of others) drafts.push(await draftOf(tx, message))
      return acceptor.acceptTogether(tx, drafts)
    }
    // The media row of a URL must be committed together with its message.
    return await keepOnceCommitted(ready, async () =>
      others.length > 0 || isByUrl(first)
        ? acceptor.transact(db, scope.projectId, acceptInside)
        : [await acceptor.accept(db, await draftOf(db, first))],
    )
  }

  async function send(db: Db, scope: Scope, instanceId: string, message: Send): Promise<Message> {
    const [accepted] = await sendTogether(db, scope, instanceId, [message])
    if (!accepted) throw new Error(`sendTogether returned no message for instance ${instanceId}`)
    return accepted
  }

  return {
    /** Accepts a send. A 201 response means that it is committed and will reach a final status. */
    send,
    sendTogether,
    storeFiles,
    prepareRecipient,
    /** Validates a send that will be made later. Throws 400, or 404 for an unknown instance, chat, quote or target. */
    async check(db: Db, scope: Scope, instanceId: string, message: Send): Promise<void> {
      await instances.get(db, scope, instanceId)
      const { place, content, mentions } = await resolve(db, scope, instanceId, message)
      const { conversationId } = place
      const { quotedWaMessageId } = message.body
      const now = new Date(clock.now())
      const which = { waMessageIds: null, conversationId }
      const chatType =
        conversationId === null
          ? place.chatType
          : (await findReceived(db, scope, instanceId, which, now)).chatType
      if (chatType === null) throw fail('not_found', (say) => say.conversations.notFound)
      const said = { content, mentions, quotedWaMessageId: quotedWaMessageId ?? null }
      if (!isPublishableIn(chatType)(said)) throw notPublishable()
      if (quotedWaMessageId === undefined) return
      const quoted = await findMessage(db, scope, instanceId, quotedWaMessageId, now, place)
      if (!quoted || quoted.waMessageId !== quotedWaMessageId || quoted.deletedAt)
        throw fail('not_found', (say) => say.messages.quotedNotFound)
    },
  }
}
