import type { QueryClient } from '@tanstack/react-query'
import { ApiError, ask } from '../api.ts'
import type { Appearance, Me } from '../api-types.ts'
import { chooseLanguage, language } from '../phrases/phrases.ts'

/** How this browser shows the panel. `public/aparencia.js` sets it before the first paint. */
export const THEMES = ['sistema', 'claro', 'escuro'] as const
export const DENSITIES = ['confortavel', 'compacta'] as const

const KEPT = { tema: 'recado.tema', densidade: 'recado.densidade' } as const

function read<Value extends string>(key: string, values: readonly [Value, ...Value[]]): Value {
  const kept = localStorage.getItem(key)
  return values.find((value) => value === kept) ?? values[0]
}
const readTheme = () => read(KEPT.tema, THEMES)
const readDensity = () => read(KEPT.densidade, DENSITIES)

function keep(name: keyof typeof KEPT, value: string): void {
  localStorage.setItem(KEPT[name], value)
  document.documentElement.dataset[name] = value
}

/** How this browser shows the panel now. */
export const readAppearance = (): Appearance => ({
  theme: readTheme(),
  density: readDensity(),
  language,
})

/** Shows the panel as somebody likes it; another language loads the page anew. */
export function applyAppearance(liked: Appearance): void {
  if (liked.theme !== readTheme()) keep('tema', liked.theme)
  if (liked.density !== readDensity()) keep('densidade', liked.density)
  if (liked.language !== language) chooseLanguage(liked.language)
}

/** Changes how the person likes the panel: here, and wherever he signs in. Throws ApiError; here it is changed all the same. */
export async function keepAppearance(
  client: QueryClient,
  change: Partial<Appearance>,
): Promise<void> {
  const liked = { ...readAppearance(), ...change }
  // Another language loads the page anew, and waits until it is kept.
  applyAppearance({ ...liked, language })
  try {
    await ask('PUT /panel/api/me/appearance', { body: liked })
    client.setQueryData<Me>(['me'], (me) => me && { ...me, appearance: liked })
  } finally {
    applyAppearance(liked)
  }
}

/** Changes to the other language. What could not be kept on the server is shown here all the same. */
export function toggleLanguage(client: QueryClient): void {
  likeHere(client, { language: language === 'en' ? 'pt-BR' : 'en' })
}

/** Changes to the light or the dark theme, as above. */
export function chooseDark(client: QueryClient, dark: boolean): void {
  likeHere(client, { theme: dark ? 'escuro' : 'claro' })
}

function likeHere(client: QueryClient, change: Partial<Appearance>): void {
  keepAppearance(client, change).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}
