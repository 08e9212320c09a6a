import { say } from '../../kernel/phrases/phrases.ts'
import type { AccountAuditEntry } from './audit.schemas.ts'

/** Lets spreadsheets read accents. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Whatever a spreadsheet takes for the end of a cell, what follows is no formula. */
const harmless = (text: string): string => text.replaceAll(/(^|[;,\t\r\n])( *[=+\-@])/g, "$1'$2")

/** Entries as a file that spreadsheets in Portuguese open by themselves, and take for no formulas. */
export async function toCsv(entries: AccountAuditEntry[]): Promise<string> {
  // Loaded with the first export.
  const { stringify } = await import('csv-stringify/sync')
  const heads = say.audit
  const columns = (Object.keys(heads) as (keyof typeof heads)[]).map((key) => {
    return { key, header: heads[key] }
  })
  const rows = entries.map(({ before, after, ...entry }) =>
    Object.fromEntries(
      Object.entries({
        ...entry,
        before: before && JSON.stringify(before),
        after: after && JSON.stringify(after),
      }).map(([key, value]) => [key, harmless(String(value ?? ''))]),
    ),
  )
  return BYTE_ORDER_MARK + stringify(rows, { header: true, columns, delimiter: ';' })
}
