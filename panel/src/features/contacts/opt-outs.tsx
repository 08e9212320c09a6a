import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi, curlCommand } from '../../data/api.ts'
import type { OptOut } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { canDevelop, usePanel } from '../../shell/page.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CancelButton, Empty } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ActionForm, rawText } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { formatPhone, splitPhones } from '../../ui/phone-number.ts'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { PhonesArea } from './phones-area.tsx'

const numberOf = ({ phone, lid }: OptOut) => (phone ? formatPhone(phone) : (lid ?? ''))

/** The people who receive no campaigns, with forms to add and remove them. */
export function OptOuts() {
  const { mode, me } = usePanel()
  const client = useQueryClient()
  const [adding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<OptOut | null>(null)
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'opt-outs'] })
  const query = usePages([mode, 'opt-outs'], (page) =>
    callApi(mode, 'GET /v1/opt-outs', { query: page }),
  )
  return (
    <>
      <div className="filters">
        <button type="button" className="button" onClick={() => setAdding(true)}>
          {t.contacts.addOptOuts}
        </button>
      </div>
      <Load query={query}>
        {(items) =>
          items.length === 0 ? (
            <Empty
              text={t.contacts.noOptOuts}
              {...(canDevelop(me)
                ? {
                    curl: curlCommand(mode, 'POST', '/v1/opt-outs', { phones: ['5511999998888'] }),
                  }
                : {})}
            />
          ) : (
            <>
              <Table
                caption={t.contacts.optOuts}
                rows={items}
                keyOf={numberOf}
                columns={[
                  { head: t.instances.number, width: 'grow', cell: numberOf },
                  {
                    head: t.contacts.how,
                    width: 200,
                    cell: ({ source }) =>
                      source === 'reply' ? t.contacts.byReply : t.contacts.byTeam,
                  },
                  {
                    head: t.contacts.since,
                    width: 140,
                    cell: ({ createdAt }) => <Time at={createdAt} />,
                  },
                  {
                    head: t.common.actions,
                    quiet: true,
                    cell: (one) => (
                      <button type="button" className="button" onClick={() => setRemoved(one)}>
                        {t.contacts.includeAgain}
                      </button>
                    ),
                  },
                ]}
              />
              <MoreButton query={query} found={items.length} />
            </>
          )
        }
      </Load>
      {adding && (
        <Dialog title={t.contacts.addOptOuts} onClose={() => setAdding(false)}>
          <ActionForm
            label={t.contacts.addOptOuts}
            secondary={<CancelButton onClick={() => setAdding(false)} />}
            act={async (form) => {
              const phones = splitPhones(rawText(form, 'phones'))
              await callApi(mode, 'POST /v1/opt-outs', { body: { phones } })
              setAdding(false)
              await refresh()
            }}
          >
            <PhonesArea label={t.contacts.optOutPhones} name="phones" rows={5} />
          </ActionForm>
        </Dialog>
      )}
      {removed && (
        <Confirm
          title={t.contacts.includeAgain}
          object={numberOf(removed)}
          text={t.contacts.includeAgainText(numberOf(removed))}
          onClose={() => setRemoved(null)}
          act={async () => {
            await callApi(mode, 'DELETE /v1/opt-outs/{phone}', {
              params: [removed.phone ?? removed.lid ?? ''],
            })
            setRemoved(null)
            await refresh()
          }}
        />
      )}
    </>
  )
}
