import { t } from '../phrases/phrases.ts'
import { AuthPage } from '../features/auth/auth-page.tsx'
import { ErrorBlock } from '../ui/error-block.tsx'

/** Shown when a page cannot load: its script is missing, or the signed-in user could not be read. */
export function FatalError({ error }: { error: unknown }) {
  return (
    <AuthPage title={t.common.failed}>
      <ErrorBlock error={error} retry={() => location.reload()} />
    </AuthPage>
  )
}

/** Shown inside the shell, which stays, when a page cannot load. */
export function PageError({ error }: { error: unknown }) {
  return (
    <div className="stack">
      <h1>{t.common.failed}</h1>
      <ErrorBlock error={error} retry={() => location.reload()} />
    </div>
  )
}
