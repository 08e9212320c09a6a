import type { Instance } from '../api-types.ts'
import { useFilters } from './filters.ts'
import { OfInstance } from './of-instance.tsx'
import type { Envelope } from '../live.ts'
import { t } from '../phrases/phrases.ts'
import { Time } from './time.tsx'

/** A page of what an instance has; the instance is in its address. */
export function Circle(props: {
  title: string
  text: string
  children: (instance: Instance) => React.ReactNode
}) {
  const { values, set } = useFilters<'instancia' | 'grupo'>()
  return (
    <OfInstance
      title={props.title}
      text={props.text}
      chosen={values.instancia}
      onChoose={(instancia) => set({ instancia, grupo: undefined })}
    >
      {props.children}
    </OfInstance>
  )
}

/** What was told of something while this page is open. */
export function Heard({ heard }: { heard: Envelope[] }) {
  if (heard.length === 0) return <p className="discreto">{t.events.sinceOpen}</p>
  return (
    <ul className="lista">
      {heard.map(({ event, timestamp, data }) => (
        <li key={data.eventId}>
          <code>{event}</code> {typeof data['action'] === 'string' ? data['action'] : ''}{' '}
          <Time at={timestamp} />
        </li>
      ))}
    </ul>
  )
}
