import { stringify } from 'csv-stringify/sync'
import { say } from '../phrases/phrases.ts'
import type { AccountAuditEntry } from './audit.schemas.ts'

/** Lets spreadsheets read accents. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Entries as comma-separated values that no spreadsheet takes for formulas. */
export function toCsv(entries: AccountAuditEntry[]): string {
  const heads = say.audit
  const columns = (Object.keys(heads) as (keyof typeof heads)[]).map((key) => {
    return { key, header: heads[key] }
  })
  const rows = entries.map(({ before, after, ...entry }) => ({
    ...entry,
    before: before && JSON.stringify(before),
    after: after && JSON.stringify(after),
  }))
  return BYTE_ORDER_MARK + stringify(rows, { header: true, columns, escape_formulas: true })
}
