import type { BaileysEventMap, proto } from 'baileys'
import { directChatId } from '../../model/recipient.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { ReportedNetworkEvent } from '../network-events.port.ts'
import type { Baileys } from './baileys.ts'
import { peerOf } from './people.ts'

/** How long clients pin a message when no duration is given: a week. */
const DEFAULT_PIN_S = 604_800

/** Reads a star set or removed by one of the account's devices; null for any other update. */
export function readStar(
  { key, update }: BaileysEventMap['messages.update'][number],
  complete: (party: Party) => Party,
  at: number,
): ReportedNetworkEvent | null {
  // The engine adds a field that its type of stored messages lacks.
  const { starred } = update as { starred?: boolean | null }
  const { id: waMessageId, remoteJid } = key
  if (typeof starred !== 'boolean' || !waMessageId || !remoteJid) return null
  const chatId = remoteJid.endsWith('@g.us') ? remoteJid : directChatId(complete(peerOf(key)))
  return { kind: 'starred', chatId, waMessageId, starred, at, id: null }
}

/** Reads a pin, unpin, keep or unkeep of a message; null for anything else. */
export function readMark(
  baileys: Baileys,
  message: proto.IMessage | null | undefined,
  opened: proto.IMessage | null | undefined,
  at: number,
) {
  const { pinInChatMessage: pin, keepInChatMessage: keep } = opened ?? {}
  if (pin?.key?.id) {
    const { PIN_FOR_ALL } = baileys.proto.Message.PinInChatMessage.Type
    const seconds = message?.messageContextInfo?.messageAddOnDurationInSecs ?? DEFAULT_PIN_S
    const until = pin.type === PIN_FOR_ALL ? at + seconds * 1000 : null
    return { kind: 'pinned' as const, waMessageId: pin.key.id, until }
  }
  if (!keep?.key?.id) return null
  const kept = keep.keepType === baileys.proto.KeepType.KEEP_FOR_ALL
  return { kind: 'kept' as const, waMessageId: keep.key.id, kept }
}
