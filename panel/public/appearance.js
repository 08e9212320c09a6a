// Before the first paint, so that nothing flashes: the theme and the density that were chosen here, and whether the
// panel's own letters are here already.
for (const name of ['theme', 'density', 'fonts']) {
  const kept = localStorage.getItem(`recado.${name}`)
  if (kept) document.documentElement.dataset[name] = kept
}
