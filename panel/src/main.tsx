import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError, whenSessionEnds } from './api.ts'
import { loadLanguage } from './phrases/phrases.ts'
import { createPanelRouter, fetchPage } from './router.tsx'
import { readMe } from './session.ts'
import './styles.css'
import { fetchLetters } from './ui/letters.ts'

const RETRIES = 2
const WITHIN = /^\/(teste|producao)\//

async function start(): Promise<void> {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // What the server has refused it refuses again.
        retry: (count, error) =>
          !(error instanceof ApiError && error.status > 0 && error.status < 500) && count < RETRIES,
        staleTime: 5000,
      },
    },
  })
  // Who comes in by an address within the shell needs all of it: it is asked for at once, not one after the other.
  if (WITHIN.test(location.pathname)) {
    void client.prefetchQuery({ queryKey: ['me'], queryFn: readMe })
    void import('./ui/shell.tsx').catch(() => {})
    fetchPage(location.pathname)
  }
  await loadLanguage()
  const router = createPanelRouter(client)
  whenSessionEnds((code) => {
    const to = code === 'SESSION_SUPERSEDED' ? '/sessao-encerrada' : '/entrar'
    // Many questions find out at once: the last of them must not take away what is asked there.
    const { pathname, searchStr } = router.latestLocation
    if (pathname === to) return
    client.clear()
    void router.navigate({ to, search: { volta: `${pathname}${searchStr}` } })
  })
  fetchLetters()
  const root = document.getElementById('app')
  if (!root) return
  const panel = (
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>
  )
  // In slices: a slow telephone answers to the finger meanwhile.
  startTransition(() => createRoot(root).render(panel))
}
void start()
