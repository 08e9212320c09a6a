const WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]

function checkDigit(body: string): number {
  const weights = WEIGHTS.slice(WEIGHTS.length - body.length)
  let sum = 0
  for (let index = 0; index < body.length; index++) {
    sum += (body.charCodeAt(index) - 48) * (weights[index] ?? 0)
  }
  const rest = sum % 11
  return rest < 2 ? 0 : 11 - rest
}

/**
 * Normalizes a CNPJ to its 14 characters, in upper case without punctuation. Returns null when the format or the check
 * digits are wrong. Accepts the alphanumeric form introduced in July 2026: twelve letters or digits and two check
 * digits.
 */
export function parseCnpj(text: string): string | null {
  const value = text.replace(/[.\-/\s]/g, '').toUpperCase()
  if (!/^[0-9A-Z]{12}[0-9]{2}$/.test(value) || /^(.)\1{13}$/.test(value)) return null
  const first = checkDigit(value.slice(0, 12))
  const second = checkDigit(value.slice(0, 12) + first)
  return value.endsWith(`${first}${second}`) ? value : null
}
