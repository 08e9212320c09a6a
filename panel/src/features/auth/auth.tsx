import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, callPanel } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { ResendButton } from './resend-button.tsx'
import { AuthPage } from './auth-page.tsx'
import { Field } from '../../ui/controls.tsx'
import { ActionForm, trimmedText, rawText } from '../../ui/form.tsx'
import { wasSignedIn } from '../../data/session.ts'
import { Time, zoneName } from '../../ui/time.tsx'
import { useOnward } from '../../ui/use-onward.ts'
import { returnPath, searchOfReturn } from './return-path.ts'
import { formatTaxId, isTaxId, strengthOf } from './sign-up-fields.ts'

/** Credentials of the first step, while the second is open; in memory only, so that a reload discards them. */
let pendingCredentials: { email: string; password: string } | null = null
/** Sign-up data without the password, for a user who returns to correct their address. */
let signUpDraft: Partial<SignUpData> = {}

/** Sign-in page. Continues with the second step if the account requires a code. */
export function SignIn() {
  const { volta, email }: { volta?: string; email?: string } = useSearch({ strict: false })
  const goOn = useOnward()
  const [unconfirmed, setUnconfirmed] = useState<{ email: string; password: string } | null>(null)
  async function signIn(form: FormData) {
    const told = { email: trimmedText(form, 'email'), password: rawText(form, 'password') }
    setUnconfirmed(null)
    try {
      await callPanel('POST /v1/auth/login', { body: told })
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'OTP_REQUIRED') {
        pendingCredentials = told
        return goOn({ to: '/entrar/2fa', search: searchOfReturn(volta) })
      }
      if (error instanceof ApiError && error.status === 403) setUnconfirmed(told)
      throw error
    }
    // A full page load leaves no state of an earlier session.
    location.assign(returnPath(volta))
  }
  return (
    <AuthPage title={t.auth.signIn}>
      {volta && wasSignedIn() && <p className="quiet">{t.auth.ended}</p>}
      <ActionForm act={signIn} label={t.auth.signIn}>
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
      </ActionForm>
      {unconfirmed && (
        <ResendButton
          act={() => callPanel('POST /panel/api/confirm-email/again', { body: unconfirmed })}
        />
      )}
      <p>
        <Link to="/recuperar-senha">{t.auth.forgot}</Link>
      </p>
      <p>
        {t.auth.noAccount} <Link to="/criar-conta">{t.auth.signUp}</Link>
      </p>
    </AuthPage>
  )
}

/** Second step of sign-in: asks for a code, for the credentials of the first step. */
export function SecondStep() {
  const { volta }: { volta?: string } = useSearch({ strict: false })
  if (!pendingCredentials) return <Navigate to="/entrar" search={searchOfReturn(volta)} />
  const told = pendingCredentials
  return (
    <AuthPage title={t.auth.secondStep}>
      <p>{t.auth.secondStepText(told.email)}</p>
      <ActionForm
        label={t.auth.signIn}
        act={async (form) => {
          await callPanel('POST /v1/auth/login', {
            body: { ...told, code: trimmedText(form, 'code') },
          })
          location.assign(returnPath(volta))
        }}
      >
        <Field
          label={t.auth.code}
          name="code"
          hint={t.auth.codeHint}
          autoComplete="one-time-code"
          required
          autoFocus
        />
      </ActionForm>
      <p>
        <Link to="/entrar" search={searchOfReturn(volta)}>
          {t.common.back}
        </Link>
      </p>
    </AuthPage>
  )
}

type SignUpData = { company: string; taxId: string; email: string; password: string }

/** Sign-up page, which checks the CNPJ and rates the password while they are typed. */
export function SignUp() {
  const goOn = useOnward()
  const [taxId, setTaxId] = useState(signUpDraft.taxId ?? '')
  const [password, setPassword] = useState('')
  const wrong = taxId.replace(/[^0-9A-Za-z]/g, '').length >= 14 && !isTaxId(taxId)
  const strength = strengthOf(password)
  const signUp = async (body: SignUpData) => {
    await callPanel('POST /panel/api/signup', { body })
    const { password: _, ...rest } = body
    signUpDraft = rest
    await goOn({ to: '/confirmar-email', search: { email: body.email } })
  }
  return (
    <AuthPage title={t.auth.signUp}>
      <p>{t.auth.welcome}</p>
      <ActionForm
        label={t.auth.signUp}
        act={(form) =>
          signUp({
            company: trimmedText(form, 'company'),
            taxId: trimmedText(form, 'taxId'),
            email: trimmedText(form, 'email'),
            password: rawText(form, 'password'),
          })
        }
      >
        <Field
          label={t.auth.company}
          name="company"
          autoComplete="organization"
          defaultValue={signUpDraft.company}
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
      </ActionForm>
      <p>
        {t.auth.hasAccount} <Link to="/entrar">{t.auth.signIn}</Link>
      </p>
    </AuthPage>
  )
}

/** Page that requests a mail to reset the password. */
export function Forgot() {
  const [sent, setSent] = useState(false)
  return (
    <AuthPage title={t.auth.forgotTitle}>
      <div aria-live="polite">{sent && <p>{t.auth.forgotSent}</p>}</div>
      {!sent && (
        <ActionForm
          label={t.auth.forgotSend}
          act={async (form) => {
            const body = { email: trimmedText(form, 'email') }
            await callPanel('POST /panel/api/forgot-password', { body })
            setSent(true)
          }}
        >
          <Field label={t.auth.email} name="email" type="email" autoComplete="username" required />
        </ActionForm>
      )}
      <p>
        <Link to="/entrar">{t.auth.signIn}</Link>
      </p>
    </AuthPage>
  )
}

/** When, with which browser and in which time zone the newer session was opened; nothing if unknown. */
function Successor() {
  const { data } = useQuery({
    queryKey: ['successor'],
    queryFn: () => callPanel('GET /v1/auth/successor'),
    retry: false,
  })
  if (!data) return null
  const { at, browser, timeZone } = data
  const facts = [
    [t.auth.when, <Time key="at" at={at} />],
    [t.auth.browser, browser],
    [t.auth.place, timeZone && zoneName(timeZone)],
  ] as const
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? t.common.none}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Page shown after a sign-in elsewhere ended this session. */
export function Superseded() {
  const { volta }: { volta?: string } = useSearch({ strict: false })
  return (
    <AuthPage title={t.auth.superseded}>
      <Successor />
      <p>{t.auth.supersededText}</p>
      <div className="row">
        <Link className="button primary" to="/entrar" search={searchOfReturn(volta)}>
          {t.auth.useHere}
        </Link>
        <Link className="button" to="/recuperar-senha">
          {t.auth.notMe}
        </Link>
      </div>
    </AuthPage>
  )
}
