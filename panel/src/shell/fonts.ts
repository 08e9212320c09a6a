const STORAGE_KEY = 'recado.fonts'
const FAMILIES = ['Instrument Sans Variable', 'Geist Mono Variable']
/** Delay in milliseconds that lets a new page on a slow connection show its content first. */
const FONT_LOAD_DELAY_MS = 2500

/**
 * Loads the web fonts once, without delaying the first page, which is shown in system fonts. Later pages use the web
 * fonts from the start: `public/appearance.js` enables them before the first paint.
 */
export function loadFonts(): void {
  if (document.documentElement.dataset['fonts']) return
  window.setTimeout(() => {
    const all = FAMILIES.map((family) => document.fonts.load(`14px '${family}'`))
    Promise.all(all).then(
      () => {
        localStorage.setItem(STORAGE_KEY, 'aqui')
        document.documentElement.dataset['fonts'] = 'aqui'
      },
      // The next page load retries.
      () => {},
    )
  }, FONT_LOAD_DELAY_MS)
}
