import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { DialogClose } from './dialog-close.tsx'
import { RichText } from './rich-text.tsx'

/**
 * A picture over the page, in its own size or as large as the window permits. Escape, its button and a click beside it
 * close it.
 */
export function Lightbox(props: {
  src: string
  name: string
  caption: string | null
  actions: ReactNode
  onError: () => void
  onClose: () => void
}) {
  const { src, name, caption, actions, onError, onClose } = props
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
            {actions}
            <DialogClose />
          </div>
          <img src={src} alt={name} onError={onError} />
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
