import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { setSessionEndHandler } from '../data/api.ts'
import { PanelQueryClient } from '../data/query-client.ts'
import { loadLanguage } from '../phrases/phrases.ts'
import { createPanelRouter, preloadPage, preloadPagesWhenIdle } from './router.tsx'
import { readMe } from '../data/session.ts'
import '../styles.css'

const WITHIN = /^\/(teste|producao)\//

async function start(): Promise<void> {
  const client = new PanelQueryClient()
  // An address within the shell needs the user, the shell and the page: load them in parallel.
  if (WITHIN.test(location.pathname)) {
    void client.prefetchQuery({ queryKey: ['me'], queryFn: readMe })
    void import('../shell/shell.tsx').catch(() => {})
    preloadPage(location.pathname)
  }
  await loadLanguage()
  const router = createPanelRouter(client)
  setSessionEndHandler((code) => {
    const to = code === 'SESSION_SUPERSEDED' ? '/sessao-encerrada' : '/entrar'
    // Many queries may notice the end at once; later ones must not overwrite the address to return to.
    const { pathname, searchStr } = router.latestLocation
    if (pathname === to) return
    client.clear()
    // Nothing can be saved any more, so nothing is asked.
    void router.navigate({
      to,
      search: { volta: `${pathname}${searchStr}` },
      ignoreBlocker: true,
    })
  })
  // The frame of index.html stays until the page can take its place.
  if (WITHIN.test(location.pathname)) await router.load()
  const root = document.getElementById('app')
  if (!root) return
  const panel = (
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>
  )
  // A transition renders in slices, so that slow phones stay responsive.
  startTransition(() => createRoot(root).render(panel))
}
/** Browsers offer service workers in secure contexts only; without one, their own page shows that the server is away. */
function registerWorker(): void {
  if (!isSecureContext || !('serviceWorker' in navigator)) return
  // Without it everything works, and a server that is away shows the browser's page.
  navigator.serviceWorker.register('/service-worker.js').catch(() => {})
}

void start().finally(registerWorker)
if (WITHIN.test(location.pathname)) void preloadPagesWhenIdle()
