import { useQuery } from '@tanstack/react-query'
import { callPanel } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { AuthPage } from './auth-page.tsx'
import { Load } from '../../ui/load.tsx'
import { Time } from '../../ui/time.tsx'

const POLL_INTERVAL_MS = 2000
const LINK = /https?:\/\/\S+/

/** The mails of a local server without a mail server (`local`); polls only there. */
export const useMails = () =>
  useQuery({
    queryKey: ['mails'],
    queryFn: () => callPanel('GET /panel/api/mails'),
    refetchInterval: ({ state }) => (state.data?.local ? POLL_INTERVAL_MS : false),
  })

/** Shows the mails of a local server without a mail server, each with its link. */
export function Mails() {
  const query = useMails()
  return (
    <AuthPage title={t.mails.title}>
      <Load query={query}>
        {({ local, items }) => {
          if (!local) return <p>{t.mails.elsewhere}</p>
          if (items.length === 0) return <p>{t.mails.empty}</p>
          return (
            <>
              <p className="quiet">{t.mails.text}</p>
              {items.map(({ at, to, subject, text }) => {
                const link = LINK.exec(text)?.[0]
                const path = link && new URL(link)
                return (
                  <article key={`${at} ${to} ${subject}`} className="card">
                    <strong>{subject}</strong>
                    <span className="quiet">
                      {to} · <Time at={at} />
                    </span>
                    {path && (
                      <a className="button primary" href={`${path.pathname}${path.search}`}>
                        {t.mails.open}
                      </a>
                    )}
                    <details>
                      <summary>{t.common.details_}</summary>
                      <pre tabIndex={0}>{text}</pre>
                    </details>
                  </article>
                )
              })}
            </>
          )
        }}
      </Load>
    </AuthPage>
  )
}
