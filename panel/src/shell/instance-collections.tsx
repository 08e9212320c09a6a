import { useInfiniteQuery } from '@tanstack/react-query'
import { callPanel } from '../data/api.ts'
import type { Instance, KeptEvent } from '../data/api-types.ts'
import { t } from '../phrases/phrases.ts'
import { EventRow } from '../features/events/event-row.tsx'
import { useFilters } from '../ui/filters.ts'
import { Load } from '../ui/load.tsx'
import { MoreButton } from '../ui/more-button.tsx'
import { InstanceScope } from './instance-scope.tsx'
import { usePanel } from './page.tsx'

const PAGE = 20

/** Search parameters of these pages: the instance, and the open group, label or call. */
export type CollectionFilter = 'instancia' | 'grupo' | 'etiqueta' | 'chamada'

/** Page frame for the groups, labels or calls of an instance; the instance and the open item are in the URL. */
export function CollectionPage(props: {
  title: string
  text: string
  children: (instance: Instance) => React.ReactNode
}) {
  const { values, set } = useFilters<CollectionFilter>()
  return (
    <InstanceScope
      title={props.title}
      text={props.text}
      chosen={values.instancia}
      onChoose={(instancia) =>
        set({ instancia, grupo: undefined, etiqueta: undefined, chamada: undefined })
      }
    >
      {props.children}
    </InstanceScope>
  )
}

/** What else of a group an event may change, besides its name. */
const CHANGED = ['description', 'settings', 'community'] as const

/** Describes an event in a few words: action, people and object. */
function wordsOf({ data }: KeptEvent): string {
  const { action, changes, participants, label, chat, status } = data as {
    action?: Exclude<keyof typeof t.past, 'subject'>
    changes?: { subject?: { to: string } } & Partial<Record<(typeof CHANGED)[number], object>>
    participants?: { name: string | null; phone: string | null; lid: string | null }[]
    label?: { name: string }
    chat?: { name: string | null; id: string }
    status?: 'ringing' | 'rejected' | 'missed' | 'accepted'
  }
  const whom = participants?.map(({ name, phone, lid }) => name ?? phone ?? lid).join(', ')
  const what = label?.name ?? (chat && (chat.name ?? chat.id))
  const changed = CHANGED.filter((field) => changes?.[field] !== undefined)
  return [
    action && t.past[action],
    changes?.subject && t.past.subject(changes.subject.to),
    ...changed.map((field) => t.past[field]),
    status && t.calls[status],
    whom,
    what,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** Events of the last 30 days about the groups, labels or calls of an instance, or about one of them (`subject`). */
export function EventHistory(props: {
  instance: Instance
  kind: 'group' | 'label' | 'call'
  subject?: string
  /** The name of the subject, for the heading. */
  name?: string
}) {
  const { mode } = usePanel()
  const { instance, kind, subject, name } = props
  const query = useInfiniteQuery({
    queryKey: [mode, 'past', instance.id, kind, subject],
    queryFn: ({ pageParam }) =>
      callPanel('GET /panel/api/{mode}/instances/{id}/events', {
        params: [mode, instance.id],
        query: {
          kind,
          limit: PAGE,
          ...(subject ? { subject } : {}),
          ...(pageParam ? { before: pageParam } : {}),
        },
      }),
    initialPageParam: '',
    getNextPageParam: ({ before }) => before ?? undefined,
  })
  return (
    <section className="stack-small" aria-label={t.past.title}>
      <h2>{name ? `${t.past.title}: ${name}` : t.past.title}</h2>
      <Load query={query}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items)
          if (items.length === 0) return <p className="quiet">{t.past.empty}</p>
          return (
            <>
              <div className="framed-list">
                {items.map((one) => (
                  <EventRow key={one.data.eventId} envelope={one} words={wordsOf(one)} />
                ))}
              </div>
              <MoreButton query={query} found={items.length} />
            </>
          )
        }}
      </Load>
    </section>
  )
}
