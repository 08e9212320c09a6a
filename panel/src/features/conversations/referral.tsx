import { Megaphone } from 'lucide-react'
import type { Referral } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'

/** From which advertisement or post a chat was opened, with the way there. */
export function ReferralNote({ referral }: { referral: Referral }) {
  const { sourceType, sourceUrl, headline, body } = referral
  // The address came from the sender's client.
  const safe = sourceUrl && /^https?:/.test(sourceUrl) ? sourceUrl : null
  const from = sourceType === 'post' ? t.conversations.fromPost : t.conversations.fromAd
  return (
    <p className="referral" title={body ?? undefined}>
      <Megaphone size={14} aria-hidden />
      <span>
        {from}
        {headline && ': '}
        {headline &&
          (safe ? (
            <a href={safe} target="_blank" rel="noreferrer noopener">
              {headline}
            </a>
          ) : (
            headline
          ))}
      </span>
    </p>
  )
}
