import { language } from '../phrases/phrases.ts'

/** An amount in hundredths of a currency, as people write it. */
export const money = (amount: number, currency: string): string =>
  (amount / 100).toLocaleString(language, { style: 'currency', currency })
