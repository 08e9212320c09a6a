import type { BinaryNode } from 'baileys'
import type { Party } from '../../model/records.schemas.ts'
import type { ReportedNetworkEvent } from '../network-events.port.ts'
import { isSameParty } from './groups.ts'
import { toParty } from './people.ts'

/**
 * Reads a change of a person's identity key from an encryption notification. Returns null for any other, such as a request
 * for more pre-keys, and for a change of the account's own key.
 */
export function readIdentityChange(
  { attrs, content }: BinaryNode,
  context: { self: Party; complete: (party: Party) => Party; now: number },
): ReportedNetworkEvent | null {
  const { from = '', id = '', t } = attrs
  if (!Array.isArray(content) || !content.some(({ tag }) => tag === 'identity')) return null
  const party = context.complete(toParty([from]))
  if ((!party.phone && !party.lid) || isSameParty(party, context.self)) return null
  return { kind: 'identity', party, at: Number(t ?? 0) * 1000 || context.now, id: `identity ${id}` }
}
