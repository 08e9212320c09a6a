import { useEffect, type ReactNode } from 'react'
import { t } from '../../phrases/phrases.ts'

/** Page frame outside the shell, for users who are not signed in. */
export function AuthPage({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${t.common.product}`
  }, [title])
  return (
    <div className="auth-page">
      <main>
        <div className="brand">
          <img src="/recado.svg" alt="" width={32} height={32} /> {t.common.product}
        </div>
        <h1>{title}</h1>
        {children}
      </main>
    </div>
  )
}
