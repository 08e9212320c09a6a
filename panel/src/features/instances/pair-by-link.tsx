import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { renderSVG } from 'uqr'
import { ApiError, callPanel } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { Field, Skeleton } from '../../ui/controls.tsx'
import { ActionForm, trimmedText } from '../../ui/form.tsx'
import { AuthPage } from '../auth/auth-page.tsx'

const POLL_INTERVAL_MS = 3000
const WORKING: readonly string[] = ['PAIRED', 'CONNECTED']
/** Whether the link is no longer valid, which no further request changes. */
const isOver = (error: unknown) => error instanceof ApiError && error.status === 404

/** The page of a pairing link: the owner of the phone scans the code, or types one, without an account. */
export function PairByLink() {
  const { token = '' }: { token?: string } = useSearch({ strict: false })
  const query = useQuery({
    queryKey: ['pair', token],
    queryFn: () => callPanel('POST /panel/api/pair', { body: { token } }),
    retry: false,
    refetchInterval: ({ state: { data, error } }) =>
      isOver(error) || (data?.used && data.status !== 'PAIRED') ? false : POLL_INTERVAL_MS,
  })
  const { data } = query
  // The page recovers from a lost connection or a restart of the server by itself.
  const error = isOver(query.error) || !data ? query.error : null
  return (
    <AuthPage title={data ? t.pairLink.title(data.company) : t.pairLink.anyTitle}>
      {error && (
        <p role="alert" className="status bad">
          {error.message}
        </p>
      )}
      {!error && !data && <Skeleton height={240} />}
      {data && !error && (
        <div aria-live="polite" className="stack">
          {data.used && WORKING.includes(data.status) ? (
            <>
              <p className="status ok">{t.pairLink.done(data.name)}</p>
              <p>{t.pairLink.doneText}</p>
            </>
          ) : data.used ? (
            <p className="status bad">{t.states[data.status]}</p>
          ) : (
            <>
              <ol className="numbered">
                {[t.instances.scan1, t.instances.scan2, t.instances.scan3].map((step) => (
                  <li key={step}>{step}</li>
                ))}
              </ol>
              {data.code ? (
                <div
                  className="qr-code"
                  role="img"
                  aria-label={t.instances.qrLabel}
                  dangerouslySetInnerHTML={{ __html: renderSVG(data.code, { border: 4 }) }}
                />
              ) : (
                <>
                  <div className="qr-empty skeleton" />
                  <p role="status">
                    {data.status === 'PAIRED' ? t.instances.syncing : t.instances.generating}
                  </p>
                </>
              )}
              <SamePhone token={token} />
            </>
          )}
        </div>
      )}
    </AuthPage>
  )
}

/** For a page opened on the very phone that is to be paired, which cannot scan its own screen. */
function SamePhone({ token }: { token: string }) {
  const [code, setCode] = useState<string | null>(null)
  return (
    <details>
      <summary>{t.pairLink.samePhone}</summary>
      <ActionForm
        label={t.instances.askCode}
        act={async (form) => {
          const body = { token, phone: trimmedText(form, 'phone') }
          setCode((await callPanel('POST /panel/api/pair/code', { body })).code)
        }}
      >
        <Field
          label={t.instances.number}
          name="phone"
          inputMode="tel"
          autoComplete="tel"
          required
        />
      </ActionForm>
      {code && (
        <>
          <p className="big-number">{code}</p>
          <p>{t.pairLink.typeCode}</p>
        </>
      )}
    </details>
  )
}
