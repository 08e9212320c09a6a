/** PostgreSQL aborted the transaction (deadlock or serialization failure); it had no effect and can be retried. */
const DEADLOCK = new Set(['40P01', '40001'])
const UNAVAILABLE = new Set([
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
  // query_canceled: the statement exceeded its timeout.
  '57014',
])

/** The code of a database or connection error; an empty string if it has none. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

/** Whether a statement failed because of a constraint, such as a foreign key. */
export const isConstraintViolation = (error: unknown): boolean => errorCode(error).startsWith('23')

/**
 * Whether a statement failed because another row, perhaps of a concurrent transaction, has a value that must be unique.
 */
export const isUniqueViolation = (error: unknown): boolean => errorCode(error) === '23505'

/**
 * Whether a statement failed because of its values, such as one that is too long for an index: the same statement may
 * succeed with other values.
 */
export function isDataError(error: unknown): boolean {
  // 21: two rows for one conflict target, or several where one may be.
  return /^(2[123]|54)/.test(errorCode(error))
}

/** Whether the error means that the database is temporarily unavailable. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = errorCode(error)
  return UNAVAILABLE.has(code) || /^(08|53|57P)/.test(code)
}

/** Whether PostgreSQL rejected a statement for a reason other than its values, such as a column that does not exist. */
export const isStatementError = (error: unknown): boolean =>
  /^(?:\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/.test(errorCode(error)) && !isDataError(error)

/**
 * Whether a batch may have failed because of one of its items: true for any error except an unavailable database or a
 * statement that is itself invalid. An item of one tenant must never fail those of others.
 */
export const isItemError = (error: unknown): boolean =>
  !isDatabaseUnavailable(error) && !isStatementError(error)

/** Whether PostgreSQL aborted the transaction because of a conflict, so that it can be retried immediately. */
export function isTransactionConflict(error: unknown): boolean {
  return DEADLOCK.has(errorCode(error))
}

/** Whether a statement names a table that does not exist, such as a partition that was dropped in the meantime. */
export const isMissingTable = (error: unknown): boolean => errorCode(error) === '42P01'

/** Whether a statement timed out waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return errorCode(error) === '55P03'
}

/** Describes an error without the connection URL, which may contain a password. */
export function describeError(error: unknown): string {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message.split('\n')[0] : ''
  return code && !message?.includes('@') ? `${code}: ${message}` : code || 'erro desconhecido'
}
