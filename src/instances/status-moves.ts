import type { Restriction, SessionStatus } from '../networks/network.port.ts'
import type { StatusMove } from './instances.sql.ts'

/** A restriction as it is stored. */
export function toStored({ type, until }: Restriction): { type: string; until: string | null } {
  return { type, until: until === null ? null : new Date(until).toISOString() }
}

/** Whether a session has come to an end and waits for nothing. */
export function isOver(change: SessionStatus): boolean {
  const { status } = change
  if (status === 'DISCONNECTED') return !change.willReconnect
  return ['CODES_EXPIRED', 'LOGGED_OUT', 'BANNED', 'PASSKEY_REQUIRED'].includes(status)
}

/** The move of an instance whose session says that. */
export function toMove(change: Exclude<SessionStatus, { status: 'CODES_EXPIRED' }>): StatusMove {
  switch (change.status) {
    case 'PAIRED': {
      const { phone, lid, profileName, business } = change
      const from = ['CONNECTING' as const, 'QR' as const, 'PAIRED' as const]
      return { to: 'PAIRED', from, paired: { phone, lid, profileName, business } }
    }
    case 'CONNECTED':
      return { to: 'CONNECTED', from: ['CONNECTING', 'PAIRED', 'DISCONNECTED', 'QR'] }
    case 'DISCONNECTED': {
      const { reason, willReconnect } = change
      // Whoever gives up says so even if it was away before.
      const from: StatusMove['from'] = willReconnect
        ? ['CONNECTING', 'CONNECTED']
        : ['CONNECTING', 'PAIRED', 'CONNECTED', 'DISCONNECTED']
      return { to: 'DISCONNECTED', from, reason, willReconnect }
    }
    case 'LOGGED_OUT':
      return { to: 'LOGGED_OUT', reason: change.reason }
    case 'BANNED': {
      const restriction = toStored({ type: 'ban', until: change.restrictedUntil })
      return { to: 'BANNED', reason: change.reason, restriction }
    }
    case 'PASSKEY_REQUIRED': {
      const from = ['CONNECTING' as const, 'QR' as const, 'PAIRED' as const]
      return { to: 'PASSKEY_REQUIRED', from, reason: 'passkey_required' }
    }
  }
}
