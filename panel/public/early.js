// Before the first paint, so that nothing flashes: the theme and the density that were chosen here.
for (const name of ['theme', 'density']) {
  const kept = localStorage.getItem(`recado.${name}`)
  if (kept) document.documentElement.dataset[name] = kept
}
// On pages of the panel behind the sign-in, the frame is shown while the scripts load, and the user is read meanwhile.
const isPanel = 'panel' in document.currentScript.dataset
if (isPanel && /^\/(teste|producao)\//.test(location.pathname)) {
  document.documentElement.dataset.within = 'true'
  globalThis.earlyMe = fetch('/panel/api/me', {
    credentials: 'same-origin',
    headers: { 'x-recado-panel': '1' },
  })
  // A failure is reported when the panel uses it.
  globalThis.earlyMe.catch(() => {})
}
