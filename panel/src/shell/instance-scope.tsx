import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Instance } from '../data/api-types.ts'
import { t } from '../phrases/phrases.ts'
import { useInstances } from '../data/queries.ts'
import { Choice, Empty } from '../ui/controls.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePanel } from './page.tsx'

const keyOf = (mode: string) => `recado.instancia.${mode}`

/** Says that there is no paired instance, or not the one in the URL, and how to get one. */
export function NoInstance({ chosen }: { chosen: string | null | undefined }) {
  const { modo } = usePanel()
  return (
    <Empty text={chosen ? t.conversations.noSuchInstance : t.conversations.noInstance}>
      <Link className="button" to="/$modo/instancias" params={{ modo }}>
        {t.nav.instances}
      </Link>
    </Empty>
  )
}

/**
 * Page frame for content of one instance: the chosen one, or else the last one chosen in this browser, a connected one,
 * or the first that was ever paired.
 */
export function InstanceScope(props: {
  title: string
  text?: string
  chosen: string | null | undefined
  onChoose: (id: string) => void
  children: (one: Instance) => ReactNode
}) {
  const { title, text, chosen, onChoose, children } = props
  const { mode } = usePanel()
  return (
    <Page title={title} text={text}>
      <Load query={useInstances()}>
        {({ items }) => {
          const paired = items.filter(({ pairedAt }) => pairedAt !== null)
          const last = localStorage.getItem(keyOf(mode))
          const instance = chosen
            ? paired.find(({ id }) => id === chosen)
            : (paired.find(({ id }) => id === last) ??
              paired.find(({ status }) => status === 'CONNECTED') ??
              paired[0])
          if (!instance) return <NoInstance chosen={chosen} />
          const choose = (id: string) => {
            localStorage.setItem(keyOf(mode), id)
            onChoose(id)
          }
          return (
            <>
              {paired.length > 1 && (
                <Choice
                  label={t.campaigns.instance}
                  value={instance.id}
                  onChange={(event) => choose(event.target.value)}
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
