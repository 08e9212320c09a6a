import type { BusTopics } from '../platform/bus/bus.port.ts'
import type { Mode } from '../kernel/config/config.ts'
import type { Db } from '../platform/db/sql.ts'
import type { Clock } from '../kernel/clock.ts'
import { contactKeyOf } from '../model/recipient.ts'
import { findPersonKeys } from './person-keys.ts'
import { parseOptOut } from './parse-opt-out.ts'
import {
  findLastCampaignMessages,
  saveOptOuts,
  STATUS_ORDER,
  updateRecipientStatuses,
} from './recipients.sql.ts'

/** The new status of a message; `campaignId` is null for one outside campaigns. */
type Result = { id: string; campaignId: string | null; status: string }
type Answer = {
  projectId: string
  mode: Mode
  direction: string
  chatType: string
  conversationId: string
  chatId: string
  chatPhone: string | null
  text: string | null
}

/** Tracks the messages and replies of campaign recipients. */
export type RecipientTracker = {
  /** Called in the transaction that changes the status of messages. */
  onStatusChanged(tx: Db, results: Result[]): Promise<void>
  /** Called in the transaction that stores received messages. */
  onReceived(tx: Db, rows: Answer[]): Promise<void>
}

const toRecipientStatus = (status: string) => (status === 'played' ? 'read' : status)

/** Creates the tracker that applies message statuses to campaign recipients and detects replies and opt-outs. */
export function createRecipientTracker(deps: {
  clock: Clock
  publish: BusTopics['publish']
}): RecipientTracker {
  const { clock, publish } = deps
  return {
    async onStatusChanged(tx, results) {
      const last = new Map<string, string>()
      for (const { id, campaignId, status } of results) {
        if (campaignId === null) continue
        const name = toRecipientStatus(status)
        const before = last.get(id)
        const further = STATUS_ORDER.indexOf(name) > STATUS_ORDER.indexOf(before ?? 'queued')
        if (before === undefined || further) last.set(id, name)
      }
      if (last.size === 0) return
      const moves = [...last].map(([messageId, status]) => ({ messageId, status }))
      const campaigns = await updateRecipientStatuses(tx, moves)
      tx.afterCommit(() => campaigns.forEach((campaignId) => publish('campaigns', { campaignId })))
    },

    async onReceived(tx, rows) {
      const answers = rows.filter((row) => row.direction === 'inbound' && row.chatType === 'direct')
      if (answers.length === 0) return
      const conversations = [...new Set(answers.map(({ conversationId }) => conversationId))]
      const asked = await findLastCampaignMessages(tx, conversations)
      if (asked.length === 0) return
      await updateRecipientStatuses(
        tx,
        asked.map(({ messageId }) => ({ messageId, status: 'replied' })),
      )
      const known = new Set(asked.map(({ conversationId }) => conversationId))
      const optOuts = new Map(
        answers.flatMap(({ projectId, mode, chatId, chatPhone: phone, text, conversationId }) => {
          const optOut = known.has(conversationId) ? parseOptOut(text) : null
          if (!optOut) return []
          const person = contactKeyOf({ phone, chatId })
          return [
            [`${projectId}/${mode}/${person}`, { projectId, mode, person, wish: optOut }] as const,
          ]
        }),
      )
      const choices = await Promise.all(
        [...optOuts.values()].map(async (choice) => {
          if (choice.wish === 'out') return [choice]
          // A person who opts in again leaves the list under every key.
          const { projectId, mode, person } = choice
          const keys = await findPersonKeys(tx, { projectId, mode, keyId: null }, [person])
          return [...(keys.get(person) ?? [])].map((key) => ({ ...choice, person: key }))
        }),
      )
      await saveOptOuts(tx, choices.flat(), new Date(clock.now()))
    },
  }
}
