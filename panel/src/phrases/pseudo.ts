import type { Phrases } from './phrases.ts'
import { ptBr } from './pt-br.ts'

/** How much longer than Portuguese a translation may be, as a share of its length. */
const EXTRA_LENGTH = 0.4

const FILLER = 'palavra '

/** Puts the text in brackets, with filler words that make it as long as a long translation. */
function stretch(text: string): string {
  const extra = Math.ceil(text.length * EXTRA_LENGTH)
  return `⟦${text} ${FILLER.repeat(Math.ceil(extra / FILLER.length)).slice(0, extra)}⟧`
}

/**
 * A pseudo-language for tests: text without brackets is missing from the phrases, and lengthened text shows where a
 * layout has no room for translations.
 */
export const pseudo = Object.fromEntries(
  Object.entries(ptBr).map(([group, phrases]) => [
    group,
    Object.fromEntries(
      Object.entries(phrases as Record<string, string | ((...values: never[]) => string)>).map(
        ([key, phrase]) => [
          key,
          typeof phrase === 'string'
            ? stretch(phrase)
            : (...values: never[]) => stretch(phrase(...values)),
        ],
      ),
    ),
  ]),
) as Phrases
