import { Link, useSearch } from '@tanstack/react-router'
import { useEffect, useState, type ReactNode } from 'react'
import { ApiError, call } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import { ActForm, Field, textOf, typed } from '../ui/controls.tsx'

function Door({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${t.common.product}`
  }, [title])
  return (
    <div className="porta">
      <main>
        <div className="marca">
          <img src="/recado.svg" alt="" width={32} height={32} /> {t.common.product}
        </div>
        <h1>{title}</h1>
        {children}
      </main>
    </div>
  )
}

export function SignIn() {
  const { volta } = useSearch({ strict: false })
  const [needsCode, setNeedsCode] = useState(false)
  async function signIn(form: FormData) {
    const code = textOf(form, 'code')
    const credentials = {
      ...{ email: textOf(form, 'email'), password: typed(form, 'password') },
      ...(code ? { code } : {}),
    }
    try {
      await call('POST', '/v1/auth/login', credentials)
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'OTP_REQUIRED') setNeedsCode(true)
      throw error
    }
    // Anew, so that nothing of an earlier session is left.
    location.assign(volta ?? '/')
  }
  return (
    <Door title={t.auth.signIn}>
      {volta && <p className="discreto">{t.auth.ended}</p>}
      <ActForm act={signIn} label={t.auth.signIn}>
        <Field label={t.auth.email} name="email" type="email" autoComplete="username" required />
        <Field
          label={t.auth.password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        {needsCode && (
          <Field label={t.auth.code} name="code" autoComplete="one-time-code" required autoFocus />
        )}
      </ActForm>
      <p>
        <Link to="/recuperar-senha">{t.auth.forgot}</Link>
      </p>
      <p>
        {t.auth.noAccount} <Link to="/criar-conta">{t.auth.signUp}</Link>
      </p>
    </Door>
  )
}

const WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]
/** A CNPJ, letters too (July 2026): its two check digits, modulo 11 over the characters' codes. */
function isTaxId(text: string): boolean {
  const plain = text.toUpperCase().replace(/[^0-9A-Z]/g, '')
  if (!/^[0-9A-Z]{12}\d{2}$/.test(plain) || /^(.)\1*$/.test(plain)) return false
  const digit = (length: number) => {
    const weights = WEIGHTS.slice(WEIGHTS.length - length)
    const sum = weights.reduce((total, weight, n) => total + weight * (plain.charCodeAt(n) - 48), 0)
    return sum % 11 < 2 ? 0 : 11 - (sum % 11)
  }
  return plain.charCodeAt(12) - 48 === digit(12) && plain.charCodeAt(13) - 48 === digit(13)
}

export function SignUp() {
  const [sent, setSent] = useState<Record<string, string> | null>(null)
  const [taxId, setTaxId] = useState('')
  const wrong = taxId.replace(/[^0-9A-Za-z]/g, '').length >= 14 && !isTaxId(taxId)
  const signUp = async (body: Record<string, string>) => {
    await call('POST', '/panel/api/signup', body)
    setSent(body)
  }
  if (sent) {
    return (
      <Door title={t.auth.confirmTitle}>
        <p>{t.auth.confirmText(sent['email'] ?? '')}</p>
        <div className="linha">
          <Link className="botao principal" to="/entrar">
            {t.auth.signIn}
          </Link>
          <button type="button" className="botao" onClick={() => void signUp(sent)}>
            {t.auth.confirmAgain}
          </button>
        </div>
      </Door>
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
        <Field label={t.auth.company} name="company" autoComplete="organization" required />
        <Field
          label={t.auth.taxId}
          name="taxId"
          value={taxId}
          onChange={(event) => setTaxId(event.target.value)}
          required
          {...(wrong ? { wrong: t.auth.taxIdInvalid } : {})}
        />
        <Field label={t.auth.email} name="email" type="email" autoComplete="email" required />
        <Field
          label={t.auth.password}
          name="password"
          type="password"
          hint={t.auth.passwordHint}
          minLength={8}
          autoComplete="new-password"
          required
        />
      </ActForm>
      <p>
        {t.auth.hasAccount} <Link to="/entrar">{t.auth.signIn}</Link>
      </p>
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
            await call('POST', '/panel/api/forgot-password', { email: textOf(form, 'email') })
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

export function Superseded() {
  return (
    <Door title={t.auth.superseded}>
      <p>{t.auth.supersededText}</p>
      <Link className="botao principal" to="/entrar">
        {t.auth.useHere}
      </Link>
    </Door>
  )
}
