import { Check, CheckCheck, CircleAlert, Clock, type LucideIcon } from 'lucide-react'
import type { Message } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'

const TICKS: Partial<Record<Message['status'], LucideIcon>> = {
  queued: Clock,
  sending: Clock,
  sent: Check,
  delivered: CheckCheck,
  read: CheckCheck,
  played: CheckCheck,
  failed: CircleAlert,
}

/** The status of a message as messengers draw it; its word is a tooltip, and read to screen readers. */
export function Ticks({ status }: { status: Message['status'] }) {
  const Icon = TICKS[status]
  return (
    <span className="ticks" data-status={status} title={t.messages[status]}>
      {Icon && <Icon size={14} aria-hidden />}
      <span className="visually-hidden">{t.messages[status]}</span>
    </span>
  )
}
