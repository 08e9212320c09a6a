import type { QueryClient } from '@tanstack/react-query'
import { ApiError, callPanel } from '../data/api.ts'
import type { Appearance, Me } from '../data/api-types.ts'
import { chooseLanguage, language, type Language } from '../phrases/phrases.ts'

/** Color themes; `public/early.js` applies the stored one before the first paint. */
export const THEMES = ['sistema', 'claro', 'escuro'] as const
/** Row densities, stored and applied like the themes. */
export const DENSITIES = ['confortavel', 'compacta'] as const

const STORAGE_KEYS = { theme: 'recado.theme', density: 'recado.density' } as const

function read<Value extends string>(key: string, values: readonly [Value, ...Value[]]): Value {
  const kept = localStorage.getItem(key)
  return values.find((value) => value === kept) ?? values[0]
}
const readTheme = () => read(STORAGE_KEYS.theme, THEMES)
const readDensity = () => read(STORAGE_KEYS.density, DENSITIES)

function keep(name: keyof typeof STORAGE_KEYS, value: string): void {
  localStorage.setItem(STORAGE_KEYS[name], value)
  document.documentElement.dataset[name] = value
}

/** The appearance currently used in this browser. */
export const readAppearance = (): Appearance => ({
  theme: readTheme(),
  density: readDensity(),
  language,
})

/** Applies an appearance in this browser; a change of language reloads the page. */
export function applyAppearance(liked: Appearance): void {
  if (liked.theme !== readTheme()) keep('theme', liked.theme)
  if (liked.density !== readDensity()) keep('density', liked.density)
  if (liked.language !== language) chooseLanguage(liked.language)
}

/**
 * Changes the user's appearance here and stores it for their other devices. Throws ApiError if storing fails; the
 * change still applies here.
 */
export async function saveAppearance(
  client: QueryClient,
  change: Partial<Appearance>,
): Promise<void> {
  const liked = { ...readAppearance(), ...change }
  // A change of language reloads the page, so it is applied only after the request.
  applyAppearance({ ...liked, language })
  try {
    await callPanel('PUT /panel/api/me/appearance', { body: liked })
    client.setQueryData<Me>(['me'], (me) => me && { ...me, appearance: liked })
  } finally {
    applyAppearance(liked)
  }
}

/** Changes the language here, even if storing the change on the server fails. */
export function setLanguage(client: QueryClient, next: Language): void {
  saveIgnoringErrors(client, { language: next })
}

/** Changes the theme here, even if storing the change on the server fails. */
export function setTheme(client: QueryClient, theme: Appearance['theme']): void {
  saveIgnoringErrors(client, { theme })
}

function saveIgnoringErrors(client: QueryClient, change: Partial<Appearance>): void {
  saveAppearance(client, change).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}
