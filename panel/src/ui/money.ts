import { language } from '../phrases/phrases.ts'

/** Formats an amount in hundredths of a currency in the user's language. */
export const money = (amount: number, currency: string): string =>
  (amount / 100).toLocaleString(language, { style: 'currency', currency })
