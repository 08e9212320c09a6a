import type { BillingService } from '../../company/billing/billing.service.ts'
import type { Mode } from '../../kernel/config/config.ts'
import { keepOnceCommitted } from '../../platform/db/keep-prepared.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { toPage } from '../../kernel/schemas.ts'
import { parsePhone } from '../../kernel/phone-number.ts'
import { parseRecipient } from '../../model/recipient.ts'
import type { MediaService } from '../../media/media.service.ts'
import type {
  PhoneMessageDraft,
  PhoneMark,
  VirtualPhone,
  VirtualPhones,
} from '../../networks/virtual-phones.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { ProjectsService } from '../../company/projects/projects.service.ts'
import { allKinds, kindNamed, type AnyKind } from '../../model/kinds/index.ts'
import { createPhoneFiles, type ReadyFile } from './phone-files.ts'
import { completeContacts } from '../../model/kinds/contact.ts'
import type { MediaInput } from '../../model/media-fields.ts'
import { toExtras, type ExtrasDraft } from '../../model/details.schemas.ts'
import { parsePhones } from './with-api-failures.ts'
import type { CreatePhoneBody, PatchPhoneBody, Phone, PhoneMessage } from './phones.schemas.ts'
import { renderPhoneMessage } from './render-phone-message.ts'
import type { PhoneState } from '../../model/vocabulary.ts'

/** Maximum virtual phones per Project and mode. */
const MAX_PHONES = 100
/** Maximum instances that one phone may be paired with, because each of its messages goes to all of them. */
const MAX_PAIRED = 100

/** The body of a message that a virtual phone sends, validated against the schema of its `type`. */
export type PhoneMessageBody = ExtrasDraft & {
  to: string
  type?: string
  quotedWaMessageId?: string
  mentions?: string[]
  media?: MediaInput
  voice?: boolean
}

const kindOf = (body: PhoneMessageBody): AnyKind => kindNamed(body.type ?? '') ?? allKinds[0]

/** Manages virtual phones and the messages they send and receive. */
export type PhonesService = ReturnType<typeof createPhonesService>

