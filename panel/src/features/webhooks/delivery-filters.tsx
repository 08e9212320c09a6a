import { EVENTS } from '../../data/trigger-event.ts'
import { t } from '../../phrases/phrases.ts'
import { Choice } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { SavedViews } from '../../shell/saved-views.tsx'
import { SearchField } from '../../ui/search-field.tsx'

const FILTERS = ['resultado', 'evento', 'http', 'horas', 'q'] as const
/** Periods in hours, the default first. */
const HOURS = ['720', '168', '24', '1'] as const

/** What the delivery log can be filtered by. */
export type DeliveryFilter = 'resultado' | 'evento' | 'http' | 'horas' | 'q'

/** The filters of the delivery log. */
export function DeliveryFilters() {
  const { values, set } = useFilters<DeliveryFilter>()
  const say = t.webhooks
  return (
    <div className="filters">
      <Choice
        label={say.result}
        value={values.resultado ?? ''}
        onChange={(event) => set({ resultado: event.target.value })}
        options={[
          ['', t.common.all],
          ['success', say.success],
          ['failed', say.failed],
        ]}
      />
      <Choice
        label={say.event}
        value={values.evento ?? ''}
        onChange={(event) => set({ evento: event.target.value })}
        options={[['', t.common.all], ...EVENTS.map((event) => [event, event] as const)]}
      />
      <Choice
        label={say.http}
        value={values.http ?? ''}
        onChange={(event) => set({ http: event.target.value })}
        options={[
          ['', t.common.allFeminine],
          ...(['2xx', '3xx', '4xx', '5xx'] as const).map((one) => [one, one] as const),
          ['none', say.noAnswer],
        ]}
      />
      <Choice
        label={say.period}
        value={values.horas ?? '720'}
        onChange={(event) => set({ horas: event.target.value })}
        options={HOURS.map((hours) => [hours, say[`last${hours}`]] as const)}
      />
      <SearchField
        label={say.reason}
        value={values.q}
        onSearch={(q) => set({ q }, { replace: true })}
      />
      <SavedViews page="entregas" names={FILTERS} />
    </div>
  )
}
