import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../api.ts'
import type { Instance } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { Empty } from './controls.tsx'
import { Load } from './load.tsx'
import { Page, usePlace } from './page.tsx'

/** A page of what an instance has: the one that is chosen, or the first that was paired. */
export function OfInstance(props: {
  title: string
  text?: string
  chosen: string | null | undefined
  onChoose: (id: string) => void
  children: (one: Instance) => ReactNode
}) {
  const { title, text, chosen, onChoose, children } = props
  const { mode } = usePlace()
  const query = useQuery({
    queryKey: [mode, 'instances'],
    queryFn: () => api(mode, 'GET /v1/instances'),
  })
  return (
    <Page title={title} text={text}>
      <Load query={query}>
        {({ items }) => {
          const paired = items.filter(({ pairedAt }) => pairedAt !== null)
          const instance = paired.find(({ id }) => id === chosen) ?? paired[0]
          if (!instance) return <Empty text={t.conversations.noInstance} />
          return (
            <>
              {paired.length > 1 && (
                <div className="campo">
                  <label htmlFor="instancia">{t.campaigns.instance}</label>
                  <select
                    id="instancia"
                    value={instance.id}
                    onChange={(event) => onChoose(event.target.value)}
                  >
                    {paired.map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                  </select>
                </div>
              )}
              {children(instance)}
            </>
          )
        }}
      </Load>
    </Page>
  )
}
