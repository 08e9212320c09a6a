import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi, curlCommand } from '../../data/api.ts'
import type { Key } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { useKeys, useSubscribed } from '../../data/queries.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { StatusBadge, CancelButton, Empty, Field } from '../../ui/controls.tsx'
import { CreateButton } from '../../ui/create-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ActionForm, trimmedText } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { Page, usePanel } from '../../shell/page.tsx'
import { KeyReach, readRestrictions, RestrictionFields } from './key-restrictions.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

const SOON_MS = 7 * 24 * 3600_000

function KeyState({ status, expiresAt }: Key) {
  const soon =
    status === 'active' && expiresAt !== null && Date.parse(expiresAt) - Date.now() < SOON_MS
  return (
    <StatusBadge tone={status === 'active' ? (soon ? 'warn' : 'ok') : 'bad'}>
      {soon ? t.keys.soon : t.keys[status]}
    </StatusBadge>
  )
}

/** The API keys of a mode, and the dialogs to create and revoke them. */
export function Keys() {
  const { mode } = usePanel()
  const { values, set } = useFilters<'nova'>()
  const subscribed = useSubscribed()
  const creating = values.nova !== undefined && subscribed
  const client = useQueryClient()
  const [secret, setSecret] = useState<string | null>(null)
  const [revoking, setRevoking] = useState<Key | null>(null)
  const query = useKeys()
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'keys'] })
  async function create(form: FormData) {
    const days = Number(trimmedText(form, 'days'))
    const restrictions = readRestrictions(form)
    const body = {
      name: trimmedText(form, 'name'),
      ...(days > 0 ? { expiresInDays: days } : {}),
      ...(restrictions ? { restrictions } : {}),
    }
    const { key } = await callApi(mode, 'POST /v1/keys', { body })
    set({ nova: undefined })
    setSecret(key)
    await refresh()
  }
  return (
    <Page
      title={t.keys.title}
      text={t.keys.text}
      act={
        <CreateButton
          label={t.keys.create}
          allowed={subscribed}
          upgradeText={t.common.subscribe}
          onCreate={() => set({ nova: 'sim' })}
        />
      }
    >
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={t.keys.empty} curl={curlCommand(mode, 'GET', '/v1/instances')} />
          ) : (
            <Table
              caption={t.keys.title}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                { head: t.common.name, cell: ({ name }) => name },
                { head: t.keys.prefix, cell: ({ keyPrefix }) => <code>{keyPrefix}…</code> },
                { head: t.keys.reach, width: 'wrap', cell: (key) => <KeyReach {...key} /> },
                { head: t.common.status, cell: (key) => <KeyState {...key} /> },
                {
                  head: t.keys.lastUsed,
                  cell: ({ lastUsedAt }) => (
                    <span title={t.keys.lag}>
                      <Time at={lastUsedAt} />
                    </span>
                  ),
                },
                {
                  head: t.keys.expires,
                  cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} /> : t.keys.forever),
                },
              ]}
              menuOf={(key) =>
                key.status === 'active'
                  ? [
                      {
                        entries: [
                          { label: t.keys.revoke, danger: true, act: () => setRevoking(key) },
                        ],
                      },
                    ]
                  : []
              }
            />
          )
        }
      </Load>
      {creating && (
        <Dialog title={t.keys.create} onClose={() => set({ nova: undefined })}>
          <ActionForm
            act={create}
            label={t.common.create}
            secondary={<CancelButton onClick={() => set({ nova: undefined })} />}
          >
            <Field
              label={t.common.name}
              name="name"
              defaultValue={t.keys.suggested}
              onFocus={({ currentTarget }) => currentTarget.select()}
              required
            />
            <Field label={t.keys.days} name="days" type="number" min={1} />
            <RestrictionFields />
          </ActionForm>
        </Dialog>
      )}
      {secret && (
        <SecretOnce
          title={t.keys.onceTitle}
          text={t.keys.onceText}
          secret={secret}
          confirmLabel={t.keys.kept}
          examples={{
            '.env': `RECADO_KEY=${secret}`,
            curl: curlCommand(mode, 'GET', '/v1/instances').replace(/svc_\w+_…/, secret),
          }}
          onClose={() => setSecret(null)}
        />
      )}
      {revoking && (
        <Confirm
          danger
          name={revoking.name}
          title={t.keys.revoke}
          text={t.keys.revokeText(revoking.name)}
          onClose={() => setRevoking(null)}
          act={async () => {
            await callApi(mode, 'DELETE /v1/keys/{id}', { params: [revoking.id] })
            setRevoking(null)
            await refresh()
          }}
        />
      )}
    </Page>
  )
}
