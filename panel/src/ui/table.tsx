import type { ReactNode } from 'react'

/** A column of a table; `head` must be unique within the table. */
export type Column<Row> = {
  head: string
  cell: (row: Row) => ReactNode
  /** Show the heading to screen readers only, e.g. for a column of buttons. */
  quiet?: boolean
  /** How the column uses its width: `grow` takes what the others leave, `wrap` shows long content on several lines. */
  width?: 'grow' | 'wrap'
}

const CLASS_OF_WIDTH = { grow: 'cresce', wrap: 'inteira' } as const

/** The content of a cell; plain text that may be cut off is also its tooltip. */
function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { head, cell, quiet = false, width } = column
  const content = cell(row)
  return (
    <td
      role="cell"
      data-head={quiet ? undefined : head}
      className={quiet ? 'actions-column' : width && CLASS_OF_WIDTH[width]}
      title={typeof content === 'string' ? content : undefined}
    >
      <div className="cell">{content}</div>
    </td>
  )
}

/** A table whose rows become cards on phones; the explicit roles keep it a table for screen readers there. */
export function Table<Row>(props: {
  caption: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
}) {
  const { caption, columns, rows, keyOf } = props
  return (
    <div className="table-frame">
      <table role="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ head, quiet }) => (
              <th key={head} role="columnheader" scope="col">
                {quiet ? <span className="visually-hidden">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <Cell key={column.head} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
