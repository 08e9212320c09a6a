import { Phone, PhoneMissed, Video } from 'lucide-react'
import type { Call } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { absolute, timeOfDay } from '../../ui/time.tsx'

/** A received call, in the thread at its time. */
export function CallLine({ call: { video, status, at } }: { call: Call }) {
  const Icon = status === 'missed' ? PhoneMissed : video ? Video : Phone
  return (
    <li className="thread-call">
      <span>
        <Icon size={14} aria-hidden />
        {video ? t.calls.videoCall : t.calls.voiceCall} · {t.calls[status]}
        <time dateTime={at} title={absolute(at)}>
          {timeOfDay(Date.parse(at))}
        </time>
      </span>
    </li>
  )
}
