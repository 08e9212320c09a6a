import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ActionButton } from '../../ui/form.tsx'

/** Blocks a person on the network, after a question, or unblocks them. Shown while the instance is connected. */
export function BlockContact(props: {
  instance: Instance
  phone: string
  lid: string | null
  name: string
}) {
  const { instance, phone, lid, name } = props
  const { mode } = usePanel()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const queryKey = [mode, 'blocked', instance.id] as const
  const { data } = useQuery({
    queryKey,
    queryFn: () => callApi(mode, 'GET /v1/instances/{id}/blocked', { params: [instance.id] }),
    enabled: instance.status === 'CONNECTED',
  })
  if (!data) return null
  const entry = data.items.find((one) => one.phone === phone || (lid !== null && one.lid === lid))
  const change = async (method: 'PUT' | 'DELETE') => {
    await callApi(mode, `${method} /v1/instances/{id}/blocked/{phone}`, {
      params: [instance.id, entry?.phone ?? entry?.lid ?? phone],
    })
    setAsking(false)
    await client.invalidateQueries({ queryKey })
  }
  return (
    <div>
      {entry ? (
        <ActionButton label={t.conversations.unblock} act={() => change('DELETE')} />
      ) : (
        <button type="button" className="button danger" onClick={() => setAsking(true)}>
          {t.conversations.block}
        </button>
      )}
      {asking && (
        <Confirm
          danger
          title={t.conversations.block}
          text={t.conversations.blockText(name)}
          act={() => change('PUT')}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}
