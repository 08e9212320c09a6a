import type { Phrases } from './phrases.ts'
import { ptBr } from './pt-br.ts'

/** How much longer a language may be than ours. */
const LONGER = 0.4

const FILL = 'palavra '

/** The text with words behind it, as another language would have more of them. */
function stretch(text: string): string {
  const more = Math.ceil(text.length * LONGER)
  return `⟦${text} ${FILL.repeat(Math.ceil(more / FILL.length)).slice(0, more)}⟧`
}

/** A language that nobody speaks: what is not in brackets is no phrase, and what is long shows what has no room. */
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
