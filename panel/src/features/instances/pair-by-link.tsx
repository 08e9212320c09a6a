import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { renderSVG } from 'uqr'
import { callPanel } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { Field, Skeleton } from '../../ui/controls.tsx'
import { ActionForm, trimmedText } from '../../ui/form.tsx'
import { AuthPage } from '../auth/auth-page.tsx'

const POLL_INTERVAL_MS = 3000

/** The page of a pairing link: whoever has the number's phone scans the code, or types one, without an account. */
export function PairByLink() {
  const { token = '' }: { token?: string } = useSearch({ strict: false })
  const query = useQuery({
    queryKey: ['pair', token],
    queryFn: () => callPanel('POST /panel/api/pair', { body: { token } }),
    retry: false,
    refetchInterval: ({ state: { data, error } }) =>
      error || (data?.used && data.status === 'CONNECTED') ? false : POLL_INTERVAL_MS,
  })
  const { data, error } = query
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
          {data.used ? (
            <>
              <p className="status ok">{t.pairLink.done(data.name)}</p>
              <p>{t.pairLink.doneText}</p>
            </>
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
