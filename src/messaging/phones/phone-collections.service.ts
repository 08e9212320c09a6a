import type { Db, Scope } from '../../platform/db/sql.ts'
import {
  readInvite,
  renderInvite,
  type GroupInvite,
  type JoinGroupBody,
  type PatchGroupBody,
} from '../groups/groups.schemas.ts'
import type { Label } from '../labels/labels.schemas.ts'
import type { ProjectsService } from '../../company/projects/projects.service.ts'
import { parsePhone } from '../../kernel/phone-number.ts'
import { parseRecipient } from '../../model/recipient.ts'
import type { GroupState } from '../../networks/network-events.port.ts'
import type { VirtualPhone, VirtualPhones } from '../../networks/virtual-phones.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { parsePhones } from './with-api-failures.ts'
import type { PhoneCall, PhoneGroup } from './phones.schemas.ts'
import type { GroupAction } from '../../model/vocabulary.ts'

/** Calls, groups and labels of virtual phones. */
export type PhoneCollectionsService = ReturnType<typeof createPhoneCollectionsService>

/** Creates the service behind the simulator routes for calls, groups and labels (G54). */
export function createPhoneCollectionsService(deps: {
  phones: VirtualPhones
  projects: Pick<ProjectsService, 'numberCompleter'>
  /** Loads the phone with this id; throws 401, 402, 403 or 404 if the caller may not use it. */
  getPhone: (db: Db, scope: Scope, phoneId: string) => Promise<VirtualPhone>
}) {
  const { phones, projects, getPhone: require } = deps

  async function requireLabel(db: Db, phone: VirtualPhone, labelId: string) {
    const label = (await phones.listLabels(db, phone)).find(({ id }) => id === labelId)
    if (!label) throw fail('not_found', (say) => say.labels.notFound)
    return label
  }

  return {
    async call(
      db: Db,
      scope: Scope,
      phoneId: string,
      body: { to: string; video?: boolean },
    ): Promise<PhoneCall> {
      const phone = await require(db, scope, phoneId)
      const complete = await projects.numberCompleter(db, scope.projectId)
      const to = parsePhone(complete(body.to))
      const call = to && (await phones.call(db, scope, phone, to, body.video ?? false))
      if (!call) throw fail('bad_request', (say) => say.phones.toInvalid, { field: 'to' })
      return { ...call, at: call.at.toISOString() }
    },

    async createGroup(
      db: Db,
      scope: Scope,
      phoneId: string,
      body: { subject: string; description?: string; participants: string[] },
    ): Promise<PhoneGroup> {
      const phone = await require(db, scope, phoneId)
      const { subject, description } = body
      const complete = await projects.numberCompleter(db, scope.projectId)
      const participants = parsePhones(body.participants.map(complete))
      const input = { subject, description: description || null, participants }
      return renderGroup(await phones.createGroup(db, scope, phone, input))
    },

    async changeGroup(
      db: Db,
      scope: Scope,
      phoneId: string,
      groupId: string,
      body: PatchGroupBody,
    ): Promise<PhoneGroup> {
      const phone = await require(db, scope, phoneId)
      const change = {
        ...(body.settings === undefined ? {} : { settings: body.settings }),
        ...(body.subject === undefined ? {} : { subject: body.subject }),
        ...(body.description === undefined ? {} : { description: body.description || null }),
      }
      const group = await phones.changeGroup(db, scope, phone, { groupId, ...change })
      return renderGroup(group)
    },

    /** Creates a community of groups that the phone is an admin of. */
    async createCommunity(
      db: Db,
      scope: Scope,
      phoneId: string,
      { subject, groups: groupIds }: { subject: string; groups: string[] },
    ): Promise<PhoneGroup> {
      const phone = await require(db, scope, phoneId)
      return renderGroup(await phones.createCommunity(db, scope, phone, { subject, groupIds }))
    },

    /** Adds a group to a community, or removes it with null. */
    async moveGroup(
      db: Db,
      scope: Scope,
      phoneId: string,
      groupId: string,
      communityId: string | null,
    ): Promise<PhoneGroup> {
      const phone = await require(db, scope, phoneId)
      return renderGroup(await phones.moveGroup(db, scope, phone, { groupId, communityId }))
    },

    /** Joins a group by its invitation; null if an admin has to approve it. */
    async joinGroup(
      db: Db,
      scope: Scope,
      phoneId: string,
      { invite }: JoinGroupBody,
    ): Promise<PhoneGroup | null> {
      const phone = await require(db, scope, phoneId)
      const code = readInvite(invite)
      if (!code) throw fail('bad_request', (say) => say.groups.inviteInvalid, { field: 'invite' })
      const group = await phones.joinGroup(db, scope, phone, code)
      return group && renderGroup(group)
    },

    async groupInvite(
      db: Db,
      scope: Scope,
      phoneId: string,
      groupId: string,
    ): Promise<GroupInvite> {
      const phone = await require(db, scope, phoneId)
      return renderInvite(await phones.groupInvite(db, scope, phone, groupId))
    },

    async changeParticipants(
      db: Db,
      scope: Scope,
      phoneId: string,
      groupId: string,
      body: { action: GroupAction; participants?: string[] },
    ): Promise<PhoneGroup> {
      const phone = await require(db, scope, phoneId)
      if (body.action !== 'leave' && body.participants === undefined) {
        const field = 'participants'
        throw fail('bad_request', (say) => say.http.required(field), { field })
      }
      const complete = await projects.numberCompleter(db, scope.projectId)
      const participants = parsePhones((body.participants ?? []).map(complete))
      const input = { groupId, action: body.action, participants }
      return renderGroup(await phones.changeParticipants(db, scope, phone, input))
    },

    /** Creates a label on a business phone. */
    async createLabel(
      db: Db,
      scope: Scope,
      phoneId: string,
      body: { name: string; color?: string },
    ) {
      const phone = await require(db, scope, phoneId)
      const { name, color = '#00a884' } = body
      return phones.saveLabel(db, scope, phone, { id: null, name, color })
    },

    /** Returns the labels of a business phone. */
    async labels(db: Db, scope: Scope, phoneId: string): Promise<{ items: Label[] }> {
      return { items: await phones.listLabels(db, await require(db, scope, phoneId)) }
    },

    async updateLabel(
      db: Db,
      scope: Scope,
      phoneId: string,
      labelId: string,
      body: { name?: string; color?: string },
    ) {
      const phone = await require(db, scope, phoneId)
      const { id, name, color } = await requireLabel(db, phone, labelId)
      const label = { id, name: body.name ?? name, color: body.color ?? color }
      return phones.saveLabel(db, scope, phone, label)
    },

    async removeLabel(db: Db, scope: Scope, phoneId: string, labelId: string): Promise<void> {
      const phone = await require(db, scope, phoneId)
      await requireLabel(db, phone, labelId)
      await phones.deleteLabel(db, scope, phone, labelId)
    },

    /** Adds a label to the chat with a number or a group, or removes it. */
    async associateLabel(
      db: Db,
      scope: Scope,
      phoneId: string,
      { labelId, chat, on }: { labelId: string; chat: string; on: boolean },
    ): Promise<void> {
      const phone = await require(db, scope, phoneId)
      const label = await requireLabel(db, phone, labelId)
      const complete = await projects.numberCompleter(db, scope.projectId)
      const recipient = parseRecipient(complete(chat))
      if (!recipient) throw fail('bad_request', (say) => say.phones.chatInvalid, { field: 'chat' })
      await phones.associateLabel(db, scope, phone, label, recipient.chatId, on)
    },
  }
}

function renderGroup(state: GroupState): PhoneGroup {
  const { groupId: id, createdAt, community = null, ...group } = state
  return { id, ...group, community, createdAt: new Date(createdAt).toISOString() }
}
