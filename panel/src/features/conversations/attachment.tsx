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
export function useDrop(form: RefObject<HTMLElement | null>, take: (file: File) => void): boolean {
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
      const [file] = event.dataTransfer?.files ?? []
      if (!file) return
      event.preventDefault()
      take(file)
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

/** The chosen file above the reply field, with what can be said about it; the field itself is its caption. */
export function AttachmentPreview(props: { attachment: Attachment; onRemove: () => void }) {
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
      {(kind === 'image' || kind === 'video') && (
        <Check label={t.compose.viewOnce} name="viewOnce" />
      )}
      {kind === 'audio' && <Check label={t.compose.voice} name="voice" />}
      <IconButton icon={X} label={t.compose.removeFile} onClick={props.onRemove} />
    </div>
  )
}
