/** How this browser shows the panel. `public/aparencia.js` sets it before the first paint. */
export const THEMES = ['sistema', 'claro', 'escuro'] as const
export const DENSITIES = ['confortavel', 'compacta'] as const
export type Theme = (typeof THEMES)[number]
export type Density = (typeof DENSITIES)[number]

const KEPT = { tema: 'recado.tema', densidade: 'recado.densidade' } as const

function read<Value extends string>(key: string, values: readonly [Value, ...Value[]]): Value {
  const kept = localStorage.getItem(key)
  return values.find((value) => value === kept) ?? values[0]
}
export const readTheme = (): Theme => read(KEPT.tema, THEMES)
export const readDensity = (): Density => read(KEPT.densidade, DENSITIES)

function keep(name: keyof typeof KEPT, value: string): void {
  localStorage.setItem(KEPT[name], value)
  document.documentElement.dataset[name] = value
}
export const chooseTheme = (theme: Theme) => keep('tema', theme)
export const chooseDensity = (density: Density) => keep('densidade', density)
