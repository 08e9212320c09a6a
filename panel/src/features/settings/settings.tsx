import { hasPermission } from '../../../../src/kernel/permissions.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { renderSVG } from 'uqr'
import { callPanel } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { readMe } from '../../data/session.ts'
import { CancelButton, Field } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ActionButton, ActionForm, trimmedText, rawText } from '../../ui/form.tsx'
import { NameField } from '../team/name-field.tsx'
import { Appearance } from './settings-appearance.tsx'
import { DefaultCountry } from './settings-country.tsx'
import { Notifications } from './notifications.tsx'
import { Sessions } from './sessions.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { notify } from '../../ui/notify.ts'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Tabs } from '../../ui/tabs.tsx'

const TABS = ['empresa', 'seguranca', 'aparencia', 'notificacoes', 'dados'] as const
type Tab = (typeof TABS)[number]

/** Settings of the company, of the user's security and appearance, and the owner's requests about account data. */
export function Settings() {
  const { me } = usePanel()
  const { values, set } = useFilters<'aba'>()
  const open = TABS.find((tab) => tab === values.aba) ?? 'empresa'
  const tabs = TABS.filter((tab) => tab !== 'dados' || hasPermission(me.role, 'managePrivacy'))
  return (
    <Page title={t.settings.title}>
      <Tabs<Tab>
        label={t.settings.title}
        tabs={tabs.map((tab) => [tab, t.settings[`tab_${tab}`]] as const)}
        open={open}
        onOpen={(aba) => set({ aba })}
      >
        {open === 'empresa' && (
          <>
            <Company />
            <OwnName />
            <DefaultCountry />
          </>
        )}
        {open === 'seguranca' && (
          <>
            <SecondFactor />
            <Sessions />
            <Password />
            <NewEmail />
          </>
        )}
        {open === 'aparencia' && <Appearance />}
        {open === 'notificacoes' && <Notifications />}
        {open === 'dados' && <Data />}
      </Tabs>
    </Page>
  )
}

function Company() {
  const { me } = usePanel()
  const facts = [
    [t.auth.company, me.company],
    [t.settings.project, me.projectId],
    [t.settings.usageMode, t.settings[me.usageMode]],
    [t.auth.email, me.email],
    [t.team.role, t.team[`role${me.role}`]],
  ] as const
  return (
    <section className="card" aria-label={t.auth.company}>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** What colleagues call the user. */
function OwnName() {
  const { me } = usePanel()
  const client = useQueryClient()
  return (
    <section className="card" aria-label={t.settings.name}>
      <ActionForm
        label={t.common.save}
        act={async (form) => {
          await callPanel('PUT /panel/api/me/name', { body: { name: trimmedText(form, 'name') } })
          notify(t.settings.nameSaved)
          await client.invalidateQueries({ queryKey: ['me'] })
          await client.invalidateQueries({ queryKey: ['members'] })
        }}
      >
        <NameField defaultValue={me.name ?? ''} />
      </ActionForm>
    </section>
  )
}

/** Changes the password by mail, like a forgotten one, which ends every session. */
function Password() {
  const { me } = usePanel()
  const [sent, setSent] = useState(false)
  return (
    <section className="card" aria-labelledby="senha">
      <h2 id="senha">{t.settings.password}</h2>
      <p className="quiet">{t.settings.passwordText}</p>
      <div className="row">
        <ActionButton
          label={t.settings.passwordSend}
          disabled={sent}
          act={async () => {
            await callPanel('POST /panel/api/forgot-password', { body: { email: me.email } })
            setSent(true)
          }}
        />
        <span aria-live="polite">{sent && t.auth.confirmSent}</span>
      </div>
    </section>
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
    const body = { password: rawText(form, 'password') }
    setOffered(await callPanel('POST /panel/api/second-factor', { body }))
  }
  const confirm = async (form: FormData) => {
    const body = { code: trimmedText(form, 'code') }
    const { recoveryCodes } = await callPanel('POST /panel/api/second-factor/confirm', { body })
    setOffered(null)
    setCodes(recoveryCodes)
    await refresh()
  }
  const end = async (form: FormData) => {
    await callPanel('POST /panel/api/second-factor/end', {
      body: { code: trimmedText(form, 'code') },
    })
    await refresh()
  }
  return (
    <section className="card" aria-labelledby="duas">
      <h2 id="duas">{t.settings.factor}</h2>
      <p className="quiet">{on ? t.settings.factorOn : t.settings.factorOff}</p>
      {on && (
        <ActionForm danger act={end} label={t.settings.factorEnd}>
          <Field label={t.auth.code} name="code" autoComplete="one-time-code" required />
        </ActionForm>
      )}
      {!on && !offered && (
        <ActionForm act={begin} label={t.settings.factorBegin}>
          <Field
            label={t.auth.password}
            name="password"
            type="password"
            autoComplete="current-password"
            required
          />
        </ActionForm>
      )}
      {offered && (
        <>
          <p>{t.settings.factorScan}</p>
          <div className="qr">
            <div
              className="qr-code"
              role="img"
              aria-label={t.settings.factorQr}
              dangerouslySetInnerHTML={{ __html: renderSVG(offered.uri, { border: 4 }) }}
            />
            <code>{offered.secret}</code>
          </div>
          <ActionForm act={confirm} label={t.settings.factorConfirm}>
            <Field label={t.auth.code} name="code" autoComplete="one-time-code" required />
          </ActionForm>
        </>
      )}
      {codes && (
        <SecretOnce
          title={t.settings.codes}
          text={t.settings.codesText}
          secret={codes.join('\n')}
          confirmLabel={t.settings.codesKept}
          onClose={() => setCodes(null)}
        />
      )}
    </section>
  )
}

function NewEmail() {
  const [sent, setSent] = useState(false)
  return (
    <section className="card" aria-labelledby="email">
      <h2 id="email">{t.settings.email}</h2>
      <p className="quiet">{t.settings.emailText}</p>
      <ActionForm
        label={t.settings.emailSend}
        act={async (form) => {
          const body = { email: trimmedText(form, 'email'), password: rawText(form, 'password') }
          await callPanel('POST /panel/api/change-email', { body })
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
      </ActionForm>
      <div aria-live="polite">{sent && <p>{t.settings.emailSent}</p>}</div>
    </section>
  )
}

function Data() {
  const { me } = usePanel()
  const [deleting, setDeleting] = useState(false)
  async function remove(form: FormData) {
    const code = trimmedText(form, 'code')
    const proof = { company: trimmedText(form, 'company'), password: rawText(form, 'password') }
    await callPanel('POST /panel/api/account/delete', {
      body: { ...proof, ...(code ? { code } : {}) },
    })
    location.assign('/entrar')
  }
  return (
    <section className="card" aria-labelledby="dados">
      <h2 id="dados">{t.settings.data}</h2>
      <p className="quiet">{t.settings.dataText}</p>
      <div className="row">
        <ActionButton
          label={t.settings.export}
          act={async () => {
            // A download cannot renew the session, so renew it first.
            await readMe()
            location.assign('/panel/api/account/export')
          }}
        />
        <button type="button" className="button danger" onClick={() => setDeleting(true)}>
          {t.settings.remove}
        </button>
      </div>
      {deleting && (
        <Dialog title={t.settings.remove} onClose={() => setDeleting(false)}>
          <p>{t.settings.removeText(me.company)}</p>
          <ActionForm
            danger
            act={remove}
            label={t.settings.remove}
            secondary={<CancelButton onClick={() => setDeleting(false)} />}
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
          </ActionForm>
        </Dialog>
      )}
    </section>
  )
}
