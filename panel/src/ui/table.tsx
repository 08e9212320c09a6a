import {
  createSortedRowModel,
  rowSelectionFeature,
  rowSortingFeature,
  sortFn_basic,
  tableFeatures,
  useTable,
  type RowSelectionState,
  type SortingState,
} from '@tanstack/react-table'
import { ArrowDown, ArrowUp, Ellipsis } from 'lucide-react'
import { useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react'
import { t } from '../phrases/phrases.ts'
import { ActionMenu, type MenuGroup } from './menu.tsx'
import { useVirtualRows } from './use-virtual-rows.ts'

/** A column of a table; `head` must be unique within the table. */
export type Column<Row extends object> = {
  head: string
  cell: (row: Row) => ReactNode
  /** Show the heading to screen readers only, e.g. for a column of buttons. */
  quiet?: boolean
  /**
   * How the column uses its width: a number of pixels, `grow` for what the others leave, `wrap` to show long content on
   * several lines. With one column in pixels, all others without a width share the rest.
   */
  width?: number | 'grow' | 'wrap'
  /** A column of numbers: aligned at the right, under one another. */
  number?: boolean
  /** The value that the rows can be sorted by; columns without it cannot be sorted. */
  sortBy?: (row: Row) => string | number | null
}

/** An action on several chosen rows. */
export type BulkAction<Row extends object> = { label: string; act: (rows: Row[]) => void }

const CLASS_OF_WIDTH = { grow: 'grow', wrap: 'full-width' } as const
/** Where a table with few columns, its menu included, stays a table instead of cards; see the styles. */
const ROOM_OF_FEW: Record<number, 'always' | 'wide'> = { 1: 'always', 2: 'always', 3: 'wide' }
const NOTHING_CHOSEN: RowSelectionState = {}

const features = tableFeatures({
  rowSortingFeature,
  rowSelectionFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { basic: sortFn_basic },
})

/** The content of a cell; plain text that may be cut off is also its tooltip. */
function Cell<Row extends object>({ column, row }: { column: Column<Row>; row: Row }) {
  const { head, cell, quiet = false, width, number = false } = column
  const content = cell(row)
  const ofWidth = typeof width === 'string' ? CLASS_OF_WIDTH[width] : undefined
  return (
    <td
      role="cell"
      data-head={quiet ? undefined : head}
      data-number={number}
      className={quiet ? 'actions-column' : ofWidth}
      title={typeof content === 'string' ? content : undefined}
    >
      <div className="cell">{content}</div>
    </td>
  )
}

/** Whether a click on a row was meant for something within it, or for its menu, which stands elsewhere in the page. */
const isOnControl = ({ target, currentTarget }: MouseEvent): boolean =>
  target instanceof Element &&
  (!currentTarget.contains(target) ||
    target.closest('a, button, input, select, label, summary') !== null)

const STEP_OF_KEY: Record<string, 1 | -1 | undefined> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** Moves the focus from a link or button of a row to that of the next or previous row: arrow keys, or j and k. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableElement>): void {
  const step = STEP_OF_KEY[event.key]
  const control =
    event.target instanceof Element ? event.target.closest('tbody a, tbody button') : null
  const row = control?.closest('tr')
  if (!step || !control || !row || event.ctrlKey || event.metaKey || event.altKey) return
  // A menu that this button has opened uses the arrow keys itself.
  if (control.getAttribute('aria-expanded') === 'true') return
  const of = (one: Element) => [...one.querySelectorAll<HTMLElement>('a, button')]
  const index = of(row).findIndex((one) => one === control)
  const next = step === 1 ? row.nextElementSibling : row.previousElementSibling
  const controls = next ? of(next) : []
  const target = controls[index] ?? controls.at(-1)
  if (!target) return
  event.preventDefault()
  target.focus()
}

/**
 * A table whose rows become cards where there is no room for its columns; the explicit roles keep it a table for screen
 * readers there. Rows can be sorted, opened, chosen for an action on several, and have a menu. Arrow keys, or j and k,
 * go from row to row. Of a long table, only the rows near the window are rendered.
 */
