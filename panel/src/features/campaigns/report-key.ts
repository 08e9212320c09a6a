import type { Mode } from '../../data/api.ts'

/** Where the report of the list that a new campaign was created with is kept until its page shows it. */
export const reportKey = (mode: Mode, id: string) => [mode, 'campaign-reports', id]
