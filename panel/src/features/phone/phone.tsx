import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Phone as VirtualPhone } from '../../data/api-types.ts'
import { MAX_ABOUT } from '../../data/profile.ts'
import { readBase64 } from '../../data/read-base64.ts'
import { t } from '../../phrases/phrases.ts'
import { useInstances } from '../../data/queries.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { StatusBadge, Choice, Empty, Field } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionButton, ActionForm, trimmedText } from '../../ui/form.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { Load } from '../../ui/load.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { PhoneChats } from './phone-chats.tsx'
import { PhoneLabels } from './phone-labels.tsx'
import { Scan } from './phone-scan.tsx'
import { usePhonesWithDefault } from './use-phones-with-default.ts'
import type { PhoneState } from '../../../../src/model/vocabulary.ts'

/** The simulator phones: they write to instances and show what they have received. */
export function Phone() {
  const { mode } = usePanel()
  const client = useQueryClient()
  const { values, set } = useFilters<'fone' | 'conversa'>()
  const { query, error } = usePhonesWithDefault()
  if (mode !== 'test') {
    return (
      <Page title={t.phone.title}>
        <Empty text={t.phone.testOnly} />
      </Page>
    )
  }
  const free = (query.data ?? []).filter((phone) => phone.pairedInstanceIds.length === 0)
  async function create() {
    const names = t.phone.names.split(' ')
    const body = { name: names[free.length % names.length] ?? t.phone.suggested }
    const { id } = await callApi('test', 'POST /v1/simulator/phones', { body })
    await client.invalidateQueries({ queryKey: [mode, 'phones'] })
    set({ fone: id, conversa: undefined })
  }
  return (
    <Page
      title={t.phone.title}
      text={t.phone.text}
      act={<ActionButton label={t.phone.create} act={create} />}
    >
      {error !== null && <ErrorBlock error={error} />}
      <Load query={query}>
        {(phones) => {
          // By default an unpaired phone, which can write; a paired one acts as the company's own.
          const shown =
            phones.find(({ id }) => id === values.fone) ??
            phones.find(({ pairedInstanceIds }) => pairedInstanceIds.length === 0)
          if (!shown) return <Empty text={t.phone.empty} />
          return (
            <>
              <Choice
                label={t.phone.own}
                value={shown.id}
                onChange={(event) => set({ fone: event.target.value, conversa: undefined })}
                options={phones.map(({ id, name, phone, pairedInstanceIds }) => {
                  const paired = pairedInstanceIds.length > 0 ? ` · ${t.phone.isPaired}` : ''
                  return [id, `${name} · ${formatPhone(phone)}${paired}`] as const
                })}
              />
              <div className="phone-page">
                {shown.pairedInstanceIds.length > 0 ? (
                  <Paired phone={shown} />
                ) : (
                  <PhoneChats
                    key={shown.id}
                    phone={shown}
                    chosen={values.conversa}
                    onChoose={(conversa) => set({ conversa })}
                  />
                )}
                <div className="stack-small">
                  <PhoneActions key={shown.id} phone={shown} />
                  <Scenarios />
                </div>
              </div>
            </>
          )
        }}
      </Load>
    </Page>
  )
}

/** A phone that an instance is paired with: messages are sent through the instance. */
function Paired({ phone }: { phone: VirtualPhone }) {
  const { id, pairedInstanceIds, business } = phone
  const { mode } = usePanel()
  const client = useQueryClient()
  const { data } = useInstances()
  const names = pairedInstanceIds.map(
    (paired) => data?.items.find((one) => one.id === paired)?.name ?? paired,
  )
  return (
    <section className="card" aria-label={t.phone.isPaired}>
      <p>{t.phone.pairedText(names.join(', '))}</p>
      <div className="row">
        <ActionButton
          label={t.phone.unpair}
          act={async () => {
            await callApi('test', 'POST /v1/simulator/phones/{id}/unpair', { params: [id] })
            await client.invalidateQueries({ queryKey: [mode] })
          }}
        />
      </div>
      {business && <PhoneLabels phone={phone} />}
    </section>
  )
}

function PhoneActions({ phone }: { phone: VirtualPhone }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const { set } = useFilters<'fone' | 'conversa'>()
  const [asked, setAsked] = useState<'ban' | 'remove' | null>(null)
  const { id, name, online, banned, business } = phone
  const refresh = async () => {
    setAsked(null)
    await client.invalidateQueries({ queryKey: [mode] })
  }
  const act = (route: PhoneState) => async () => {
    await callApi('test', `POST /v1/simulator/phones/{id}/${route}`, { params: [id] })
    await refresh()
  }
  return (
    <section className="card" aria-label={t.phone.device}>
      <div className="row">
        <StatusBadge tone={banned ? 'bad' : online ? 'ok' : 'warn'}>
          {banned ? t.phone.banned : online ? t.phone.online : t.phone.offline}
        </StatusBadge>
        {business && <span className="quiet">business</span>}
      </div>
      <ActionForm
        act={async (form) => {
          const file = form.get('picture')
          const body = {
            name: trimmedText(form, 'name'),
            about: trimmedText(form, 'about'),
            ...(file instanceof File && file.size > 0
              ? { picture: { base64: await readBase64(file) } }
              : {}),
          }
          await callApi('test', 'PATCH /v1/simulator/phones/{id}', { params: [id], body })
          await refresh()
        }}
      >
        <Field label={t.common.name} name="name" defaultValue={name} required />
        <details>
          <summary>{t.phone.profile}</summary>
          <div className="stack-small">
            <Field
              label={t.profile.about}
              name="about"
              defaultValue={phone.about ?? ''}
              maxLength={MAX_ABOUT}
              autoComplete="off"
            />
            <Field label={t.profile.picture} name="picture" type="file" accept="image/*" />
          </div>
        </details>
      </ActionForm>
      <Scan phone={phone} />
      <div className="row">
        <ActionButton
          label={online ? t.phone.goOffline : t.phone.goOnline}
          act={act(online ? 'offline' : 'online')}
        />
        {!banned && <ActionButton label={t.phone.newDevice} act={act('new-device')} />}
        {!banned && (
          <button type="button" className="button danger" onClick={() => setAsked('ban')}>
            {t.phone.ban}
          </button>
        )}
        <button type="button" className="button danger" onClick={() => setAsked('remove')}>
          {t.phone.throwAway}
        </button>
      </div>
      {asked === 'ban' && (
        <Confirm
          danger
          title={t.phone.ban}
          object={name}
          text={t.phone.banText}
          act={act('ban')}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'remove' && (
        <Confirm
          danger
          title={t.phone.throwAway}
          object={name}
          text={t.phone.throwAwayText(name)}
          onClose={() => setAsked(null)}
          act={async () => {
            await callApi('test', 'DELETE /v1/simulator/phones/{id}', { params: [id] })
            set({ fone: undefined, conversa: undefined })
            await refresh()
          }}
        />
      )}
    </section>
  )
}

/** What simulator numbers do, by their last digits (G54). */
function Scenarios() {
  return (
    <details className="card">
      <summary>{t.phone.magic}</summary>
      <p className="quiet">{t.phone.magicText}</p>
      <dl className="facts">
        {(['0001', '0002', '0003', '0004', '0005', '0006'] as const).map((digits) => (
          <div key={digits}>
            <dt>
              <code>…{digits}</code>
            </dt>
            <dd>{t.phone[`n${digits}`]}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
