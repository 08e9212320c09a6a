import type { ptBr } from './pt-br.ts'

/** A group of sentences with the same keys and parameters in another language. */
type Spoken<Sentences> = Sentences extends string
  ? string
  : Sentences extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Key in keyof Sentences]: Spoken<Sentences[Key]> }

/** Groups that are not translated: the operator's terminal and the API reference. */
type Untranslated = 'start' | 'ops' | 'docs'
/** The sentences of another language. One that lacks a sentence does not compile. */
export type TranslatedPhrases = Spoken<Omit<typeof ptBr, Untranslated>>
/** The sentences, grouped by module. */
export type Phrases = TranslatedPhrases & Pick<typeof ptBr, Untranslated>
