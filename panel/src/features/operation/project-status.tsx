import type { OperatedProject } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { StatusBadge } from '../../ui/controls.tsx'

/** Whether a company may use the server. */
export function ProjectStatus({ status }: Pick<OperatedProject, 'status'>) {
  return <StatusBadge tone={status === 'ACTIVE' ? 'ok' : 'bad'}>{t.operation[status]}</StatusBadge>
}
