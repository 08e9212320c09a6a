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
 * The language that an `Accept-Language` header names first, by weight and then by order, if it is supported; otherwise
 * Portuguese.
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
  const [preferred] = ranges
  const isPreferred = (language: string) => language.toLowerCase().split('-')[0] === preferred?.tag
  return LANGUAGES.find(isPreferred) ?? LANGUAGES[0]
}
/** A longer header is truncated: no browser sends that many preferences. */
const MAX_HEADER_CHARACTERS = 200
