import { useRef, useState, type RefObject } from 'react'
import { DiscardQuestion } from '../../ui/discard-question.tsx'
import { hasInput } from '../../ui/has-input.ts'
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx'
import { KindFields, type Kind } from '../messages/compose.tsx'

/** The search parameters whose change opens another conversation. */
const PLACE = ['conversa', 'instancia'] as const

/** The fields of a kind that has its own, such as a poll. */
export function KindReply(props: { kind: Kind; fields: RefObject<HTMLDivElement | null> }) {
  return (
    <div className="reply-fields" ref={props.fields}>
      <KindFields kind={props.kind} />
    </div>
  )
}

/**
 * Asks before what was typed in the `fields` of a kind is lost, because unlike a text it is not kept. `leave` calls its
 * function at once, or after the question. Show the `question` outside the form, whose keys it would share.
 */
export function useKindFields(busy: boolean) {
  const fields = useRef<HTMLDivElement>(null)
  const [leaving, setLeaving] = useState<(() => void) | null>(null)
  const isUnsaved = () => !busy && hasInput(fields.current)
  function leave(go: () => void): void {
    if (isUnsaved()) setLeaving(() => go)
    else go()
  }
  const question = (
    <>
      <UnsavedGuard isUnsaved={isUnsaved} names={PLACE} />
      {leaving && (
        <DiscardQuestion
          onDiscard={() => {
            setLeaving(null)
            leaving()
          }}
          onStay={() => setLeaving(null)}
        />
      )}
    </>
  )
  return { fields, leave, question }
}
