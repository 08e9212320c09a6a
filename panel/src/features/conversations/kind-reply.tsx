import { useRef } from 'react'
import { hasInput } from '../../ui/has-input.ts'
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx'
import { KindFields, type Kind } from '../messages/compose.tsx'

/** The search parameters whose change opens another conversation. */
const PLACE = ['conversa', 'instancia'] as const

/** The fields of a kind that has its own, such as a poll. Unlike a text, they are not kept, so leaving them is asked about. */
export function KindReply({ kind }: { kind: Kind }) {
  const fields = useRef<HTMLDivElement>(null)
  return (
    <div className="reply-fields" ref={fields}>
      <UnsavedGuard isUnsaved={() => hasInput(fields.current)} names={PLACE} />
      <KindFields kind={kind} />
    </div>
  )
}
