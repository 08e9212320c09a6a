import type { BinaryNode, GroupMetadata, WASocket } from 'baileys'
import { DISAPPEARING_SECONDS, type GroupSettings } from '../../model/group-settings.schemas.ts'
import type { GroupCommunity } from '../../model/group-community.schemas.ts'
import type { Participant, Party } from '../../model/records.schemas.ts'
import type { GroupState } from '../network-events.port.ts'
import { NetworkRejection, type GroupCommands } from '../network.port.ts'
import { toParty } from './people.ts'

/**
 * Creates the group commands of an account. WhatsApp's rejections are thrown as NetworkRejection. `setTimer` stores
 * the disappearing-message timer of a group.
 */
export function createGroupCommands(
  socketNow: () => WASocket,
  setTimer: (groupId: string, seconds: number) => void,
): Omit<GroupCommands, 'listJoinRequests' | 'answerJoinRequests'> {
  return {
    createGroup: ({ subject, description, participants }) =>
      withRejections(async () => {
        const socket = socketNow()
        const made = await socket.groupCreate(subject, participants.map(toJid))
        if (description !== null) await socket.groupUpdateDescription(made.id, description)
        return { ...toGroupState(made), description }
      }),
    changeGroup: ({ groupId, subject, description }) =>
      withRejections(async () => {
        const socket = socketNow()
        if (subject !== undefined) await socket.groupUpdateSubject(groupId, subject)
        if (description !== undefined) {
          await socket.groupUpdateDescription(groupId, description ?? undefined)
        }
        return null
      }),
    changeGroupSettings: ({ groupId, settings }) =>
      withRejections(async () => {
        await changeSettings(socketNow(), groupId, settings)
        const { disappearingSeconds: seconds } = settings
        if (seconds !== undefined) setTimer(groupId, seconds)
        return null
      }),
    groupInvite: ({ groupId, reset }) =>
      withRejections(async () => {
        const socket = socketNow()
        const code = await (reset
          ? socket.groupRevokeInvite(groupId)
          : socket.groupInviteCode(groupId))
        if (!code) throw new NetworkRejection('unknown')
        return { code }
      }),
    joinGroup: ({ code }) =>
      withRejections(async () => {
        const socket = socketNow()
        const groupId = await acceptInvite(socket, code)
        // If an admin has to approve, the response names no joined group.
        return groupId ? toGroupState(await socket.groupMetadata(groupId)) : null
      }, JOIN_REJECTIONS),
    changeParticipants: ({ groupId, action, participants }) =>
      withRejections(async () => {
        const socket = socketNow()
        const before = action === 'remove' ? await socket.groupMetadata(groupId) : null
        const answers = await socket.groupParticipantsUpdate(
          groupId,
          participants.map(toJid),
          action,
        )
        // Each participant has a status of their own: privacy settings may prevent an add by strangers.
        const done = answers
          .filter(({ status }) => status === '200')
          .map(({ jid }) => toParty([jid]))
        const known = toGroupState(before ?? (await socket.groupMetadata(groupId))).participants
        return known.filter((one) => done.some((party) => isSameParty(one, party)))
      }),
    leaveGroup: ({ groupId }) =>
      withRejections(async () => {
        await socketNow().groupLeave(groupId)
        return null
      }),
  }
}

/** Returns the group's id, also if the account is in it already; nothing if an admin has to approve it. */
async function acceptInvite(socket: WASocket, code: string): Promise<string | undefined> {
  try {
    return await socket.groupAcceptInvite(code)
  } catch (error) {
    if (codeOf(error) !== ALREADY_IN) throw error
    return (await socket.groupGetInviteInfo(code)).id
  }
}

async function changeSettings(
  socket: WASocket,
  groupId: string,
  { onlyAdminsSend, onlyAdminsEdit, joinApproval, disappearingSeconds }: Partial<GroupSettings>,
): Promise<void> {
  if (onlyAdminsSend !== undefined)
    await socket.groupSettingUpdate(groupId, onlyAdminsSend ? 'announcement' : 'not_announcement')
  if (onlyAdminsEdit !== undefined)
    await socket.groupSettingUpdate(groupId, onlyAdminsEdit ? 'locked' : 'unlocked')
  if (joinApproval !== undefined)
    await socket.groupJoinApprovalMode(groupId, joinApproval ? 'on' : 'off')
  if (disappearingSeconds !== undefined)
    await socket.groupToggleEphemeral(groupId, disappearingSeconds)
}