/** Creates the service behind the simulator routes for virtual phones and their messages (G54). */
export function createPhonesService(deps: {
  billing: BillingService
  media: MediaService
  phones: VirtualPhones
  projects: Pick<ProjectsService, 'numberCompleter'>
  /** Whether instances of this mode run on the simulator; in other modes these routes return 404. */
  simulates: (mode: Mode) => boolean
  /** Re-validates the API key, because the simulator's own statements do not check it. */
  recheckKey: (db: Db, keyId: string) => Promise<void>
}) {
  const { billing, media, phones, projects, simulates, recheckKey } = deps
  const files = createPhoneFiles(media)

  /** Throws 404 if the mode does not use the simulator. */
  function requireSimulator(scope: Scope): void {
    if (!simulates(scope.mode)) throw fail('not_found', (say) => say.phones.networkMissing)
  }

  /** Throws 404 if the mode does not use the simulator, and 401, 402 or 403 if the key is no longer valid. */
  async function authorize(db: Db, scope: Scope): Promise<void> {
    requireSimulator(scope)
    if (scope.keyId) await recheckKey(db, scope.keyId)
  }

  async function getOrThrow(db: Db, scope: Scope, phoneId: string): Promise<VirtualPhone> {
    await authorize(db, scope)
    const phone = await phones.find(db, scope, phoneId)
    if (!phone) throw fail('not_found', (say) => say.phones.notFound)
    return phone
  }

  async function mark(
    db: Db,
    scope: Scope,
    phoneId: string,
    waMessageId: string,
    wanted: PhoneMark,
  ): Promise<PhoneMessage> {
    const phone = await getOrThrow(db, scope, phoneId)
    const known = await phones.markMessage(db, scope, phone, waMessageId, wanted)
    const after = known && (await phones.getMessage(db, scope, phone, waMessageId))
    if (!after) throw fail('not_found', (say) => say.messages.notFound)
    return renderPhoneMessage(phone, after)
  }

  /** Throws 404 if the target of a reaction or vote is not a suitable message, and 400 if the poll forbids the vote. */
  async function checkTarget(
    db: Db,
    scope: Scope,
    phone: VirtualPhone,
    kind: AnyKind,
    content: PhoneMessageDraft['content'],
  ) {
    if (!kind.target) return
    const seen = await phones.getMessage(db, scope, phone, kind.target.of(content))
    const wrong = kind.target.type !== null && seen?.content.type !== kind.target.type
    if (!seen || wrong) throw fail('not_found', (say) => say.messages.targetNotFound)
    if (content.type !== 'pollVote' || seen.content.type !== 'poll') return
    const { options, maxSelections } = seen.content
    if (maxSelections > 0 && content.options.length > maxSelections) {
      throw fail('bad_request', (say) => say.http.tooLarge('options', maxSelections))
    }
    if (!content.options.every((option) => options.includes(option))) {
      throw fail('bad_request', (say) => say.messages.voteUnknown, { field: 'options' })
    }
  }

  return {
    requireSimulator,

    authorize: authorize,
    get: getOrThrow,

    async create(db: Db, scope: Scope, input: CreatePhoneBody): Promise<Phone> {
      await authorize(db, scope)
      const complete = await projects.numberCompleter(db, scope.projectId)
      const phone = input.phone === undefined ? null : parsePhone(complete(input.phone))
      if (input.phone !== undefined && phone === null) {
        throw fail('bad_request', (say) => say.phones.phoneInvalid, { field: 'phone' })
      }
      const { name, business = false } = input
      const made = await phones.create(db, scope, { name, phone, business, most: MAX_PHONES })
      if (made === 'full') throw fail('bad_request', (say) => say.phones.limit)
      if (made === 'taken') throw fail('conflict', (say) => say.phones.numberTaken)
      return made
    },

    async list(db: Db, scope: Scope, { limit, offset }: { limit: number; offset: number }) {
      await authorize(db, scope)
      return toPage(await phones.list(db, scope, limit + 1, offset), limit, offset)
    },

    /** Changes the profile that others see. Throws 400, 413 or 415 for an invalid picture. */
    async changeProfile(
      db: Db,
      scope: Scope,
      phoneId: string,
      { picture, ...texts }: PatchPhoneBody,
    ): Promise<Phone> {
      const phone = await getOrThrow(db, scope, phoneId)
      const portrait = picture && (await media.portrait(db, scope, picture))
      await phones.changeProfile(db, scope, phone, {
        ...texts,
        ...(portrait ? { picture: portrait } : {}),
      })
      return getOrThrow(db, scope, phoneId)
    },

    async remove(db: Db, scope: Scope, phoneId: string): Promise<void> {
      const phone = await getOrThrow(db, scope, phoneId)
      await phones.deletePhone(db, scope, phone.id)
    },

    /** Pairs the instance that shows this code with the phone. */
    async scan(db: Db, scope: Scope, phoneId: string, code: string): Promise<Phone> {
      const phone = await getOrThrow(db, scope, phoneId)
      if (phone.banned) throw fail('conflict', (say) => say.phones.banned)
      if (phone.pairedInstanceIds.length >= MAX_PAIRED)
        throw fail('conflict', (say) => say.phones.pairedLimit)
      const known = await phones.scan(db, scope, phone, code)
      if (!known) throw fail('bad_request', (say) => say.phones.codeUnknown)
      return getOrThrow(db, scope, phoneId)
    },

    /** Stores the file of a message before the transaction that writes it. Throws 400, 404, 413 or 415. */
    async storeFile(db: Db, scope: Scope, phoneId: string, body: PhoneMessageBody) {
      await getOrThrow(db, scope, phoneId)
      return files.store(db, scope, kindOf(body), body)
    },

    /**
     * Sends a message of any kind from the phone, with a file that is stored already, if one is given. In test mode it
     * needs room under the daily cap (429), toward which it counts once for each instance that receives it.
     */
    async write(
      db: Db,
      scope: Scope,
      phoneId: string,
      body: PhoneMessageBody,
      ready: ReadyFile | null = null,
    ): Promise<PhoneMessage> {
      const phone = await getOrThrow(db, scope, phoneId)
      if (phone.banned) throw fail('conflict', (say) => say.phones.banned)
      const kind = kindOf(body)
      const complete = await projects.numberCompleter(db, scope.projectId)
      const completed = completeContacts(body, complete)
      const content = { ...kind.toContent(completed as never), ...toExtras(body) }
      const recipient = parseRecipient(complete(body.to.trim()))
      if (!recipient) throw fail('bad_request', (say) => say.phones.toInvalid, { field: 'to' })
      const to = recipient.phone ?? recipient.chatId
      const mentions = parsePhones((body.mentions ?? []).map(complete))
      await checkTarget(db, scope, phone, kind, content)
      // If the message is not sent, the file stored for it is discarded.
      await using stored = ready ? null : await files.store(db, scope, kind, body)
      const { quotedWaMessageId = null } = body
      const file = (ready ?? stored)?.facts ?? null
      const draft = { to, content, media: file, quotedWaMessageId, mentions }
      return await keepOnceCommitted(stored, () =>
        db.transaction(async (tx) => {
          await billing.requireTestAllowance(tx, scope)
          const message = await phones.sendMessage(tx, scope, phone, draft)
          if (!message) throw fail('bad_request', (say) => say.phones.toInvalid, { field: 'to' })
          await billing.reserveTestMessages(tx, scope, message.receivedBy)
          return renderPhoneMessage(phone, message)
        }),
      )
    },

    /** Edits a message that the phone sent. */
    async edit(
      db: Db,
      scope: Scope,
      phoneId: string,
      waMessageId: string,
      text: string,
    ): Promise<PhoneMessage> {
      const phone = await getOrThrow(db, scope, phoneId)
      const seen = await phones.getMessage(db, scope, phone, waMessageId)
      const editable = seen && ('text' in seen.content || 'caption' in seen.content)
      if (seen && !editable) throw fail('bad_request', (say) => say.messages.notEditable)
      const changed = await phones.changeMessage(db, scope, phone, waMessageId, { text })
      const after = changed && (await phones.getMessage(db, scope, phone, waMessageId))
      if (!after) throw fail('not_found', (say) => say.messages.notFound)
      return renderPhoneMessage(phone, after)
    },

    /** Deletes, for everyone, a message that the phone sent. */
    async revoke(db: Db, scope: Scope, phoneId: string, waMessageId: string): Promise<void> {
      const phone = await getOrThrow(db, scope, phoneId)
      const known = await phones.changeMessage(db, scope, phone, waMessageId, 'deleted')
      if (!known) throw fail('not_found', (say) => say.messages.notFound)
    },

    /** Pins, keeps or stars a message, or undoes that. Throws 404. */
    mark,

    async read(db: Db, scope: Scope, phoneId: string, waMessageIds: string[]): Promise<string[]> {
      const phone = await getOrThrow(db, scope, phoneId)
      const known = await phones.markRead(db, scope, phone, waMessageIds)
      if (known.length === 0) throw fail('not_found', (say) => say.messages.notFound)
      return known
    },

    async inbox(
      db: Db,
      scope: Scope,
      phoneId: string,
      { limit, offset }: { limit: number; offset: number },
    ) {
      const phone = await getOrThrow(db, scope, phoneId)
      const rows = await phones.listInbox(db, scope, phone, limit + 1, offset)
      return toPage(
        rows.map((row) => renderPhoneMessage(phone, row)),
        limit,
        offset,
      )
    },

    /** Unpairs the phone's linked devices: its instances log out. */
    async unpair(db: Db, scope: Scope, phoneId: string): Promise<Phone> {
      const phone = await getOrThrow(db, scope, phoneId)
      await phones.unpair(db, scope, phone)
      return getOrThrow(db, scope, phoneId)
    },

    /** Takes the phone offline or online, replaces the device, or bans its number. */
    async setState(db: Db, scope: Scope, phoneId: string, state: PhoneState): Promise<Phone> {
      const phone = await getOrThrow(db, scope, phoneId)
      await phones.setState(db, scope, phone, state)
      return getOrThrow(db, scope, phoneId)
    },
  }
}
