import { fail } from './phrases/fail.ts'

/** Normalizes and validates an email address. Throws 400 if it is invalid. */
export function readEmail(typed: string): string {
  const email = normalEmail(typed)
  if (
    email.length > 254 ||
    !/^[^\s@<>()[\]\\",;:]+@[^\s@<>()[\]\\",;:]+\.[^\s@<>()[\]\\",;:.]+$/.test(email)
  ) {
    throw fail('bad_request', (say) => say.accounts.email, { field: 'email' })
  }
  return email
}

/** Normalizes what colleagues call a person; returns null if nothing is left. */
export function readPersonName(typed: string): string | null {
  const name = typed
    .normalize('NFC')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  return name === '' ? null : name
}

/** Normalizes an email address, so that comparisons ignore case and surrounding spaces. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase()
}
