import { Clock } from 'lucide-react'
import { t } from '../../phrases/phrases.ts'
import type { WaitingText } from './text-queue.ts'

/** The texts that are being sent, oldest first. */
export function WaitingTexts({ texts }: { texts: readonly WaitingText[] }) {
  return (
    <ol className="waiting-texts" aria-label={t.messages.sending} aria-live="polite">
      {texts.map(({ what, text }, index) => (
        // The first leaves the list, and the others move up.
        <li key={`${texts.length - index}`} data-note={what === 'note'}>
          {text} <Clock size={12} aria-hidden />
        </li>
      ))}
    </ol>
  )
}
