import type { WAMessage } from 'baileys'
import { DISAPPEARING_SECONDS } from '../../model/group-settings.schemas.ts'
import type { Baileys } from './baileys.ts'
import { contextOf } from './decode.ts'

const OFFERED = new Set<number>(DISAPPEARING_SECONDS)

/**
 * Returns the chat's timer in seconds that a message carries or sets, or null: clients repeat it in every message while
 * it is on, and send a message of its own when someone changes it.
 */
export function timerIn(baileys: Baileys, { message }: WAMessage): number | null {
  const content = baileys.normalizeMessageContent(message)
  if (!content) return null
  const { protocolMessage } = content
  if (protocolMessage?.type === baileys.proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING)
    return offered(protocolMessage.ephemeralExpiration ?? 0)
  const expiration = contextOf(content)?.expiration
  return expiration ? offered(expiration) : null
}

/**
 * Ignores durations that phones do not offer: a contact's client could otherwise make our messages disappear after a
 * second.
 */
const offered = (seconds: number): number | null => (OFFERED.has(seconds) ? seconds : null)
