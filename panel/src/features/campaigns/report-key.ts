import type { Mode } from '../../data/api.ts'
import type { RecipientImport } from '../../data/api-types.ts'

/** What became of a list; the lines of a file can be looked up in it, those of contacts cannot. */
export type ListReport = RecipientImport & { ofFile: boolean }

/** Query key of the import report of a new campaign, cached until the campaign's page shows it. */
export const reportKey = (mode: Mode, id: string) => [mode, 'campaign-reports', id] as const
