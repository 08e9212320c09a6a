import type { ReactNode } from 'react'

export type Column<Row> = {
  head: string
  cell: (row: Row) => ReactNode
  /** Its head is for screen readers alone, as of a column of buttons. */
  quiet?: boolean
}

/**
 * Rows with their heads; on a telephone each row is a card, and the roles say that it is a table still.
 */
export function Table<Row>(props: {
  caption: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
}) {
  const { caption, columns, rows, keyOf } = props
  return (
    <div className="tabela">
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
              {columns.map(({ head, cell, quiet }) => (
                <td key={head} role="cell" data-head={quiet ? undefined : head}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
