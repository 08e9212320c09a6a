import type { Receipt } from '../network-events.port.ts'
import { GraphError } from './graph.ts'

/** What an error of Meta means for the message, or for the account. */
export type FailureMeaning =
  /** The token is no longer valid. */
  | { kind: 'account' }
  /** Meta is busy or limits the rate: the message is sent later. */
  | { kind: 'later'; afterMs: number }
  | { kind: 'failed'; error: NonNullable<Receipt['error']> }

const SOON_MS = 10_000
const RATE_LIMIT_MS = 30_000
const failed = (
  code: NonNullable<Receipt['error']>['code'],
  retryable = false,
): FailureMeaning => ({ kind: 'failed', error: { code, retryable } })

/** Meanings by Meta's error code (developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes). */
const MEANINGS = new Map<number, FailureMeaning>([
  [190, { kind: 'account' }],
  ...[4, 80_007, 130_429].map((code) => [code, { kind: 'later', afterMs: RATE_LIMIT_MS }] as const),
  ...[1, 2, 131_000, 131_016, 131_056, 131_057, 133_004].map(
    (code) => [code, { kind: 'later', afterMs: SOON_MS }] as const,
  ),
  ...[131_026, 131_021, 131_030].map((code) => [code, failed('NUMBER_NOT_ON_NETWORK')] as const),
  [131_047, failed('WINDOW_CLOSED')],
  ...[131_051, 131_052, 131_053].map((code) => [code, failed('MEDIA_UNSUPPORTED')] as const),
  ...[
    0, 3, 10, 368, 130_472, 130_497, 131_031, 131_042, 131_045, 131_048, 131_049, 131_050, 133_010,
  ].map((code) => [code, failed('RESTRICTED', true)] as const),
])
const PERMISSIONS = { from: 200, to: 299 }
const TEMPLATES = { from: 132_000, to: 132_999 }
const within = (code: number, { from, to }: { from: number; to: number }) =>
  code >= from && code <= to

/** Returns what an error code of Meta means. */
export function meaningOfCode(code: number): FailureMeaning {
  const known = MEANINGS.get(code)
  if (known) return known
  if (within(code, PERMISSIONS)) return failed('RESTRICTED', true)
  if (within(code, TEMPLATES)) return failed('TEMPLATE_REJECTED')
  return failed('UNKNOWN')
}

/** Returns what a rejected request means. */
export function meaningOf({ status, code }: GraphError): FailureMeaning {
  if (status === 401) return { kind: 'account' }
  if (status === 429) return { kind: 'later', afterMs: RATE_LIMIT_MS }
  const meaning = meaningOfCode(code)
  const unknown = meaning.kind === 'failed' && meaning.error.code === 'UNKNOWN'
  return status >= 500 && unknown ? { kind: 'later', afterMs: SOON_MS } : meaning
}

/**
 * Whether an account may no longer use its number: the query for the number was rejected because of the token,
 * its permissions, or because the number is not the token's (code 100, subcode 33).
 */
export function isAccessLost(error: unknown): boolean {
  if (!(error instanceof GraphError)) return false
  const { status, code, subcode } = error
  const isPermission = [0, 3, 10, 190].includes(code) || within(code, PERMISSIONS)
  return status === 401 || isPermission || (code === 100 && subcode === 33)
}

/** Whether Meta is only throttling. */
export const isBusy = (error: unknown): boolean =>
  error instanceof GraphError && meaningOf(error).kind === 'later'
