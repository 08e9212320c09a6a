import { foldText } from './text.ts'

/** Names of the column of a list that holds the phone number, without accents and in lower case. */
const PHONE_COLUMNS = new Set([
  'to',
  'telefone',
  'phone',
  'celular',
  'numero',
  'whatsapp',
  'fone',
  'telefono',
])

/** The index of the column with the phone number, by its exact name or a word of it; the first column if no column matches. */
export function phoneColumnOf(names: readonly string[]): number {
  const plain = names.map(foldText)
  const exact = plain.findIndex((name) => PHONE_COLUMNS.has(name))
  const close = plain.findIndex((name) => name.split(' ').some((word) => PHONE_COLUMNS.has(word)))
  return Math.max(0, exact >= 0 ? exact : close)
}
