import { ptBr } from './pt-br.ts'

/** The sentences, grouped by room. Another language would be another object of this type. */
export type Phrases = typeof ptBr

/** The sentences this server speaks, in Portuguese (G16). */
export const say: Phrases = ptBr
