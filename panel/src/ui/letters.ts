const KEPT = 'recado.letras'
const FAMILIES = ['Instrument Sans Variable', 'Geist Mono Variable']
/** When a page that has just been opened on a slow line has shown what it is about. */
const AFTER_MS = 2500

/**
 * Fetches the panel's own letters, once: the first page on a slow line is read in those of the machine, and does not wait
 * for them. Later pages have them from the beginning; `public/aparencia.js` says so before the first paint.
 */
export function fetchLetters(): void {
  if (document.documentElement.dataset['letras']) return
  window.setTimeout(() => {
    const all = FAMILIES.map((family) => document.fonts.load(`14px '${family}'`))
    Promise.all(all).then(
      () => {
        localStorage.setItem(KEPT, 'aqui')
        document.documentElement.dataset['letras'] = 'aqui'
      },
      // The next page tries again.
      () => {},
    )
  }, AFTER_MS)
}
