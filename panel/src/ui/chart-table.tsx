import { t } from '../phrases/phrases.ts'
import type { Bar } from './chart.tsx'
import { Table } from './table.tsx'

/** The numbers of a chart as a table. */
export function ChartTable(props: { title: string; first: string; series: string[]; bars: Bar[] }) {
  const { title, first, series, bars } = props
  return (
    <Table
      caption={title}
      rows={bars}
      keyOf={({ label }) => label}
      columns={[
        { head: first, cell: ({ label }) => label },
        ...series.map((head, which) => ({
          head,
          number: true,
          cell: ({ values }: Bar) => values[which] ?? t.common.none,
        })),
      ]}
    />
  )
}
