import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { callPanel } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { Field } from '../../ui/controls.tsx'
import { ActionForm, rawText, trimmedText } from '../../ui/form.tsx'
import { NameField } from '../team/name-field.tsx'
import { ResendButton } from './resend-button.tsx'
import { AuthPage } from './auth-page.tsx'
import { useMails } from './mails.tsx'

/** Page behind a link in a mail. Opening it changes nothing, since mail scanners open links, too; its button does. */
function LinkPage(props: {
  title: string
  text?: string
  button: string
  /** Returns the sentence to show on success. */
  act: (token: string, form: FormData) => Promise<string>
  /** Shown below the form, for a link that has expired. */
  otherwise?: ReactNode
  children?: ReactNode
}) {
  const { title, text, button, act, otherwise, children } = props
  const { token = '' }: { token?: string } = useSearch({ strict: false })
  const [done, setDone] = useState<string | null>(null)
  return (
    <AuthPage title={title}>
      <div aria-live="polite">{done && <p>{done}</p>}</div>
      {done === null && (
        <>
          {text && <p>{text}</p>}
          <ActionForm act={async (form) => setDone(await act(token, form))} label={button}>
            {children}
          </ActionForm>
          {otherwise}
        </>
      )}
      <p>
        <Link to="/entrar">{t.auth.signIn}</Link>
      </p>
    </AuthPage>
  )
}

/**
 * Confirms the address with the token of a mail; without a token, says where the mail was sent and how to get another.
 */
export function ConfirmEmail() {
  const { token }: { token?: string } = useSearch({ strict: false })
  return token ? <Confirmation token={token} /> : <Sent />
}

function Confirmation({ token }: { token: string }) {
  return (
    <LinkPage
      title={t.links.confirm}
      text={t.links.confirmText}
      button={t.links.confirmDo}
      act={async () => {
        // In the browser that signed up, the response also signs in and sets this header.
        const onResponse = ({ headers }: Response) => {
          if (headers.has('x-recado-signed-in')) location.assign('/')
        }
        await callPanel('POST /panel/api/confirm-email', { body: { token }, onResponse })
        return t.links.confirmDone
      }}
      otherwise={
        <>
          <p className="quiet">{t.links.confirmOld}</p>
          <ResendButton
            act={() => callPanel('POST /panel/api/confirm-email/resend', { body: { token } })}
          />
        </>
      }
    />
  )
}

function Sent() {
  const { email }: { email?: string } = useSearch({ strict: false })
  const mails = useMails()
  return (
    <AuthPage title={t.auth.confirmTitle}>
      <p>{email ? t.auth.confirmText(email) : t.auth.confirmAny}</p>
      {mails.data?.local && (
        <Link className="button primary" to="/emails">
          {t.mails.openConfirmation}
        </Link>
      )}
      <ResendButton act={() => callPanel('POST /panel/api/confirm-email/resend', { body: {} })} />
      <div className="row">
        <Link className="button" to="/criar-conta">
          {t.auth.otherEmail}
        </Link>
        <Link className="button" to="/entrar" search={email ? { email } : {}}>
          {t.auth.signIn}
        </Link>
      </div>
    </AuthPage>
  )
}

const NewPassword = ({ label }: { label: string }) => (
  <Field
    label={label}
    name="password"
    type="password"
    hint={t.auth.passwordHint}
    minLength={8}
    autoComplete="new-password"
    required
  />
)

/** Sets a new password with the token of a mail. */
export function ResetPassword() {
  return (
    <LinkPage
      title={t.links.reset}
      button={t.links.resetDo}
      act={async (token, form) => {
        const body = { token, password: rawText(form, 'password') }
        await callPanel('POST /panel/api/reset-password', { body })
        return t.links.resetDone
      }}
      otherwise={
        <p>
          <Link to="/recuperar-senha">{t.links.another}</Link>
        </p>
      }
    >
      <NewPassword label={t.links.newPassword} />
    </LinkPage>
  )
}

/** Confirms a change of e-mail address, which the old and the new address must both confirm. */
export function ConfirmNewEmail() {
  return (
    <LinkPage
      title={t.links.change}
      button={t.links.changeDo}
      act={async (token) => {
        const { changed } = await callPanel('POST /panel/api/confirm-email-change', {
          body: { token },
        })
        return changed ? t.links.changeDone : t.links.changeHalf
      }}
    />
  )
}

/** Accepts an invitation to an account, sets the password and signs in. */
export function AcceptInvitation() {
  const { token: given = '' }: { token?: string } = useSearch({ strict: false })
  const { data } = useQuery({
    queryKey: ['invitation', given],
    queryFn: () => callPanel('POST /panel/api/invitation', { body: { token: given } }),
    retry: false,
    staleTime: Infinity,
  })
  const invited = data?.invitation ?? null
  if (data && !invited) {
    return (
      <AuthPage title={t.links.invite}>
        <p>{t.links.badInvite}</p>
        <p>
          <Link to="/entrar">{t.auth.signIn}</Link>
        </p>
      </AuthPage>
    )
  }
  const role = invited ? t.team[`role${invited.role}`] : ''
  return (
    <LinkPage
      title={t.links.invite}
      {...(invited ? { text: t.links.invitedTo(invited.company, role, invited.email) } : {})}
      button={t.links.inviteDo}
      act={async (token, form) => {
        const password = rawText(form, 'password')
        const body = { token, password, name: trimmedText(form, 'name') }
        await callPanel('POST /panel/api/accept-invitation', { body })
        if (invited) {
          // Accepted, whatever happens now: after a failure, the sentence leads to the sign-in page.
          await callPanel('POST /v1/auth/login', { body: { email: invited.email, password } })
            // A full page load leaves no state of an earlier session.
            .then(() => location.assign('/'))
            .catch(() => {})
        }
        return t.links.inviteDone
      }}
    >
      {/* So that the browser stores the password with the address. */}
      <input
        type="email"
        autoComplete="username"
        readOnly
        hidden
        value={invited?.email ?? ''}
        aria-label={t.auth.email}
      />
      <NameField required />
      <NewPassword label={t.links.createPassword} />
    </LinkPage>
  )
}
