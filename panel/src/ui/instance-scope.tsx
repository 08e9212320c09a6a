import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { curlCommand } from '../api.ts'
import type { Instance } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { useInstances } from '../queries.ts'
import { Choice, Empty } from './controls.tsx'
import { Load } from './load.tsx'
import { Page, usePanel } from './page.tsx'

/** Page frame for content of one instance: the chosen one, or else the first that was ever paired. */
export function InstanceScope(props: {
  title: string
  text?: string
  chosen: string | null | undefined
  onChoose: (id: string) => void
  children: (one: Instance) => ReactNode
}) {
  const { title, text, chosen, onChoose, children } = props
  const { mode, modo } = usePanel()
  return (
    <Page title={title} text={text}>
      <Load query={useInstances()}>
        {({ items }) => {
          const paired = items.filter(({ pairedAt }) => pairedAt !== null)
          const instance = chosen ? paired.find(({ id }) => id === chosen) : paired[0]
          if (!instance) {
            return (
              <Empty
                text={chosen ? t.conversations.noSuchInstance : t.conversations.noInstance}
                curl={curlCommand(mode, 'POST', '/v1/instances', { name: t.instances.suggested })}
              >
                <Link className="botao" to="/$modo/instancias" params={{ modo }}>
                  {t.nav.instances}
                </Link>
              </Empty>
            )
          }
          return (
            <>
              {paired.length > 1 && (
                <Choice
                  label={t.campaigns.instance}
                  value={instance.id}
                  onChange={(event) => onChoose(event.target.value)}
                  options={paired.map(({ id, name }) => [id, name] as const)}
                />
              )}
              {children(instance)}
            </>
          )
        }}
      </Load>
    </Page>
  )
}
