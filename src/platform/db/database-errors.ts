/** PostgreSQL chose a transaction as the victim: nothing of it happened, so it may be done again. */
const DEADLOCK = new Set(['40P01', '40001'])
const AWAY = new Set([
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  ...DEADLOCK,
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  '25006',
  // A statement that took too long was ended.
  '57014',
])

/** The code of a database or connection error, or an empty string. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

/** Whether a statement failed for a value that it was given: the same statement with other values may succeed. */
export function isValueFault(error: unknown): boolean {
  return /^2[23]/.test(errorCode(error))
}

/** Whether the error says that the database cannot be used now, and may be again soon. */
export function isDatabaseAway(error: unknown): boolean {
  const code = errorCode(error)
  return AWAY.has(code) || /^(08|53|57P)/.test(code)
}

/** Whether a transaction was ended for the sake of others, and may be done again at once. */
export function isDeadlock(error: unknown): boolean {
  return DEADLOCK.has(errorCode(error))
}

/** Whether a statement gave up waiting for a lock that others hold. */
export function isLockTimeout(error: unknown): boolean {
  return errorCode(error) === '55P03'
}

/** Says what went wrong without the address, which may hold a password. */
export function describeError(error: unknown): string {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message.split('\n')[0] : ''
  return code && !message?.includes('@') ? `${code}: ${message}` : code || 'erro desconhecido'
}
