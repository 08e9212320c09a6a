import { formatNumber } from './number.ts'
import { ptBr } from './pt-br.ts'

/** Every text that the panel shows; a language that lacks one does not compile. */
export type Phrases = {
  [Group in keyof typeof ptBr]: {
    [Key in keyof (typeof ptBr)[Group]]: (typeof ptBr)[Group][Key] extends (
      ...values: infer Values
    ) => string
      ? (...values: Values) => string
      : string
  }
}
/** The languages of the panel. */
export type Language = 'pt-BR' | 'en' | 'es'
/** Each language with its name in itself. */
export const LANGUAGE_NAMES: readonly (readonly [Language, string])[] = [
  ['pt-BR', 'Português'],
  ['en', 'English'],
  ['es', 'Español'],
]

const STORAGE_KEY = 'recado.language'

/** The texts in the current language. */
export let t: Phrases = ptBr
/** The current language; it changes only with a reload of the page. */
export let language: Language = 'pt-BR'

/** A number in the notation of the current language. */
export const formatted = (value: number): string => formatNumber(value, language)

/** Loads the chosen language, or the browser's, before anything is shown. */
export async function loadLanguage(): Promise<void> {
  const chosen = localStorage.getItem(STORAGE_KEY) ?? navigator.language
  if (chosen === 'pseudo') t = (await import('./pseudo.ts')).pseudo
  if (chosen.startsWith('pt') || chosen === 'pseudo') return
  const next = chosen.startsWith('es') ? 'es' : 'en'
  try {
    t = next === 'es' ? (await import('./es.ts')).es : (await import('./en.ts')).en
  } catch {
    // The file did not arrive: the panel in Portuguese is better than none, until the next page.
    return
  }
  language = next
  document.documentElement.lang = next
}

/** Stores the language and reloads the page in it. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(STORAGE_KEY, next)
  location.reload()
}

/** A word or sentence with a capital letter at its beginning. */
export const capitalize = (words: string): string =>
  words.charAt(0).toLocaleUpperCase(language) + words.slice(1)
