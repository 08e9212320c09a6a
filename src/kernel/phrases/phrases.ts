import { ptBr } from './pt-br.ts'

/** The sentences, grouped by room. Another language would be another object of this type. */
export type Phrases = typeof ptBr

/** The sentences this server speaks: Portuguese, as the specification asks (§7). */
export const say: Phrases = ptBr
