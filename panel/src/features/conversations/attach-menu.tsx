import { CalendarClock, Paperclip, StickyNote, Zap } from 'lucide-react'
import { capitalize, t } from '../../phrases/phrases.ts'
import { ActionMenu } from '../../ui/menu.tsx'
import { hasFile, KINDS, type Kind } from '../messages/compose.tsx'
import { KIND_ICONS } from '../messages/kind-icons.ts'

/** What the reply form writes: a message of a type, or a note of the team. */
export type Writes = Kind | 'note'

/** A reaction belongs to a message and has its button there; text is what the field is for. */
const ATTACHED = KINDS.filter((kind) => kind !== 'reaction' && kind !== 'text')

/** What the reply form can write besides text. */
export function AttachMenu(props: {
  kind: Writes
  onKind: (kind: Writes) => void
  onSchedule: () => void
  onQuickReply: () => void
}) {
  const { kind, onKind, onSchedule, onQuickReply } = props
  const entryOf = (one: Kind) => {
    const Icon = KIND_ICONS[one]
    return {
      label: capitalize(t.kinds[one]),
      icon: Icon && <Icon size={16} />,
      act: () => onKind(one),
    }
  }
  return (
    <ActionMenu
      side="top"
      trigger={
        <button
          type="button"
          className="button icon plain"
          title={t.teamInbox.attach}
          aria-label={t.teamInbox.attach}
          data-active={kind !== 'text'}
        >
          <Paperclip size={20} aria-hidden />
        </button>
      }
      groups={[
        { title: t.teamInbox.files, entries: ATTACHED.filter(hasFile).map(entryOf) },
        {
          title: t.teamInbox.others,
          entries: [
            ...ATTACHED.filter((one) => !hasFile(one)).map(entryOf),
            {
              label: t.teamInbox.note,
              icon: <StickyNote size={16} />,
              act: () => onKind('note'),
            },
            { label: t.teamInbox.quickReply, icon: <Zap size={16} />, act: onQuickReply },
            {
              label: t.teamInbox.schedule,
              icon: <CalendarClock size={16} />,
              act: onSchedule,
            },
          ],
        },
      ]}
    />
  )
}
