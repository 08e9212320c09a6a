import { t } from '../phrases/phrases.ts'

/** An address that leads nowhere; often it is there in the other mode. */
export function NotFound() {
  return (
    <div className="porta">
      <main>
        <h1>{t.common.notFound}</h1>
        <p>{t.common.notFoundHint}</p>
        <a className="botao" href="/">
          {t.common.home}
        </a>
      </main>
    </div>
  )
}
