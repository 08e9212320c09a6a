import type { Restriction, SessionStatus } from '../networks/network-events.port.ts'
import type { StatusTransition } from './status-changes.ts'

/** Converts a restriction to its stored form, with `until` as an ISO timestamp. */
export function toStored({ type, until }: Restriction): { type: string; until: string | null } {
  return { type, until: until === null ? null : new Date(until).toISOString() }
}

/** Returns whether the change ends the session for good, so that it does not reconnect. */
export function isFinal(change: SessionStatus): boolean {
  const { status } = change
  if (status === 'DISCONNECTED') return !change.willReconnect
  return ['CODES_EXPIRED', 'LOGGED_OUT', 'BANNED', 'PASSKEY_REQUIRED'].includes(status)
}

/** Converts a status reported by a session to the status change of its instance. */
export function toTransition(
  change: Exclude<SessionStatus, { status: 'CODES_EXPIRED' }>,
): StatusTransition {
  switch (change.status) {
    case 'PAIRED': {
      const { phone, lid, profileName, business } = change
      const from = ['CONNECTING' as const, 'QR' as const, 'PAIRED' as const]
      return { to: 'PAIRED', from, paired: { phone, lid, profileName, business } }
    }
    case 'CONNECTED': {
      const from: StatusTransition['from'] = ['CONNECTING', 'PAIRED', 'DISCONNECTED', 'QR']
      return { to: 'CONNECTED', from, paired: change.identity ?? null }
    }
    case 'DISCONNECTED': {
      const { reason, willReconnect } = change
      // Record why a session ended even if the instance was already disconnected.
      const from: StatusTransition['from'] =
        willReconnect && reason === 'network'
          ? ['CONNECTING', 'CONNECTED']
          : [
              'CONNECTING',
              'PAIRED',
              'CONNECTED',
              'DISCONNECTED',
              // A session that ended for good offers no more codes.
              ...(willReconnect ? [] : (['QR'] as const)),
            ]
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
