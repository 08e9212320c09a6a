import { CalendarClock, Paperclip, StickyNote, Zap } from 'lucide-react'
import { t } from '../../phrases/phrases.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { ActionMenu } from '../../ui/menu.tsx'
import { hasFile, KINDS, type Kind } from '../messages/compose.tsx'
import { kindEntries } from '../messages/kind-entries.tsx'

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
  /** Returns the field to write in. */
  focusAfter: () => HTMLElement | null
}) {
  const { kind, onKind, onSchedule, onQuickReply, focusAfter } = props
  return (
    <ActionMenu
      side="top"
      focusAfter={focusAfter}
      trigger={
        <IconButton
          icon={Paperclip}
          size={20}
          label={t.teamInbox.attach}
          data-active={kind !== 'text'}
        />
      }
      groups={[
        { title: t.teamInbox.files, entries: kindEntries(ATTACHED.filter(hasFile), onKind) },
        {
          title: t.teamInbox.others,
          entries: [
            ...kindEntries(
              ATTACHED.filter((one) => !hasFile(one)),
              onKind,
            ),
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
