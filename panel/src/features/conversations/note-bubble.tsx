import { useQueryClient } from '@tanstack/react-query'
import { StickyNote, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Note } from '../../data/api-types.ts'
import { shortName } from '../../data/member-name.ts'
import { t } from '../../phrases/phrases.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { usePanel } from '../../shell/page.tsx'
import { absolute, timeOfDay } from '../../ui/time.tsx'
import { partsOf } from './mentions.ts'

/** A note of the team, in the thread at the time it was written. */
export function NoteBubble({ note, instanceId }: { note: Note; instanceId: string }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const { id, conversationId, text, author, mentions, createdAt } = note
  return (
    <li className="note" data-mine>
      <small className="note-head">
        <StickyNote size={14} aria-hidden /> {t.teamInbox.note} ·{' '}
        {author.name ? shortName(author.name) : t.teamInbox.formerMember}
      </small>
      <p>
        {partsOf(text, mentions).map((part, index) =>
          part.isMention ? <strong key={index}>{part.text}</strong> : part.text,
        )}
      </p>
      <small className="bubble-meta quiet">
        <time dateTime={createdAt} title={absolute(createdAt)}>
          {timeOfDay(Date.parse(createdAt))}
        </time>
      </small>
      <div className="bubble-actions">
        <button
          type="button"
          title={t.teamInbox.deleteNote}
          aria-label={t.teamInbox.deleteNote}
          onClick={() => setAsking(true)}
        >
          <Trash2 size={16} aria-hidden />
        </button>
      </div>
      {asking && (
        <Confirm
          danger
          title={t.teamInbox.deleteNote}
          text={t.teamInbox.deleteNoteText}
          onClose={() => setAsking(false)}
          act={async () => {
            await callApi(
              mode,
              'DELETE /v1/instances/{id}/conversations/{conversationId}/notes/{noteId}',
              { params: [instanceId, conversationId, id] },
            )
            setAsking(false)
            await client.invalidateQueries({ queryKey: [mode, 'notes'] })
          }}
        />
      )}
    </li>
  )
}
