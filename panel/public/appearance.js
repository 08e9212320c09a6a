// Before the first paint, so that nothing flashes: the theme and the density that were chosen here.
for (const name of ['theme', 'density']) {
  const kept = localStorage.getItem(`recado.${name}`)
  if (kept) document.documentElement.dataset[name] = kept
}
