import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiError, ask } from '../api.ts'
import { language, t } from '../phrases/phrases.ts'
import { Door } from '../ui/door.tsx'
import { Field } from '../ui/controls.tsx'
import { ActButton, ActForm, textOf, typed } from '../ui/form.tsx'
import { Time } from '../ui/time.tsx'
import { formatTaxId, isTaxId, strengthOf } from '../ui/sign-up-fields.ts'
import { useMails } from './mails.tsx'

const AGAIN_SECONDS = 60

export function SignIn() {
  const { volta, email }: { volta?: string; email?: string } = useSearch({ strict: false })
  const [needsCode, setNeedsCode] = useState(false)
  const [unconfirmed, setUnconfirmed] = useState<{ email: string; password: string } | null>(null)
  async function signIn(form: FormData) {
    const code = textOf(form, 'code')
    const pair = { email: textOf(form, 'email'), password: typed(form, 'password') }
    setUnconfirmed(null)
    try {
      await ask('POST /v1/auth/login', { body: { ...pair, ...(code ? { code } : {}) } })
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'OTP_REQUIRED') setNeedsCode(true)
      if (error instanceof ApiError && error.status === 403) setUnconfirmed(pair)
      throw error
    }
    // Anew, so that nothing of an earlier session is left.
    location.assign(volta ?? '/')
  }
  return (
    <Door title={t.auth.signIn}>
      {volta && <p className="discreto">{t.auth.ended}</p>}
      <ActForm act={signIn} label={t.auth.signIn}>
        <Field
          label={t.auth.email}
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={email}
          required
        />
        <Field
          label={t.auth.password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        {needsCode && (
          <Field
            label={t.auth.code}
            name="code"
            hint={t.auth.codeHint}
            autoComplete="one-time-code"
            required
            autoFocus
          />
        )}
      </ActForm>
      {unconfirmed && (
        <Again act={() => ask('POST /panel/api/confirm-email/again', { body: unconfirmed })} />
      )}
      <p>
        <Link to="/recuperar-senha">{t.auth.forgot}</Link>
      </p>
      <p>
        {t.auth.noAccount} <Link to="/criar-conta">{t.auth.signUp}</Link>
      </p>
    </Door>
  )
}

/** A new link for who has not confirmed his address, no sooner than a minute after the last one. */
function Again({ act }: { act: () => Promise<unknown> }) {
  const [wait, setWait] = useState(0)
  useEffect(() => {
    if (wait === 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1000)
    return () => clearTimeout(timer)
  }, [wait])
  return (
    <div className="linha">
      <ActButton
        label={wait > 0 ? t.auth.confirmWait(wait) : t.auth.confirmAgain}
        disabled={wait > 0}
        act={async () => {
          await act()
          setWait(AGAIN_SECONDS)
        }}
      />
      <span aria-live="polite">{wait > 0 && t.auth.confirmSent}</span>
    </div>
  )
}

type SignUpData = { company: string; taxId: string; email: string; password: string }

