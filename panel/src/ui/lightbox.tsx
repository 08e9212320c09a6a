import { Dialog } from '@base-ui/react/dialog'
import { Download, X } from 'lucide-react'
import { t } from '../phrases/phrases.ts'
import { RichText } from './rich-text.tsx'

/** A picture as large as the window, over the page. Escape, its button and a click beside the picture close it. */
export function Lightbox(props: {
  src: string
  /** File name, under which the picture is saved. */
  name: string
  caption: string | null
  onClose: () => void
}) {
  const { src, name, caption, onClose } = props
  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="lightbox-backdrop" />
        <Dialog.Popup className="lightbox">
          <div className="lightbox-head">
            <Dialog.Title className="truncate">{name}</Dialog.Title>
            <a className="button" href={src} download={name}>
              <Download size={16} aria-hidden /> {t.compose.save}
            </a>
            <Dialog.Close
              className="button icon"
              aria-label={t.common.close}
              title={t.common.close}
            >
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <img src={src} alt={caption ?? name} />
          {caption && (
            <p>
              <RichText text={caption} />
            </p>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
