import type { BaileysEventMap, WASocket } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import { directChatId } from '../../model/recipient.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { ReportedNetworkEvent } from '../network-events.port.ts'
import { NetworkRejection, type NetworkCommands } from '../network.port.ts'
import { isBusiness, type AuthState } from './auth-state.ts'
import { toParty } from './people.ts'
import type { WriteBarrier } from './write-barrier.ts'

/** The twenty label colors of WhatsApp Business, in its order. */
const COLORS = [
  '#ff9485',
  '#64c4ff',
  '#ffd429',
  '#dfaef0',
  '#99b6c1',
  '#55ccb3',
  '#ff9dff',
  '#d3a91d',
  '#6d7cce',
  '#d7e752',
  '#00d0e2',
  '#ffc5c7',
  '#93ceac',
  '#f74848',
  '#00a0f2',
  '#83e422',
  '#ffaf04',
  '#b5ebff',
  '#9ba6ff',
  '#9368cf',
] as const
/** Label ids are seconds since this date: unique, and small enough for the phone's own id field. */
const FIRST_ID_AT = Date.UTC(2020, 0, 1)

type LabelCommands = Pick<NetworkCommands, 'saveLabel' | 'deleteLabel' | 'associateLabel'>

/** Creates the label commands of an account. Accounts without WhatsApp Business get NetworkRejection `not_business`. */
export function createLabelCommands(
  clock: Clock,
  getConnection: () => { socket: WASocket; state: AuthState; barrier: WriteBarrier },
): LabelCommands {
  let lastId = 0

  async function change(work: (socket: WASocket) => Promise<void>): Promise<void> {
    const { socket, state, barrier } = getConnection()
    if (!isBusiness(state.creds)) throw new NetworkRejection('not_business')
    await work(socket)
    // The engine emits no event for its own changes.
    barrier.eventQueued('list')
  }

  function newId(): string {
    lastId = Math.max(lastId + 1, Math.floor((clock.now() - FIRST_ID_AT) / 1000))
    return String(lastId)
  }

  return {
    async saveLabel({ networkId, name, color }) {
      const id = networkId ?? newId()
      const index = nearestColor(color)
      // The chat is irrelevant, because labels belong to the account.
      await change((socket) => socket.addLabel('', { id, name, color: index }))
      return { networkId: id, color: colorOf(index) }
    },
    async deleteLabel({ networkId }) {
      await change((socket) => socket.addLabel('', { id: networkId, deleted: true }))
      return null
    },
    async associateLabel({ networkId, chatId, on }) {
      const { lid } = chatId.endsWith('@g.us')
        ? { lid: null }
        : getConnection().state.complete(toParty([chatId]))
      // Phones that have migrated to LIDs know a direct chat by its LID, and others by its number.
      for (const jid of new Set([chatId, lid ?? chatId]))
        await change((socket) =>
          on ? socket.addChatLabel(jid, networkId) : socket.removeChatLabel(jid, networkId),
        )
      return null
    },
  }
}

/** Converts a label event; null if it has no name, as when only the label's position changes. */
export function readLabel(
  label: BaileysEventMap['labels.edit'],
  at: number,
): ReportedNetworkEvent | null {
  const { id: networkId, name, color } = label
  // The phone omits fields that were never set.
  const deleted = Boolean(label.deleted as boolean | null | undefined)
  if (!deleted && !name) return null
  return {
    kind: 'label',
    networkId,
    name: name || '?',
    color: colorOf(color),
    deleted,
    at,
    id: null,
  }
}

/** Converts an event that adds a label to a chat or removes it; null for labels on single messages. */
export function readAssociation(
  { type, association }: BaileysEventMap['labels.association'],
  at: number,
  complete: (party: Party) => Party,
): ReportedNetworkEvent | null {
  if ((association.type as string) !== 'label_jid') return null
  const { chatId: jid, labelId: networkId } = association
  const chatId = jid.endsWith('@g.us') ? jid : directChatId(complete(toParty([jid])))
  return { kind: 'label_association', networkId, chatId, on: type === 'add', at, id: null }
}

function colorOf(index: number | null | undefined): string {
  return COLORS[(index ?? 0) % COLORS.length] ?? COLORS[0]
}

function nearestColor(color: string): number {
  const parts = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  const wanted = parts(color)
  const distances = COLORS.map((one) =>
    parts(one).reduce((sum, part, index) => sum + (part - (wanted[index] ?? 0)) ** 2, 0),
  )
  return distances.indexOf(Math.min(...distances))
}
