import { lockProjects } from '../company/projects/projects.service.ts'
import type { ContactsService } from '../messaging/contacts/contacts.service.ts'
import type { NumbersService } from '../messaging/contacts/numbers.service.ts'
import type { Db } from '../platform/db/sql.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId, newWaMessageId } from '../kernel/ids.ts'
import { parseRecipient, phoneRecipient, type Recipient } from '../model/recipient.ts'
import type { MediaService } from '../media/media.service.ts'
import type { Acceptor, SendDraft } from '../messaging/messages/accept-sends.service.ts'
import { Failure } from '../kernel/phrases/fail.ts'
import type { Media } from '../model/media-fields.ts'
import type { Message } from '../model/records.schemas.ts'
import type { PauseReason } from './campaigns.schemas.ts'
import { findUnderWay, claimCampaign, updateCampaign, type CampaignRow } from './campaigns.sql.ts'
import { planSlots, savePlan, type Slots } from './plan-slots.ts'
import { findRecipientsToSkip, scopeOf } from './find-recipients-to-skip.ts'
import { readMessage } from './read-message.ts'
import { markQueued, markSkipped, nextRecipients, type RecipientRow } from './recipients.sql.ts'
import type { SkipReason } from './recipients.schemas.ts'
import { skipReasonOf, toPauseReason } from './refusals.ts'
import { priceOf, resultsOf } from './render-campaign.ts'

const BATCH = 256
/** Messages that may be accepted but unsent: few at first, one more for each result. */
const FIRST_IN_FLIGHT = 20
const MAX_IN_FLIGHT = 512
/** Minimum results before a high failure rate pauses a campaign. */
const MIN_RESULTS = 20
const MAX_FAILURE_RATE = 0.3
/** Fallback poll of a campaign that waits for results, in case a wake-up is lost. */
const RECHECK_MS = 5000
/** Fallback poll of a campaign that waits for an instance, in case a wake-up is lost. */
const PAUSED_RECHECK_MS = 60_000

/** Advances a campaign by one step. Returns true if the next step may follow immediately. */
export type CampaignStepper = (campaignId: string) => Promise<boolean>

/** The network's numbers of recipients by the ids of their typed ones; null if they are the same. */
type Resolved = Map<string, Recipient | null>

/**
 * Creates the function that advances a campaign by one step. A step selects the next recipients and
 * their instances, and accepts and records their messages in one transaction: a crash leaves all of
 * it or nothing.
 */
