import type { BinaryNode } from 'baileys'
import type { GroupCommunity } from '../../model/group-community.schemas.ts'
import { INITIAL_SETTINGS, type GroupSettings } from '../../model/group-settings.schemas.ts'
import type { Participant } from '../../model/records.schemas.ts'
import type { ReportedNetworkEvent, GroupState } from '../network-events.port.ts'
import { childrenOf } from './binary-node.ts'
import { isSameParty, toCommunity, toRole, toSeconds } from './groups.ts'
import { toParty } from './people.ts'

/** Reads the change of one setting; null if the tag is not one. */
function readSetting({ tag, attrs, content }: BinaryNode): Partial<GroupSettings> | null {
  switch (tag) {
    case 'announcement':
    case 'not_announcement':
      return { onlyAdminsSend: tag === 'announcement' }
    case 'locked':
    case 'unlocked':
      return { onlyAdminsEdit: tag === 'locked' }
    case 'ephemeral':
    case 'not_ephemeral':
      return { disappearingSeconds: toSeconds(Number(attrs['expiration'] ?? 0)) }
    case 'membership_approval_mode': {
      const [join] = Array.isArray(content) ? content : []
      return { joinApproval: join?.attrs['state'] === 'on' }
    }
    default:
      return null
  }
}

/** Reads the events of a group notification from its stanza, because the engine's own events omit some of them. */
export function readGroupNotification(node: BinaryNode): ReportedNetworkEvent[] {
  const { id, from: groupId = '', participant, participant_lid, participant_pn, t } = node.attrs
  const actor = toParty([participant, participant_lid, participant_pn])
  const at = Number(t ?? 0) * 1000
  return childrenOf(node).flatMap((child, index): ReportedNetworkEvent[] => {
    const occurrence = { id: `notification ${id} ${index}`, at }
    switch (child.tag) {
      case 'create': {
        const [group] = childrenOf(child)
        if (!group) return []
        const state = readGroup(group, groupId)
        const maker = state.participants.filter((one) => isSameParty(one, actor))
        const others = state.participants.filter((one) => !isSameParty(one, actor))
        const added = { kind: 'participants' as const, groupId, action: 'add' as const, actor }
        return [
          { kind: 'group', group: { ...state, participants: maker }, ...occurrence },
          { ...added, participants: others, ...occurrence, id: `${occurrence.id} add` },
        ]
      }
      case 'add':
      case 'remove':
      case 'promote':
      case 'demote': {
        const participants = childrenOf(child).map(readParticipant)
        const alone = participants.every((one) => isSameParty(one, actor))
        const itself = { add: 'join', remove: 'leave' } as const
        const action =
          alone && (child.tag === 'add' || child.tag === 'remove') ? itself[child.tag] : child.tag
        return [{ kind: 'participants', groupId, action, actor, participants, ...occurrence }]
      }
      case 'subject': {
        const subject = child.attrs['subject'] ?? ''
        return [{ kind: 'group_changed', groupId, actor, subject, ...occurrence }]
      }
      case 'description': {
        const description = textOf(childrenOf(child).find(({ tag }) => tag === 'body'))
        return [{ kind: 'group_changed', groupId, actor, description, ...occurrence }]
      }
      case 'link':
      case 'unlink':
        return readLinks(child, groupId).map((link) => ({
          ...link,
          kind: 'group_changed',
          actor,
          ...occurrence,
          id: `${occurrence.id} ${link.groupId}`,
        }))
      default: {
        const settings = readSetting(child)
        return settings ? [{ kind: 'group_changed', groupId, actor, settings, ...occurrence }] : []
      }
    }
  })
}

/** Which groups joined or left a community: the notified group, or those that its community names. */
function readLinks(
  { tag, attrs, content }: BinaryNode,
  notifiedId: string,
): { groupId: string; community: GroupCommunity | null }[] {
  const type = attrs['link_type'] ?? attrs['unlink_type']
  return (Array.isArray(content) ? content : []).flatMap((other) => {
    const jid = other.attrs['jid']
    if (!jid || (type !== 'parent_group' && type !== 'sub_group')) return []
    const [groupId, id] = type === 'parent_group' ? [notifiedId, jid] : [jid, notifiedId]
    return [{ groupId, community: tag === 'link' ? { id, part: 'group' as const } : null }]
  })
}

function textOf(node: BinaryNode | undefined): string | null {
  const content = node?.content
  if (content === undefined || Array.isArray(content)) return null
  return typeof content === 'string' ? content : Buffer.from(content).toString()
}

function readParticipant({ attrs }: BinaryNode): Participant {
  const { jid, lid, phone_number, type } = attrs
  return { ...toParty([jid, lid, phone_number]), role: toRole(type) }
}

function readGroup(node: BinaryNode, groupId: string): GroupState {
  const { subject = '', creator, creator_pn, creation } = node.attrs
  const description = childrenOf(node).find(({ tag }) => tag === 'description')
  return {
    groupId,
    subject,
    description: textOf(description && childrenOf(description).find(({ tag }) => tag === 'body')),
    owner: creator ? toParty([creator, creator_pn]) : null,
    participants: childrenOf(node)
      .filter(({ tag }) => tag === 'participant')
      .map(readParticipant),
    settings: Object.assign({ ...INITIAL_SETTINGS }, ...childrenOf(node).map(readSetting)),
    community: toCommunity(groupId, {
      parent: childrenOf(node).find(({ tag }) => tag === 'linked_parent')?.attrs['jid'],
      isCommunity: childrenOf(node).some(({ tag }) => tag === 'parent'),
      isAnnouncements: childrenOf(node).some(({ tag }) => tag === 'default_sub_group'),
    }),
    createdAt: Number(creation ?? 0) * 1000,
  }
}
