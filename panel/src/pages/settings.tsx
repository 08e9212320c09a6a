import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { renderSVG } from 'uqr'
import { call } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import { readMe } from '../session.ts'
import { ActForm, CancelButton, Field, textOf, typed } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Page, usePlace } from '../ui/page.tsx'

/** The person's own security, and what the owner may ask of the account's data. */
export function Settings() {
  const { me } = usePlace()
  return (
    <Page title={t.settings.title}>
      <SecondFactor />
      <NewEmail />
      {me.role === 'Dono' && <Data />}
    </Page>
  )
}

function SecondFactor() {
  const client = useQueryClient()
  const me = useQuery({ queryKey: ['me'], queryFn: readMe })
  const [offered, setOffered] = useState<{ secret: string; uri: string } | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const on = me.data?.secondFactor ?? false
  const refresh = () => client.invalidateQueries({ queryKey: ['me'] })
  const begin = async (form: FormData) => {
    const body = { password: typed(form, 'password') }
    setOffered(
      await call<{ secret: string; uri: string }>('POST', '/panel/api/second-factor', body),
    )
  }
  const confirm = async (form: FormData) => {
    const body = { code: textOf(form, 'code') }
    const { recoveryCodes } = await call<{ recoveryCodes: string[] }>(
      ...(['POST', '/panel/api/second-factor/confirm', body] as const),
    )
    setOffered(null)
    setCodes(recoveryCodes)
    await refresh()
  }
  const end = async (form: FormData) => {
    await call('POST', '/panel/api/second-factor/end', { code: textOf(form, 'code') })
    await refresh()
  }
  return (
    <section className="cartao" aria-labelledby="duas">
      <h2 id="duas">{t.settings.factor}</h2>
      <p className="discreto">{on ? t.settings.factorOn : t.settings.factorOff}</p>
      {on && (
        <ActForm danger act={end} label={t.settings.factorEnd}>
          <Field label={t.auth.code} name="code" autoComplete="one-time-code" required />
        </ActForm>
      )}
      {!on && !offered && (
        <ActForm act={begin} label={t.settings.factorBegin}>
          <Field
            label={t.auth.password}
            name="password"
            type="password"
            autoComplete="current-password"
            required
          />
        </ActForm>
      )}
      {offered && (
        <>
          <p>{t.settings.factorScan}</p>
          <div className="qr">
            <div
              role="img"
              aria-label={t.settings.factorQr}
              dangerouslySetInnerHTML={{ __html: renderSVG(offered.uri, { border: 4 }) }}
            />
            <code>{offered.secret}</code>
          </div>
          <ActForm act={confirm} label={t.settings.factorConfirm}>
            <Field label={t.auth.code} name="code" autoComplete="one-time-code" required />
          </ActForm>
        </>
      )}
      {codes && (
        <Dialog title={t.settings.codes} onClose={() => setCodes(null)} keep>
          <p>{t.settings.codesText}</p>
          <pre tabIndex={0}>{codes.join('\n')}</pre>
          <div>
            <button type="button" className="botao principal" onClick={() => setCodes(null)}>
              {t.settings.codesKept}
            </button>
          </div>
        </Dialog>
      )}
    </section>
  )
}

function NewEmail() {
  const [sent, setSent] = useState(false)
  return (
    <section className="cartao" aria-labelledby="email">
      <h2 id="email">{t.settings.email}</h2>
      <p className="discreto">{t.settings.emailText}</p>
      <ActForm
        label={t.settings.emailSend}
        act={async (form) => {
          const body = { email: textOf(form, 'email'), password: typed(form, 'password') }
          await call('POST', '/panel/api/change-email', body)
          setSent(true)
        }}
      >
        <Field label={t.settings.emailNew} name="email" type="email" required />
        <Field
          label={t.auth.password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
      </ActForm>
      <div aria-live="polite">{sent && <p>{t.settings.emailSent}</p>}</div>
    </section>
  )
}

function Data() {
  const { me } = usePlace()
  const [deleting, setDeleting] = useState(false)
  async function remove(form: FormData) {
    const code = textOf(form, 'code')
    await call('POST', '/panel/api/account/delete', {
      ...{ company: textOf(form, 'company'), password: typed(form, 'password') },
      ...(code ? { code } : {}),
    })
    location.assign('/entrar')
  }
  return (
    <section className="cartao" aria-labelledby="dados">
      <h2 id="dados">{t.settings.data}</h2>
      <p className="discreto">{t.settings.dataText}</p>
      <div className="linha">
        <button
          type="button"
          className="botao"
          // A download cannot renew the session by itself.
          onClick={() => void readMe().then(() => location.assign('/panel/api/account/export'))}
        >
          {t.settings.export}
        </button>
        <button type="button" className="botao perigo" onClick={() => setDeleting(true)}>
          {t.settings.remove}
        </button>
      </div>
      {deleting && (
        <Dialog title={t.settings.remove} onClose={() => setDeleting(false)}>
          <p>{t.settings.removeText(me.company)}</p>
          <ActForm
            danger
            act={remove}
            label={t.settings.remove}
            beside={<CancelButton onClick={() => setDeleting(false)} />}
          >
            <Field label={t.auth.company} name="company" required />
            <Field
              label={t.auth.password}
              name="password"
              type="password"
              autoComplete="current-password"
              required
            />
            {me.secondFactor && (
              <Field label={t.auth.code} name="code" autoComplete="one-time-code" required />
            )}
          </ActForm>
        </Dialog>
      )}
    </section>
  )
}
