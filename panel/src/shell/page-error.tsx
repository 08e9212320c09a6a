import { isServerReachable } from '../data/reachable.ts'
import { t } from '../phrases/phrases.ts'
import { AuthPage } from '../features/auth/auth-page.tsx'
import { ErrorBlock } from '../ui/error-block.tsx'

/** Reloads the page if the server responds; if not, the error stays, which the browser's own page would replace. */
const reload = async () => {
  if (await isServerReachable()) location.reload()
}

/** Shown when a page cannot load: its script is missing, or the signed-in user could not be read. */
export function FatalError({ error }: { error: unknown }) {
  return (
    <AuthPage title={t.common.failed}>
      <ErrorBlock error={error} retry={() => void reload()} />
    </AuthPage>
  )
}

/** Shown inside the shell, which stays, when a page cannot load. */
export function PageError({ error }: { error: unknown }) {
  return (
    <div className="stack">
      <h1>{t.common.failed}</h1>
      <ErrorBlock error={error} retry={() => void reload()} />
    </div>
  )
}