export function Table<Row extends object>(props: {
  caption: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  /** Opens a row on a click anywhere in it; give one of its cells a link or button for the keyboard. */
  onOpen?: (row: Row) => void
  /** Marks the row that is open beside the table. */
  isOpen?: (row: Row) => boolean
  menuOf?: (row: Row) => MenuGroup[]
  bulk?: BulkAction<Row>[]
}) {
  const { caption, columns, rows, keyOf, onOpen, isOpen, menuOf, bulk } = props
  const [sorting, setSorting] = useState<SortingState>([])
  const [rowSelection, setRowSelection] = useState(NOTHING_CHOSEN)
  const table = useTable({
    features,
    data: rows,
    columns: columns.map(({ head, sortBy }) => ({
      id: head,
      accessorFn: (row: Row) => sortBy?.(row) ?? undefined,
      enableSorting: sortBy !== undefined,
      sortFn: 'basic' as const,
      sortUndefined: 'last' as const,
    })),
    getRowId: (row: Row) => String(keyOf(row)),
    state: { sorting, rowSelection },
    onSortingChange: setSorting,
    onRowSelectionChange: setRowSelection,
  })
  const shown = table.getRowModel().rows
  const frame = useRef<HTMLDivElement>(null)
  const { rendered, before, after, measure, onFocus } = useVirtualRows(frame, shown.length)
  const chosen = shown.filter(({ id }) => rowSelection[id])
  const isFixed = columns.some(({ width }) => typeof width === 'number')
  return (
    <div
      className="table-frame"
      ref={frame}
      data-few={ROOM_OF_FEW[columns.length + (menuOf ? 1 : 0)]}
    >
      {bulk && chosen.length > 0 && (
        <div className="bulk" role="toolbar" aria-label={caption}>
          <span>{t.table.chosen(chosen.length)}</span>
          {bulk.map(({ label, act }) => (
            <button
              key={label}
              type="button"
              className="button"
              onClick={() => {
                act(chosen.map(({ original }) => original))
                setRowSelection(NOTHING_CHOSEN)
              }}
            >
              {label}
            </button>
          ))}
        </div>
      )}
      <table
        role="table"
        data-fixed={isFixed}
        aria-rowcount={rendered ? shown.length + 1 : undefined}
        onKeyDown={moveBetweenRows}
        onFocus={onFocus}
      >
        <caption className="visually-hidden">{caption}</caption>
        <colgroup>
          {bulk && <col style={{ width: 40 }} />}
          {columns.map(({ head, width, quiet = false }) => (
            <col
              key={head}
              data-shares={!quiet}
              style={typeof width === 'number' ? { width } : {}}
            />
          ))}
          {menuOf && <col style={{ width: 48 }} />}
        </colgroup>
        <thead role="rowgroup">
          <tr role="row">
            {bulk && (
              <th role="columnheader" scope="col">
                <input
                  type="checkbox"
                  aria-label={t.table.chooseAll}
                  checked={shown.length > 0 && chosen.length === shown.length}
                  onChange={table.getToggleAllRowsSelectedHandler()}
                />
              </th>
            )}
            {columns.map((column) => (
              <Heading
                key={column.head}
                column={column}
                order={sorting.find(({ id }) => id === column.head)}
                onSort={() => table.getColumn(column.head)?.toggleSorting()}
              />
            ))}
            {menuOf && (
              <th role="columnheader" scope="col">
                <span className="visually-hidden">{t.common.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          <Spacer height={before} />
          {(rendered ? shown.slice(rendered.from, rendered.to) : shown).map((row, index) => (
            <tr
              key={row.id}
              role="row"
              ref={measure}
              data-index={index + (rendered?.from ?? 0)}
              aria-rowindex={rendered ? index + rendered.from + 2 : undefined}
              data-opens={onOpen !== undefined}
              data-open={isOpen?.(row.original) ?? false}
              onClick={(event) => {
                if (onOpen && !isOnControl(event) && !hasSelectedText()) onOpen(row.original)
              }}
            >
              {bulk && (
                <td role="cell" className="actions-column">
                  <input
                    type="checkbox"
                    aria-label={t.table.choose}
                    checked={row.getIsSelected()}
                    onChange={row.getToggleSelectedHandler()}
                  />
                </td>
              )}
              {columns.map((column) => (
                <Cell key={column.head} column={column} row={row.original} />
              ))}
              {menuOf && (
                <td role="cell" className="actions-column">
                  <RowMenu groups={menuOf(row.original)} />
                </td>
              )}
            </tr>
          ))}
          <Spacer height={after} />
        </tbody>
      </table>
    </div>
  )
}

/** Takes the place of the rows that are not rendered. */
function Spacer({ height }: { height: number }) {
  return height > 0 ? <tr className="spacer" aria-hidden style={{ height }} /> : null
}

/** The menu of a row; nothing if the row has no action. */
function RowMenu({ groups }: { groups: MenuGroup[] }) {
  const shown = groups.filter(({ entries }) => entries.length > 0)
  if (shown.length === 0) return null
  return (
    <ActionMenu
      align="end"
      trigger={
        <button type="button" className="button icon plain" aria-label={t.common.actions}>
          <Ellipsis size={16} aria-hidden />
        </button>
      }
      groups={shown}
    />
  )
}

/** Selecting text in a row must not open it. */
const hasSelectedText = (): boolean => (getSelection()?.toString() ?? '') !== ''

function Heading<Row extends object>(props: {
  column: Column<Row>
  order: { desc: boolean } | undefined
  onSort: () => void
}) {
  const { column, order, onSort } = props
  const { head, quiet, sortBy, number = false } = column
  const Icon = order?.desc ? ArrowDown : ArrowUp
  return (
    <th
      role="columnheader"
      scope="col"
      data-number={number}
      aria-sort={order ? (order.desc ? 'descending' : 'ascending') : undefined}
    >
      {quiet ? (
        <span className="visually-hidden">{head}</span>
      ) : sortBy ? (
        <button type="button" className="sort-button" onClick={onSort}>
          {head} {order && <Icon size={12} aria-hidden />}
        </button>
      ) : (
        head
      )}
    </th>
  )
}
