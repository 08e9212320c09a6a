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
export type Language = 'pt-BR' | 'en'

const KEPT = 'recado.idioma'

export let t: Phrases = ptBr
export let language: Language = 'pt-BR'

/** Loads the language that was chosen, or the browser's; before anything is shown. */
export async function loadLanguage(): Promise<void> {
  const chosen = localStorage.getItem(KEPT) ?? navigator.language
  if (chosen === 'pseudo') t = (await import('./pseudo.ts')).pseudo
  if (chosen.startsWith('pt') || chosen === 'pseudo') return
  const { en } = await import('./en.ts')
  t = en
  language = 'en'
  document.documentElement.lang = 'en'
}

export function chooseLanguage(next: Language): void {
  localStorage.setItem(KEPT, next)
  location.reload()
}
