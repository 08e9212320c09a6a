import { lockProjects, type LockedDb } from '../../company/projects/projects.service.ts'
import { createBatcher } from '../../kernel/batcher.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { directChatId } from '../../model/recipient.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { ContactsService, ReportedContact } from '../contacts/contacts.service.ts'
import type { ChatDraft } from './conversations.sql.ts'

type Instance = ReportedContact['instance']

const taskOf = (instance: Instance) => `merging chats: instance ${instance.id}`

/** Creates the functions that merge the chat of a LID into that of its phone number after a send to the LID. */
export function createChatMerger(deps: {
  db: Db
  contacts: Pick<ContactsService, 'findLinkedLids'>
  merge: (tx: LockedDb, instance: Instance, from: string, into: ChatDraft) => Promise<void>
  activity: PendingWork
  onError: (error: unknown, task?: string) => void
}) {
  const { db, contacts, merge, activity, onError } = deps

  /**
   * Merges the conversations of LIDs that a contact links to a phone number into that
   * number's conversation. A failed merge is reported and does not stop the others.
   */
  async function mergeLinkedChats(sent: { instance: Instance; lid: string }[]): Promise<void[]> {
    const instances = new Map(sent.map(({ instance }) => [instance.id, instance]))
    const linked = await contacts.findLinkedLids(
      db,
      sent.map(({ instance, lid }) => ({ instanceId: instance.id, lid })),
    )
    for (const { instanceId, lid, phone } of linked) {
      const instance = instances.get(instanceId)
      if (!instance) continue
      const chat = { phone, lid, name: null, chatType: 'direct' as const }
      const into = { ...chat, chatId: directChatId(chat) }
      await db
        .transaction(async (tx) =>
          merge(await lockProjects(tx, [instance.projectId]), instance, lid, into),
        )
        .catch((error: unknown) => onError(error, taskOf(instance)))
    }
    return sent.map(() => {})
  }
  const batcher = createBatcher({
    flush: mergeLinkedChats,
    maxItems: 256,
    maxInFlight: 1,
    activity,
  })

  return {
    /**
     * Call after a send to a LID commits: while it waited for the Project's lock, the LID may have
     * been linked to a phone, when there was no conversation to merge yet. Runs in the background.
     */
    scheduleMerge(instance: Instance, lid: string): void {
      batcher.add({ instance, lid }).catch((error: unknown) => onError(error, taskOf(instance)))
    },
  }
}
