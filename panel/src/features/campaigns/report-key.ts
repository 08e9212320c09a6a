import type { Mode } from '../../data/api.ts'

/** Query key of the import report of a new campaign, cached until the campaign's page shows it. */
export const reportKey = (mode: Mode, id: string) => [mode, 'campaign-reports', id]