const toJid = (phone: string) => `${phone}@s.whatsapp.net`
/** Returns whether two parties have the same phone or the same LID. */
export const isSameParty = (left: Party, right: Party) =>
  (left.phone !== null && left.phone === right.phone) ||
  (left.lid !== null && left.lid === right.lid)

const REJECTIONS: Record<string, ConstructorParameters<typeof NetworkRejection>[0]> = {
  401: 'not_admin',
  403: 'not_a_participant',
  404: 'unknown',
}
/** Rejections of an invitation: unknown, replaced, or the account was removed by an admin. */
const JOIN_REJECTIONS: typeof REJECTIONS = {
  401: 'unknown',
  403: 'unknown',
  404: 'unknown',
  406: 'unknown',
  410: 'unknown',
  419: 'group_full',
}
const ALREADY_IN = '409'

/** Converts an error with one of WhatsApp's rejection codes to a NetworkRejection; null for any other error. */
export function rejectionOf(error: unknown, reasons = REJECTIONS): NetworkRejection | null {
  const reason = reasons[codeOf(error)]
  return reason ? new NetworkRejection(reason) : null
}

/** Returns the code with which the server rejected a query, or `undefined` as a text. */
export function codeOf(error: unknown): string {
  const data = (error as { data?: unknown }).data
  return String(typeof data === 'number' ? data : (data as BinaryNode | null)?.attrs?.['code'])
}

/** Runs a command; an error with one of WhatsApp's rejection codes becomes a NetworkRejection. */
export async function withRejections<T>(work: () => Promise<T>, reasons = REJECTIONS): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw rejectionOf(error, reasons) ?? error
  }
}

/** Converts the engine's group metadata to a GroupState. */
export function toGroupState(group: GroupMetadata): GroupState {
  const { id: groupId, subject, desc, owner, ownerPn, creation, participants } = group
  const { announce, restrict, joinApprovalMode, ephemeralDuration } = group
  const { linkedParent, isCommunity, isCommunityAnnounce } = group
  return {
    groupId,
    subject,
    description: desc ?? null,
    owner: owner ? toParty([owner, ownerPn]) : null,
    participants: participants.map(({ id, lid, phoneNumber, admin }) => ({
      ...toParty([id, lid, phoneNumber]),
      role: toRole(admin),
    })),
    settings: {
      onlyAdminsSend: announce ?? false,
      onlyAdminsEdit: restrict ?? false,
      joinApproval: joinApprovalMode ?? false,
      disappearingSeconds: toSeconds(ephemeralDuration),
    },
    community: toCommunity(groupId, {
      parent: linkedParent,
      isCommunity,
      isAnnouncements: isCommunityAnnounce,
    }),
    createdAt: (creation ?? 0) * 1000,
  }
}

/** The place of a group in a community, by what its node says. */
export function toCommunity(
  groupId: string,
  of: {
    parent: string | undefined
    isCommunity: boolean | undefined
    isAnnouncements: boolean | undefined
  },
): GroupCommunity | null {
  if (of.isCommunity) return { id: groupId, part: 'community' }
  return of.parent ? { id: of.parent, part: of.isAnnouncements ? 'announcements' : 'group' } : null
}

/** The shortest duration that phones offer and that is not shorter, because other clients may set any. */
export const toSeconds = (seconds: number | undefined): GroupSettings['disappearingSeconds'] =>
  DISAPPEARING_SECONDS.find((offered) => offered >= (seconds ?? 0)) ?? 7_776_000

/** Converts the role that WhatsApp reports; anyone else is a member. */
export const toRole = (admin: string | null | undefined): Participant['role'] =>
  admin === 'superadmin' || admin === 'admin' ? admin : 'member'
