const WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]
const LENGTH = 14

const plainOf = (text: string) => text.toUpperCase().replace(/[^0-9A-Z]/g, '')

/** Validates a CNPJ, including the alphanumeric form (July 2026), by its two modulo-11 check digits. */
export function isTaxId(text: string): boolean {
  const plain = plainOf(text)
  if (!/^[0-9A-Z]{12}\d{2}$/.test(plain) || /^(.)\1*$/.test(plain)) return false
  const digit = (length: number) => {
    const weights = WEIGHTS.slice(WEIGHTS.length - length)
    const sum = weights.reduce((total, weight, n) => total + weight * (plain.charCodeAt(n) - 48), 0)
    return sum % 11 < 2 ? 0 : 11 - (sum % 11)
  }
  return plain.charCodeAt(12) - 48 === digit(12) && plain.charCodeAt(13) - 48 === digit(13)
}

/** Formats a complete or partial CNPJ with its dots, slash and dash. */
export function formatTaxId(text: string): string {
  const plain = plainOf(text).slice(0, LENGTH)
  const parts = [plain.slice(0, 2), plain.slice(2, 5), plain.slice(5, 8)].filter(Boolean)
  const branch = plain.slice(8, 12)
  const digits = plain.slice(12)
  return `${parts.join('.')}${branch && `/${branch}`}${digits && `-${digits}`}`
}

/** Rates a password by its length and character classes. */
export function strengthOf(password: string): 'short' | 'fair' | 'good' {
  if (password.length < 8) return 'short'
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(password)).length
  return password.length >= 16 || (password.length >= 12 && kinds >= 2) ? 'good' : 'fair'
}
