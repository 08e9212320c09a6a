import { X } from 'lucide-react'
import { useEffect, useState, type RefObject } from 'react'
import { t } from '../../phrases/phrases.ts'
import { Check } from '../../ui/controls.tsx'
import { fileSize } from '../../ui/file-size.ts'
import type { Kind } from '../messages/compose.tsx'
import { KIND_ICONS } from '../messages/kind-icons.ts'
import { IconButton } from '../../ui/icon-button.tsx'

/** A file chosen for the next message, and the kind of message that carries it. */
export type Attachment = { kind: Kind; file: File }

/** Guesses the kind of message for a pasted or dropped file. */
export function attachmentOf(file: File): Attachment {
  const [group] = file.type.split('/')
  const kind = group === 'image' || group === 'video' || group === 'audio' ? group : 'document'
  return { kind, file }
}

/** Whether the text of the reply field becomes the caption of a file of this kind. */
export const hasCaption = (kind: Kind): boolean => kind !== 'audio' && kind !== 'sticker'

/** Takes files that are dropped anywhere in the open conversation; returns whether one is being dragged over it. */
export function useDrop(
  form: RefObject<HTMLElement | null>,
  take: (files: FileList) => void,
): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const thread = form.current?.closest<HTMLElement>('.inbox-thread')
    const carriesFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    function handleOver(event: DragEvent) {
      if (!carriesFile(event)) return
      event.preventDefault()
      setOver(true)
    }
    function handleLeave({ relatedTarget }: DragEvent) {
      if (!(relatedTarget instanceof Node && thread?.contains(relatedTarget))) setOver(false)
    }
    function handleDrop(event: DragEvent) {
      setOver(false)
      const files = event.dataTransfer?.files
      if (!files || files.length === 0) return
      event.preventDefault()
      take(files)
    }
    thread?.addEventListener('dragover', handleOver)
    thread?.addEventListener('dragleave', handleLeave)
    thread?.addEventListener('drop', handleDrop)
    return () => {
      thread?.removeEventListener('dragover', handleOver)
      thread?.removeEventListener('dragleave', handleLeave)
      thread?.removeEventListener('drop', handleDrop)
    }
  })
  return isOver
}

/** The chosen files above the reply field, whose text is the caption of the first. */
export function AttachmentPreviews(props: {
  attachments: Attachment[]
  /** Whether they are being sent: one that is removed then would be sent all the same. */
  busy: boolean
  onRemove: (attachment: Attachment) => void
}) {
  const { attachments, busy, onRemove } = props
  const kinds = new Set(attachments.map(({ kind }) => kind))
  return (
    <div className="attachments">
      {attachments.map((attachment, index) => (
        <AttachmentPreview
          // Files have no identity of their own, and the same one can be chosen twice.
          key={`${index} ${attachment.file.name}`}
          attachment={attachment}
          busy={busy}
          onRemove={() => onRemove(attachment)}
        />
      ))}
      {(kinds.has('image') || kinds.has('video')) && (
        <Check label={t.compose.viewOnce} name="viewOnce" />
      )}
      {kinds.has('audio') && <Check label={t.compose.voice} name="voice" />}
    </div>
  )
}

/** A chosen file, with what can be said about it. */
function AttachmentPreview(props: { attachment: Attachment; busy: boolean; onRemove: () => void }) {
  const { kind, file } = props.attachment
  const [src, setSrc] = useState<string | null>(null)
  useEffect(() => {
    if (!file.type.startsWith('image/')) return
    const url = URL.createObjectURL(file)
    setSrc(url)
    return () => {
      URL.revokeObjectURL(url)
      setSrc(null)
    }
  }, [file])
  const Icon = KIND_ICONS[kind]
  return (
    <div className="attachment">
      <span className="attachment-look">
        {src === null ? Icon && <Icon size={20} aria-hidden /> : <img src={src} alt="" />}
      </span>
      <span className="attachment-name">
        <span className="truncate">{file.name}</span>
        <small className="quiet">{fileSize(file.size)}</small>
      </span>
      <IconButton
        icon={X}
        disabled={props.busy}
        label={`${t.compose.removeFile}: ${file.name}`}
        onClick={props.onRemove}
      />
    </div>
  )
}
