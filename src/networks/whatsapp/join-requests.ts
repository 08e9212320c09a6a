import type { WASocket } from 'baileys'
import type { Party } from '../../model/records.schemas.ts'
import type { GroupCommands } from '../network.port.ts'
import { isSameParty, withRejections } from './groups.ts'
import { toParty } from './people.ts'

/**
 * Creates the commands of an account that list and answer requests to join groups. `complete` fills in a known phone or
 * LID, because a request names people by one of them.
 */
export function createJoinRequestCommands(
  socketNow: () => WASocket,
  complete: (party: Party) => Party,
): Pick<GroupCommands, 'listJoinRequests' | 'answerJoinRequests'> {
  /** The open requests, oldest first, each with the jid under which it is answered. */
  async function read(socket: WASocket, groupId: string) {
    const asked = await socket.groupRequestParticipantsList(groupId)
    return asked
      .map(({ jid = '', ...names }) => ({
        jid,
        party: complete(toParty([jid, names['phone_number'], names['lid']])),
        requestedAt: (Number(names['request_time']) || 0) * 1000,
      }))
      .toSorted((one, other) => one.requestedAt - other.requestedAt)
  }

  return {
    listJoinRequests: ({ groupId }) =>
      withRejections(async () => {
        const asked = await read(socketNow(), groupId)
        return asked.map(({ party, requestedAt }) => ({ ...party, requestedAt }))
      }),
    answerJoinRequests: ({ groupId, action, requests }) =>
      withRejections(async () => {
        const socket = socketNow()
        const asked = await read(socket, groupId)
        const wanted = asked.filter((one) =>
          requests.some((request) => isSameParty(request, one.party)),
        )
        if (wanted.length === 0) return []
        const jids = wanted.map(({ jid }) => jid)
        const answers = await socket.groupRequestParticipantsUpdate(groupId, jids, action)
        const done = new Set(answers.flatMap(({ jid, status }) => (status === '200' ? [jid] : [])))
        return wanted.flatMap(({ jid, party }) => (done.has(jid) ? [party] : []))
      }),
  }
}
