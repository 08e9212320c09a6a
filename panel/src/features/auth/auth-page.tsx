import { useEffect, type ReactNode } from 'react'
import { chooseLanguage, language, LANGUAGE_NAMES, t } from '../../phrases/phrases.ts'

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
        <LanguageChoice />
      </main>
    </div>
  )
}

/** The languages other than the current one, for visitors who have no settings yet. */
function LanguageChoice() {
  return (
    <div className="row languages" role="group" aria-label={t.shell.language}>
      {LANGUAGE_NAMES.filter(([code]) => code !== language).map(([code, name]) => (
        <button
          key={code}
          type="button"
          className="button plain"
          lang={code}
          onClick={() => chooseLanguage(code)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