export function createCampaignStepper(deps: {
  db: Db
  clock: Clock
  acceptor: Pick<Acceptor, 'acceptAll'>
  numbers: NumbersService
  contacts: ContactsService
  media: MediaService
}): CampaignStepper {
  const { db, clock, acceptor, numbers, contacts, media } = deps

  /**
   * Resolves the next recipients to the numbers that their network uses, before anything is locked. Those that are not in
   * the result have not been looked up, and must not be sent to.
   */
  async function resolveNext(campaign: CampaignRow): Promise<Resolved> {
    const { id, instanceIds, passedPosition } = campaign
    const [instanceId = ''] = instanceIds
    const known: Resolved = new Map()
    const room = remainingInFlight(campaign)
    if (room <= 0 || campaign.status === 'SCHEDULED') return known
    const next = await nextRecipients(db, id, passedPosition, room)
    await Promise.all(
      next.map(async ({ chatId }) => {
        const typed = parseRecipient(chatId)
        const phone = typed?.phone
          ? (await numbers.resolve({ ...scopeOf(campaign), instanceId }, typed.phone)).phone
          : typed?.lid &&
            (await contacts.findPhoneByLid(db, scopeOf(campaign), instanceId, typed.lid))
        known.set(chatId, phone && phone !== typed?.phone ? phoneRecipient(phone) : null)
      }),
    )
    return known
  }

  const pauseFor = (reason: PauseReason, willResume: boolean, dueAt: number | null = null) => ({
    status: 'PAUSED' as const,
    pause: { reason, at: new Date(clock.now()).toISOString(), willResume },
    dueAt: dueAt === null ? ('never' as const) : new Date(dueAt),
  })

  /** Returns the change that pauses the campaign, or null if it may send. */
  function findPause(campaign: CampaignRow & { addon: boolean }) {
    const { counts, failureWindowStart } = campaign
    if (!campaign.addon) return pauseFor('ADDON_REQUIRED', false)
    const results = resultsOf(counts) - failureWindowStart.results
    const failed = counts.failed - failureWindowStart.failed
    if (
      campaign.status === 'RUNNING' &&
      // With nothing left to send, a pause would keep the campaign from ending.
      counts.pending > 0 &&
      results >= MIN_RESULTS &&
      failed > results * MAX_FAILURE_RATE
    ) {
      return pauseFor('FAILURE_RATE', false)
    }
    return null
  }

  /** Extends the retention of the file of the message and returns it; null without a file or if it has expired. */
  async function fileOf(tx: Db, campaign: CampaignRow): Promise<Media | null> {
    const { mediaId, message } = campaign
    const voice = 'voice' in message && message.voice === true
    return mediaId === null ? null : media.hold(tx, scopeOf(campaign), mediaId, voice)
  }

  function toDraft(
    campaign: CampaignRow,
    recipient: RecipientRow,
    place: { instanceId: string; to: Recipient },
    file: Media | null,
  ): SendDraft {
    const { id: campaignId, projectId, mode, keyId, message } = campaign
    const { kind, content, template } = readMessage(message, recipient.variables)
    const at = clock.now()
    const { typingMs = 0, metadata = {} } = template
    return {
      campaignId,
      projectId,
      mode,
      keyId,
      instanceId: place.instanceId,
      ...place.to,
      id: newId('msg', at),
      waMessageId: newWaMessageId(),
      origin: 'campaign',
      type: content.type,
      content,
      text: kind.textOf(content),
      media: file,
      conversationId: null,
      freshConversationId: newId('cnv', at),
      quotedWaMessageId: null,
      mentions: [],
      options: typingMs ? { typingMs } : {},
      metadata,
      clientReference: recipient.clientReference,
      cost: priceOf(campaign),
      dueAt: new Date(at),
    }
  }

  /** Accepts messages to the next recipients, one per slot; returns the first refusal, if any. */
  async function send(
    tx: Db,
    campaign: CampaignRow,
    slots: Slots,
    file: Media | null,
    known: Resolved,
  ): Promise<{ sent: string[]; passedPosition: number; refusal: Failure | null }> {
    const { id, passedPosition } = campaign
    const following = await nextRecipients(tx, id, passedPosition, slots.order.length)
    const unresolved = following.findIndex(({ chatId }) => !known.has(chatId))
    // Results that arrived meanwhile made room for more: these wait for the next step.
    const next = unresolved < 0 ? following : following.slice(0, unresolved)
    const toSkip = await findRecipientsToSkip(tx, campaign, next, known)
    const chosen: RecipientRow[] = []
    const drafts: SendDraft[] = []
    for (const recipient of next.filter(({ position }) => !toSkip.has(position))) {
      const { chatId, position } = recipient
      const instanceId = slots.order[drafts.length] ?? ''
      const to = known.get(chatId) ?? parseRecipient(chatId)
      if (!to) throw new Error(`cannot parse recipient ${position} of campaign ${id}`)
      try {
        drafts.push(toDraft(campaign, recipient, { instanceId, to }, file))
        chosen.push(recipient)
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== 'bad_request') throw error
        toSkip.set(position, 'INVALID_MESSAGE')
      }
    }
    const answers = drafts.length > 0 ? await acceptor.acceptAll(tx, drafts) : []
    const queued = answers.flatMap((answer, index) => {
      const position = chosen[index]?.position
      if (answer instanceof Failure || position === undefined) return []
      return [{ position, messageId: answer.id, chatId: answer.chat.id }]
    })
    if (queued.length > 0) await markQueued(tx, id, queued)
    const refusedOnes = answers.flatMap((answer, index) => {
      const reason = answer instanceof Failure ? skipReasonOf(answer) : null
      const position = chosen[index]?.position
      return reason && position !== undefined ? [{ position, reason }] : []
    })
    const skipped: { position: number; reason: SkipReason }[] = [
      ...[...toSkip].map(([position, reason]) => ({ position, reason })),
      ...refusedOnes,
    ]
    if (skipped.length > 0) await markSkipped(tx, id, skipped)
    const stops = (answer: Message | Failure): answer is Failure =>
      answer instanceof Failure && skipReasonOf(answer) === null
    const first = chosen[answers.findIndex(stops)]
    const refusal = answers.find(stops) ?? null
    return {
      sent: answers.flatMap((answer) => (answer instanceof Failure ? [] : [answer.instanceId])),
      passedPosition: first ? first.position - 1 : (next.at(-1)?.position ?? passedPosition),
      refusal,
    }
  }

  async function advance(
    tx: Db,
    campaign: CampaignRow & { addon: boolean },
    known: Resolved,
  ): Promise<boolean> {
    const now = clock.now()
    const { id, counts } = campaign
    const change = (what: Parameters<typeof updateCampaign>[2]) =>
      updateCampaign(tx, id, what, new Date(now))
    if (campaign.status === 'SCHEDULED') {
      const at = new Date(now)
      const { scheduledAt, startedAt } = campaign
      const isEarly = scheduledAt !== null && scheduledAt > at
      const begun = { status: 'RUNNING', startedAt: startedAt ?? at, dueAt: at } as const
      await change(isEarly ? { dueAt: scheduledAt } : begun)
      return !isEarly
    }
    if (counts.pending + counts.queued === 0) {
      await change({ status: 'COMPLETED', finishedAt: new Date(now), dueAt: 'never', pause: null })
      return false
    }
    // The failure window restarts when a campaign resumes.
    const resumes = campaign.status === 'PAUSED'
    const stop = findPause(campaign)
    if (stop) {
      await change(stop)
      return false
    }
    const soon = now + RECHECK_MS
    const file = await fileOf(tx, campaign)
    if (campaign.mediaId !== null && file === null) {
      await change(pauseFor('MEDIA_EXPIRED', false))
      return false
    }
    const slots = await planSlots(tx, campaign, { most: remainingInFlight(campaign), now })
    if (slots.pause) {
      const { reason, willResume } = slots.pause
      const same = campaign.pause?.reason === reason && campaign.pause.willResume === willResume
      const paused = pauseFor(reason, willResume, willResume ? now + PAUSED_RECHECK_MS : null)
      await change(same ? { dueAt: paused.dueAt } : paused)
      return false
    }
    const failureWindowStart = { results: resultsOf(counts), failed: counts.failed }
    const running = {
      status: 'RUNNING' as const,
      pause: null,
      ...(resumes ? { failureWindowStart } : {}),
    }
    if (slots.order.length === 0 || counts.pending === 0) {
      await change({
        ...running,
        dueAt: new Date(counts.pending === 0 ? soon : (slots.nextAt ?? soon)),
      })
      return false
    }
    const { sent, passedPosition, refusal } = await send(tx, campaign, slots, file, known)
    await savePlan(tx, campaign, sent, now)
    const reason = refusal && toPauseReason(refusal)
    if (reason) {
      // The daily cap of test mode resets by itself.
      const { retryAfter } = refusal.details
      const resumesAt = retryAfter === undefined ? null : now + retryAfter * 1000
      await change({ ...pauseFor(reason, resumesAt !== null, resumesAt), passedPosition })
      return false
    }
    await change({ ...running, passedPosition, dueAt: new Date(refusal ? soon : now) })
    return refusal === null
  }

  return async (campaignId) => {
    const seen = await findUnderWay(db, campaignId)
    if (!seen) return false
    const known = await resolveNext(seen)
    return db.transaction(async (tx) => {
      // Steps of one Project run one at a time: its campaigns share instances and daily limits.
      const locked = await lockProjects(tx, [seen.projectId])
      const campaign = await claimCampaign(locked, campaignId)
      return campaign ? advance(tx, campaign, known) : false
    })
  }
}

/** How many more messages may be accepted before earlier ones are sent. */
function remainingInFlight({ counts, failureWindowStart }: CampaignRow): number {
  const results = resultsOf(counts) - failureWindowStart.results
  return Math.min(BATCH, Math.min(MAX_IN_FLIGHT, FIRST_IN_FLIGHT + results) - counts.queued)
}
