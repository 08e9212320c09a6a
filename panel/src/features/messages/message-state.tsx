import type { Message } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { StatusBadge, type Tone } from '../../ui/controls.tsx'

/** The tones of statuses; others are neutral. */
export const TONES: Partial<Record<Message['status'], Tone>> = {
  delivered: 'ok',
  read: 'ok',
  played: 'ok',
  received: 'ok',
  failed: 'bad',
}
/** The status of a message as a bead. */
export function MessageState({ status }: { status: Message['status'] }) {
  return <StatusBadge tone={TONES[status] ?? 'neutral'}>{t.messages[status]}</StatusBadge>
}
