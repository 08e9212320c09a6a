import type { Mode } from '../../data/api.ts'
import type { RecipientImport } from '../../data/api-types.ts'

/** The outcome of adding a list; the lines of a file can be looked up in it, those of contacts cannot. */
export type ListReport = RecipientImport & { ofFile: boolean }

const keyOf = (mode: Mode, id: string) => `recado.lista.${mode}.${id}`

/** Keeps the outcome of the last list of a campaign while the tab is open: the server does not store refused lines. */
export function keepListReport(mode: Mode, id: string, report: ListReport): void {
  try {
    sessionStorage.setItem(keyOf(mode, id), JSON.stringify(report))
  } catch {
    // The storage is full: the outcome is shown, and lost with a reload.
  }
}

/** The outcome of the last list that was added to a campaign in this tab, or null. */
export function listReportOf(mode: Mode, id: string): ListReport | null {
  const text = sessionStorage.getItem(keyOf(mode, id))
  return text === null ? null : (JSON.parse(text) as ListReport)
}
