import { lockProjects, type LockedDb } from '../../company/projects/projects.service.ts'
import { createBatcher } from '../../kernel/batcher.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { directChatId } from '../../kernel/recipient.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { ContactsService, ReportedContact } from '../contacts/contacts.service.ts'
import type { ChatDraft } from './conversations.sql.ts'

type Instance = ReportedContact['instance']

const taskOf = (instance: Instance) => `merging chats: instance ${instance.id}`

/** Creates the part of conversations that merges the chats of LIDs to which messages were sent. */
export function createChatUniter(deps: {
  db: Db
  contacts: Pick<ContactsService, 'findLinkedLids'>
  merge: (tx: LockedDb, instance: Instance, from: string, into: ChatDraft) => Promise<void>
  activity: PendingWork
  onError: (error: unknown, task?: string) => void
}) {
  const { db, contacts, merge, activity, onError } = deps

  /**
   * Merges the conversations of LIDs that contacts link to phones into those of the phones. A failure is reported and
   * does not stop the others.
   */
  async function unite(sent: { instance: Instance; lid: string }[]): Promise<void[]> {
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
  const batcher = createBatcher({ flush: unite, maxItems: 256, maxInFlight: 1, activity })

  return {
    /**
     * To be called once a send to a LID is committed: a contact may have linked the LID to a phone while the send waited
     * for the Project's lock, and found no conversation to merge. Runs in the background.
     */
    uniteSoon(instance: Instance, lid: string): void {
      batcher.add({ instance, lid }).catch((error: unknown) => onError(error, taskOf(instance)))
    },
  }
}
