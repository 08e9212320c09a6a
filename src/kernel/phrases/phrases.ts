import { en } from './en.ts'
import { es } from './es.ts'
import { ptBr } from './pt-br.ts'
import type { Phrases } from './spoken.ts'

/** The languages of the server's sentences. The first is the default. */
export const LANGUAGES = ['pt-BR', 'en', 'es'] as const
/** One of `LANGUAGES`. */
export type Language = (typeof LANGUAGES)[number]

/** The default sentences, in Portuguese (G16). */
export const say = ptBr

const BY_LANGUAGE: Record<Language, Phrases> = {
  'pt-BR': ptBr,
  en: { ...ptBr, ...en },
  es: { ...ptBr, ...es },
}

/** The sentences in a language. */
export const phrasesIn = (language: Language): Phrases => BY_LANGUAGE[language]

/**
 * The supported language that an `Accept-Language` header prefers, or Portuguese. The header's order decides, with
 * weights; a supported language behind an unsupported one counts.
 */
export function preferredLanguage(header: string | undefined): Language {
  if (!header) return LANGUAGES[0]
  const ranges = header
    .slice(0, MAX_HEADER_CHARACTERS)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.trim().toLowerCase().split(';')
      const weight = /^\s*q=(.+)$/.exec(parameters[0] ?? '')?.[1]
      return { tag: tag.split('-')[0] ?? '', weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
  for (const { tag } of ranges) {
    const found = LANGUAGES.find((language) => language.toLowerCase().split('-')[0] === tag)
    if (found) return found
  }
  return LANGUAGES[0]
}
/** A longer header is truncated: no browser sends that many preferences. */
const MAX_HEADER_CHARACTERS = 200
