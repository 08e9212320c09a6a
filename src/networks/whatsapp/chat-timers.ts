import type { proto, WAMessage } from 'baileys'
import type { Baileys } from './baileys.ts'

const LONGEST_SECONDS = 366 * 86_400

/**
 * Returns after how many seconds messages of the chat disappear, if this message tells: clients say it in every message
 * while it is on, and in a message of its own when someone changes it. Null if it does not tell.
 */
export function timerIn(baileys: Baileys, { message }: WAMessage): number | null {
  const content = baileys.normalizeMessageContent(message)
  if (!content) return null
  const { protocolMessage } = content
  if (protocolMessage?.type === baileys.proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING)
    return limited(protocolMessage.ephemeralExpiration ?? 0)
  for (const part of Object.values(content) as ({ contextInfo?: proto.IContextInfo } | null)[]) {
    const expiration = part && typeof part === 'object' ? part.contextInfo?.expiration : null
    if (expiration) return limited(expiration)
  }
  return null
}

const limited = (seconds: number) => Math.min(Math.max(0, Math.trunc(seconds)), LONGEST_SECONDS)
