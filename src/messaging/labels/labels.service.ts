import { lockProjects, type LockedDb } from '../../company/projects/projects.service.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { EventDraft, EventsService } from '../../events/events.service.ts'
import { toPage } from '../../kernel/schemas.ts'
import type { Account, InstancesService } from '../../instances/instances.service.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { parseRecipient } from '../../model/recipient.ts'
import type { NetworkEvent } from '../../networks/network-events.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Chat } from '../../model/records.schemas.ts'
import type { CreateLabelBody, Label, PatchLabelBody } from './labels.schemas.ts'
import {
  setLabelOnConversation,
  countConversationsByLabel,
  deleteLabel,
  findLabel,
  listLabels,
  lockLabel,
  upsertLabel,
  type LabelRow,
} from './labels.sql.ts'

type Instance = Account['instance']
type EventOfKind<Kind extends NetworkEvent['kind']> = Omit<
  Extract<NetworkEvent, { kind: Kind }>,
  'kind'
>
const DEFAULT_COLOR = '#00a884'

/** Manages the labels of instances and their assignment to conversations. */
export type LabelsService = ReturnType<typeof createLabelsService>

/**
 * Creates the service that manages the labels of business accounts and assigns them to chats (G37).
 */
export function createLabelsService(deps: {
  clock: Clock
  events: EventsService
  instances: InstancesService
  commander: Pick<NetworkCommander, 'run'>
  conversations: ConversationsService
}) {
  const { clock, events, instances, commander, conversations } = deps
  const now = () => new Date(clock.now())

  async function getOrThrow(
    db: Db,
    scope: Scope,
    instanceId: string,
    labelId: string,
  ): Promise<LabelRow> {
    const row = await findLabel(db, scope, instanceId, labelId, now())
    if (row) return row
    await instances.get(db, scope, instanceId)
    throw fail('not_found', (say) => say.labels.notFound)
  }

  function toEvent(
    instance: Instance,
    action: 'created' | 'updated' | 'deleted',
    row: LabelRow,
    at: number,
  ): EventDraft {
    const { id: instanceId, projectId, mode } = instance
    const data = { action, label: render(row), at: new Date(at).toISOString() }
    return { name: 'label.updated', projectId, mode, instanceId, data }
  }

  /** Stores a label's state as the network reports it, and records `label.updated` if anything changed. */
  async function applyLabel(
    tx: Db,
    instance: Instance,
    event: EventOfKind<'label'>,
  ): Promise<void> {
    const { networkId, name, color, deleted, at } = event
    const before = await lockLabel(tx, instance, networkId)
    if (deleted) {
      if (!before || !(await deleteLabel(tx, instance, before.id))) return
      return events.record(tx, [toEvent(instance, 'deleted', before, at)])
    }
    const row = { id: before?.id ?? newId('lab', clock.now()), networkId, name, color }
    if (!(await upsertLabel(tx, instance, row, now()))) return
    await events.record(tx, [toEvent(instance, before ? 'updated' : 'created', row, at)])
  }

  async function recordAssociation(
    tx: Db,
    instance: Instance,
    labelId: string,
    conversation: { id: string; chat: Chat },
    on: boolean,
    at: number,
  ) {
    if (!(await setLabelOnConversation(tx, labelId, conversation.id, on))) return
    const data = {
      action: on ? ('added' as const) : ('removed' as const),
      labelId,
      conversationId: conversation.id,
      chat: conversation.chat,
      at: new Date(at).toISOString(),
    }
    const { id: instanceId, projectId, mode } = instance
    await events.record(tx, [{ name: 'label.association', projectId, mode, instanceId, data }])
  }

  /** Applies a report of the network that a label was added to a chat or removed from it. */
  async function applyAssociation(
    tx: LockedDb,
    instance: Instance,
    event: EventOfKind<'label_association'>,
  ) {
    const { networkId, chatId, on, at } = event
    const label = await lockLabel(tx, instance, networkId)
    const chat = parseRecipient(chatId)
    if (!label || !chat) return
    // Removing a label must not create a conversation for an unknown chat.
    if (!on && !(await conversations.has(tx, instance, chat))) return
    const id = await conversations.ensure(tx, instance, { ...chat, name: null })
    const scope = { ...instance, keyId: null }
    const conversation = await conversations.get(tx, scope, instance.id, id)
    await recordAssociation(tx, instance, label.id, conversation, on, at)
  }

  function record(
    db: Db,
    instance: Instance,
    work: (tx: LockedDb) => Promise<void>,
  ): Promise<void> {
    return db.transaction(async (tx) => work(await lockProjects(tx, [instance.projectId])))
  }

  async function save(
    db: Db,
    scope: Scope,
    instanceId: string,
    label: { networkId: string | null; name: string; color: string },
  ): Promise<Label> {
    const { instance } = await instances.account(db, scope, instanceId)
    const { networkId, color } = await commander.run(instanceId, 'saveLabel', label)
    const { name } = label
    const event = { networkId, name, color, deleted: false, at: clock.now() }
    await record(db, instance, (tx) => applyLabel(tx, instance, event))
    const row = await lockLabel(db, instance, networkId)
    if (!row) throw fail('not_found', (say) => say.labels.notFound)
    return render(row)
  }

  return {
    applyLabel: applyLabel,
    applyAssociation: applyAssociation,

    async list(db: Db, scope: Scope, instanceId: string, query: { limit: number; offset: number }) {
      const { limit, offset } = query
      const rows = await listLabels(db, scope, instanceId, { limit: limit + 1, offset, now: now() })
      if (rows.length === 0) await instances.get(db, scope, instanceId)
      return toPage(rows.map(render), limit, offset)
    },

    /** Throws 404 for a label that the instance does not have. */
    requireLabel: async (
      db: Db,
      scope: Scope,
      instanceId: string,
      labelId: string,
    ): Promise<void> => void (await getOrThrow(db, scope, instanceId, labelId)),

    /** Returns the number of conversations per label. */
    async counts(db: Db, scope: Scope, instanceId: string) {
      const items = await countConversationsByLabel(db, scope, instanceId, now())
      if (items.length === 0) await instances.get(db, scope, instanceId)
      return { items }
    },

    create: (db: Db, scope: Scope, instanceId: string, body: CreateLabelBody): Promise<Label> =>
      save(db, scope, instanceId, {
        networkId: null,
        name: body.name,
        color: (body.color ?? DEFAULT_COLOR).toLowerCase(),
      }),

    async update(
      db: Db,
      scope: Scope,
      instanceId: string,
      labelId: string,
      body: PatchLabelBody,
    ): Promise<Label> {
      if (body.name === undefined && body.color === undefined) {
        throw fail('bad_request', (say) => say.labels.nothingToChange)
      }
      const { networkId, name, color } = await getOrThrow(db, scope, instanceId, labelId)
      const label = {
        networkId,
        name: body.name ?? name,
        color: body.color?.toLowerCase() ?? color,
      }
      return save(db, scope, instanceId, label)
    },

    async remove(db: Db, scope: Scope, instanceId: string, labelId: string): Promise<void> {
      const { networkId, name, color } = await getOrThrow(db, scope, instanceId, labelId)
      const { instance } = await instances.account(db, scope, instanceId)
      await commander.run(instanceId, 'deleteLabel', { networkId })
      const event = { networkId, name, color, deleted: true, at: clock.now() }
      await record(db, instance, (tx) => applyLabel(tx, instance, event))
    },

    /** Adds a label to a conversation or removes it, on the network first. */
    async associate(
      db: Db,
      scope: Scope,
      instanceId: string,
      labelId: string,
      conversationId: string,
      on: boolean,
    ): Promise<void> {
      const { networkId } = await getOrThrow(db, scope, instanceId, labelId)
      const conversation = await conversations.get(db, scope, instanceId, conversationId)
      const { instance } = await instances.account(db, scope, instanceId)
      await commander.run(instanceId, 'associateLabel', {
        networkId,
        chatId: conversation.chat.id,
        on,
      })
      await record(db, instance, async (tx) => {
        // By now the label may have been deleted on the phone, or the conversation merged into another.
        const { id } = await getOrThrow(tx, scope, instanceId, labelId)
        const current = await conversations.get(tx, scope, instanceId, conversationId)
        await recordAssociation(tx, instance, id, current, on, clock.now())
      })
    },
  }
}

function render({ id, name, color }: LabelRow): Label {
  return { id, name, color }
}
