import { say } from '../../kernel/phrases/phrases.ts'
import type { AccountAuditEntry } from './audit.schemas.ts'

/** Makes Excel read the file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Prevents CSV injection: quotes each `=`, `+`, `-` and `@` that a spreadsheet could read as the start of a cell. */
const escapeFormulas = (text: string): string =>
  text.replaceAll(/(^|[;,\t\r\n])( *[=+\-@])/g, "$1'$2")

/** Converts entries to CSV with the semicolons that Portuguese-language spreadsheets expect, and escapes formulas. */
export async function toCsv(entries: AccountAuditEntry[]): Promise<string> {
  // Loaded on the first export, to save memory.
  const { stringify } = await import('csv-stringify/sync')
  const headers = say.audit
  const columns = (Object.keys(headers) as (keyof typeof headers)[]).map((key) => {
    return { key, header: headers[key] }
  })
  const rows = entries.map(({ before, after, ...entry }) =>
    Object.fromEntries(
      Object.entries({
        ...entry,
        before: before && JSON.stringify(before),
        after: after && JSON.stringify(after),
      }).map(([key, value]) => [key, escapeFormulas(String(value ?? ''))]),
    ),
  )
  return BYTE_ORDER_MARK + stringify(rows, { header: true, columns, delimiter: ';' })
}