export function SignUp() {
  const [sent, setSent] = useState<SignUpData | null>(null)
  const [kept, setKept] = useState<Partial<SignUpData>>({})
  const [taxId, setTaxId] = useState('')
  const [password, setPassword] = useState('')
  const wrong = taxId.replace(/[^0-9A-Za-z]/g, '').length >= 14 && !isTaxId(taxId)
  const strength = strengthOf(password)
  const signUp = async (body: SignUpData) => {
    await ask('POST /panel/api/signup', { body })
    setSent(body)
  }
  if (sent) {
    return (
      <Sent
        email={sent.email}
        again={() => signUp(sent)}
        onOther={() => {
          setKept(sent)
          setSent(null)
        }}
      />
    )
  }
  return (
    <Door title={t.auth.signUp}>
      <p>{t.auth.welcome}</p>
      <ActForm
        label={t.auth.signUp}
        act={(form) =>
          signUp({
            company: textOf(form, 'company'),
            taxId: textOf(form, 'taxId'),
            email: textOf(form, 'email'),
            password: typed(form, 'password'),
          })
        }
      >
        <Field
          label={t.auth.company}
          name="company"
          autoComplete="organization"
          defaultValue={kept.company}
          required
        />
        <Field
          label={t.auth.taxId}
          name="taxId"
          value={taxId}
          onChange={(event) => setTaxId(formatTaxId(event.target.value))}
          required
          {...(wrong ? { wrong: t.auth.taxIdInvalid } : {})}
        />
        <Field label={t.auth.email} name="email" type="email" autoComplete="email" required />
        <Field
          label={t.auth.password}
          name="password"
          type="password"
          hint={password ? t.auth[strength] : t.auth.passwordHint}
          minLength={8}
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          required
        />
      </ActForm>
      <p>
        {t.auth.hasAccount} <Link to="/entrar">{t.auth.signIn}</Link>
      </p>
    </Door>
  )
}

/** Where the mail went, and what to do when it does not come. */
function Sent(props: { email: string; again: () => Promise<unknown>; onOther: () => void }) {
  const { email, again, onOther } = props
  const mails = useMails()
  return (
    <Door title={t.auth.confirmTitle}>
      <p>{t.auth.confirmText(email)}</p>
      {mails.data?.local && (
        <Link className="botao principal" to="/emails">
          {t.mails.title}
        </Link>
      )}
      <Again act={again} />
      <div className="linha">
        <button type="button" className="botao" onClick={onOther}>
          {t.auth.otherEmail}
        </button>
        <Link className="botao" to="/entrar" search={{ email }}>
          {t.auth.signIn}
        </Link>
      </div>
    </Door>
  )
}

export function Forgot() {
  const [sent, setSent] = useState(false)
  return (
    <Door title={t.auth.forgotTitle}>
      <div aria-live="polite">{sent && <p>{t.auth.forgotSent}</p>}</div>
      {!sent && (
        <ActForm
          label={t.auth.forgotSend}
          act={async (form) => {
            const body = { email: textOf(form, 'email') }
            await ask('POST /panel/api/forgot-password', { body })
            setSent(true)
          }}
        >
          <Field label={t.auth.email} name="email" type="email" autoComplete="username" required />
        </ActForm>
      )}
      <p>
        <Link to="/entrar">{t.auth.signIn}</Link>
      </p>
    </Door>
  )
}

/** When, with what and about where the other session was opened; nothing where that is not known. */
function Successor() {
  const { data } = useQuery({
    queryKey: ['successor'],
    queryFn: () => ask('GET /v1/auth/successor'),
    retry: false,
  })
  if (!data) return null
  const { at, browser, timeZone } = data
  const facts = [
    [t.auth.when, <Time key="at" at={at} />],
    [t.auth.browser, browser],
    [t.auth.place, timeZone && nameOfZone(timeZone)],
  ] as const
  return (
    <dl className="fatos">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? t.common.none}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What people call a time zone: of a device it tells about where it is. */
function nameOfZone(timeZone: string): string {
  const options = { timeZone, timeZoneName: 'longGeneric' } as const
  try {
    const parts = new Intl.DateTimeFormat(language, options).formatToParts()
    return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
  } catch {
    // A browser may know fewer of them than the server does.
    return timeZone
  }
}

export function Superseded() {
  const { volta }: { volta?: string } = useSearch({ strict: false })
  return (
    <Door title={t.auth.superseded}>
      <Successor />
      <p>{t.auth.supersededText}</p>
      <div className="linha">
        <Link className="botao principal" to="/entrar" search={volta ? { volta } : {}}>
          {t.auth.useHere}
        </Link>
        <Link className="botao" to="/recuperar-senha">
          {t.auth.notMe}
        </Link>
      </div>
    </Door>
  )
}
